"""An image file as the pictures that a person would be shown. Runs in the parser's child only.

A few hundred bytes can claim a million pixels or a thousand frames, so sizes are judged before
anything is decoded, and only the formats that are taken have a decoder at all.
"""

import struct
import warnings
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import ExifTags, Image, ImageOps

from shared.pages.outcomes import Unreadable

FORMATS: Mapping[str, str] = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/webp": "WEBP",
    "image/gif": "GIF",
    "image/tiff": "TIFF",
    "image/bmp": "BMP",
    "image/x-ms-bmp": "BMP",
}
# Of an animation a person means the first frame; only these hold one page after the other.
PAGED = "TIFF"
# A long fax is pages of a few megapixels. All of them together are time, not memory.
FRAMES_PIXELS = 10
# Enough for small print on a page; a camera gives more, and it would only cost.
PIXELS_KEPT = 9_000_000
# An A4 page at 200 dots to the inch: every page travels over the network.
PIXELS_SENT = 4_000_000
# A file without a real scale says 72 or 96, or nothing.
SCALE_DPI = range(100, 1201)
POINTS_PER_INCH = 72
# What Pillow's decoders raise for files that are not what they claim to be.
BROKEN = (
    *(OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError),
    *(AttributeError, ArithmeticError, NotImplementedError, struct.error, zlib.error),
)
WIDE_MODES = ("I", "F")
# What can be made smaller without being made something else first.
REDUCED_MODES = ("L", "LA", "RGB", "RGBA", "CMYK", "YCbCr")
TRANSPARENT_MODES = ("RGBA", "LA", "PA", "RGBa", "La")
# From this orientation on, width and height change places.
TURNED = 5


@dataclass(frozen=True, slots=True)
class Picture:
    """Upright as the file says, in RGB or grey. Its size is the displayed one."""

    image: Image.Image
    width: float
    height: float


def pictures_of(
    content: bytes, media_type: str, *, pages_max: int, pixels_max: int
) -> Iterator[Picture]:
    """One after the other: two of them are never decoded at once."""
    with _bounded(pixels_max), _opened(content, media_type) as image:
        pixels = 0
        for index in range(pages_max + 1):
            if index and not _has_frame(image, index):
                return
            if index == pages_max:
                raise Unreadable("too_large", f"more than {pages_max} pages")
            pixels += image.width * image.height
            if image.width * image.height > pixels_max:
                raise Unreadable("too_large", f"{image.width} by {image.height} pixels")
            if pixels > FRAMES_PIXELS * pixels_max:
                raise Unreadable("too_large", f"{pixels} pixels on {index + 1} pages")
            yield _picture(image)


def picture_at(
    content: bytes, media_type: str, number: int, *, pixels_max: int
) -> Picture | None:
    """One page of it, from 1; None when there is no such page."""
    with _bounded(pixels_max), _opened(content, media_type) as image:
        if number > 1 and not _has_frame(image, number - 1):
            return None
        if image.width * image.height > pixels_max:
            raise Unreadable("too_large", f"{image.width} by {image.height} pixels")
        return _picture(image)


def pngs_of(content: bytes, media_type: str, *, pages_max: int, pixels_max: int) -> list[bytes]:
    """Every page, for a reader who takes no other format."""
    pages = []
    for picture in pictures_of(content, media_type, pages_max=pages_max, pixels_max=pixels_max):
        image = picture.image
        image.thumbnail(_bounded_size(image.size, PIXELS_SENT))
        png = BytesIO()
        image.save(png, "PNG")
        pages.append(png.getvalue())
    return pages


@contextmanager
def _bounded(pixels_max: int) -> Iterator[None]:
    before = Image.MAX_IMAGE_PIXELS
    # Between this and twice as much, Pillow only warns.
    Image.MAX_IMAGE_PIXELS = pixels_max
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise Unreadable("too_large", str(error)) from error
    finally:
        Image.MAX_IMAGE_PIXELS = before


def _opened(content: bytes, media_type: str) -> Image.Image:
    kind = FORMATS.get(media_type)
    if kind is None:
        raise Unreadable("unsupported_format", f"{media_type} is not an image that is read")
    try:
        return Image.open(BytesIO(content), formats=[kind])
    except BROKEN as error:
        raise Unreadable("unreadable", f"it does not begin as {kind} does") from error


def _has_frame(image: Image.Image, index: int) -> bool:
    if image.format != PAGED:
        return False
    try:
        image.seek(index)
    except EOFError:
        return False
    except BROKEN as error:
        raise Unreadable("unreadable", f"page {index + 1}: {error}") from error
    return True


def _picture(image: Image.Image) -> Picture:
    try:
        width, height, across, down = _displayed(image)
        if image.format == "JPEG":
            # Decodes at a half or a quarter where even that is more than enough.
            image.draft(None, _bounded_size(image.size, PIXELS_KEPT))
        image.load()
        plain = _flat(ImageOps.exif_transpose(_reduced(image)))
    except BROKEN as error:
        raise Unreadable("unreadable", f"the image is damaged: {error}") from error
    finest = max(across, down)
    size = _bounded_size(
        (round(width * finest / across), round(height * finest / down)), PIXELS_KEPT
    )
    if size != plain.size:
        plain = plain.resize(size, Image.Resampling.LANCZOS)
    return Picture(plain, width * POINTS_PER_INCH / across, height * POINTS_PER_INCH / down)


def _displayed(image: Image.Image) -> tuple[int, int, float, float]:
    """Width and height, and the dots to the inch of both, as they will be after turning."""
    (width, height), (across, down) = image.size, _scale_of(image)
    if image.getexif().get(ExifTags.Base.Orientation, 1) < TURNED:
        return width, height, across, down
    if image.format == PAGED:
        # Pillow tells the turned size of these before it turns them.
        return width, height, down, across
    return height, width, down, across


def _scale_of(image: Image.Image) -> tuple[float, float]:
    """Dots to the inch; one pixel to the point where the file has nothing to say."""
    given = image.info.get("dpi")
    if isinstance(given, tuple) and len(given) == 2:  # noqa: PLR2004 -- across and down
        across, down = (round(float(one)) for one in given)
        if min(across, down) * 2 in range(100, 2402) and max(across, down) in SCALE_DPI:
            return float(across), float(down)
    return float(POINTS_PER_INCH), float(POINTS_PER_INCH)


def _flat(image: Image.Image) -> Image.Image:
    """On white paper, eight bits a channel, grey or RGB."""
    if image.mode.startswith(WIDE_MODES):
        return _eight_bits(image)
    if "transparency" in image.info or image.mode in TRANSPARENT_MODES:
        seen = image.convert("RGBA")
        paper = Image.new("RGBA", seen.size, "white")
        return Image.alpha_composite(paper, seen).convert("RGB")
    return image.convert("L" if image.mode in ("1", "L") else "RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    values = np.asarray(image)
    if values.dtype.kind == "u" and values.dtype.itemsize == 2:  # noqa: PLR2004 -- bytes
        return Image.fromarray((values >> 8).astype(np.uint8))
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    if image.mode == "I" and low >= 0 and high < 1 << 16:
        low, high = 0.0, float((1 << 16) - 1)
    shares = (values.astype(np.float32) - low) * (255 / max(high - low, 1e-9))
    return Image.fromarray(shares.astype(np.uint8))


def _reduced(image: Image.Image) -> Image.Image:
    """Before it is copied for anything else: of a large one there is room for one."""
    if image.mode not in REDUCED_MODES or "transparency" in image.info:
        return image
    size = _bounded_size(image.size, PIXELS_KEPT)
    if size == image.size:
        return image
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)


def _bounded_size(size: tuple[int, int], pixels: int) -> tuple[int, int]:
    width, height = size
    share = min(1.0, (pixels / max(1, width * height)) ** 0.5)
    return max(1, int(width * share)), max(1, int(height * share))
