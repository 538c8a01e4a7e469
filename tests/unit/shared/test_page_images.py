"""Image files as the pictures a person is shown: every format and page, nothing too large."""

import struct
import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image

from shared.pages.images import PIXELS_KEPT, Picture, pictures_of, pngs_of
from shared.pages.outcomes import Unreadable
from tests.unit.extractor.pictures import saved

MANY = 64_000_000
FORMATS = {
    **{"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WEBP", "image/gif": "GIF"},
    **{"image/tiff": "TIFF", "image/bmp": "BMP"},
}
# Compression of a TIFF, and the modes that it can hold.
COMPRESSIONS = (
    *(("group4", "1"), ("group3", "1"), ("tiff_lzw", "RGB"), ("tiff_lzw", "1")),
    *(("tiff_deflate", "CMYK"), ("jpeg", "RGB"), ("jpeg", "CMYK"), ("packbits", "L")),
)


def seen(
    content: bytes, media_type: str, *, pages_max: int = 20, pixels_max: int = MANY
) -> list[Picture]:
    return list(pictures_of(content, media_type, pages_max=pages_max, pixels_max=pixels_max))


def marked(width: int = 60, height: int = 40, mode: str = "RGB") -> Image.Image:
    """White, with its upper left quarter black."""
    picture = Image.new("L", (width, height), 255)
    picture.paste(0, (0, 0, width // 2, height // 2))
    return picture.convert(mode)


def corners(picture: Picture) -> Sequence[bool]:
    """Whether each is dark: upper left, upper right, lower left, lower right."""
    grey = picture.image.convert("L")
    right, low = grey.width - 3, grey.height - 3
    places = ((2, 2), (right, 2), (2, low), (right, low))
    values = np.asarray(grey)
    return [bool(values[row, column] < 100) for column, row in places]


UPPER_LEFT = [True, False, False, False]


@pytest.mark.parametrize("media_type", FORMATS)
def test_every_format_shows_its_picture(media_type: str) -> None:
    [one] = seen(saved(marked(), FORMATS[media_type]), media_type)

    assert (one.width, one.height) == (60, 40)
    assert corners(one) == UPPER_LEFT


@pytest.mark.parametrize(("compression", "mode"), COMPRESSIONS)
def test_every_page_of_a_tiff_is_a_page(compression: str, mode: str) -> None:
    pages = [marked(60, 40, mode), marked(48, 80, mode), marked(60, 40, mode)]
    tiff = saved(
        pages[0], "TIFF", save_all=True, append_images=pages[1:], compression=compression
    )

    told = seen(tiff, "image/tiff")

    assert [(one.width, one.height) for one in told] == [(60, 40), (48, 80), (60, 40)]
    assert all(corners(one) == UPPER_LEFT for one in told)


@pytest.mark.parametrize(("kind", "media_type"), [("GIF", "image/gif"), ("WEBP", "image/webp")])
def test_of_an_animation_the_first_frame_is_meant(kind: str, media_type: str) -> None:
    later = Image.new("RGB", (60, 40), "black")
    moving = saved(marked(), kind, save_all=True, append_images=[later] * 3, duration=100)

    [one] = seen(moving, media_type)

    assert corners(one) == UPPER_LEFT


@pytest.mark.parametrize("media_type", ["image/jpeg", "image/tiff", "image/png"])
@pytest.mark.parametrize(
    ("orientation", "displayed", "dark"),
    [(3, (60, 40), 3), (6, (40, 60), 1), (8, (40, 60), 2), (5, (40, 60), 0)],
)
def test_a_camera_that_was_held_on_its_side_is_no_matter(
    media_type: str, orientation: int, displayed: tuple[float, float], dark: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    content = saved(marked(), FORMATS[media_type], exif=exif.tobytes())

    [one] = seen(content, media_type)

    assert (one.width, one.height) == displayed
    assert corners(one).index(True) == dark


@pytest.mark.parametrize("media_type", ["image/png", "image/webp"])
def test_what_shines_through_lies_on_white_paper(media_type: str) -> None:
    glass = Image.new("RGBA", (60, 40), (0, 0, 0, 0))
    glass.paste((0, 0, 0, 255), (0, 0, 30, 20))

    [one] = seen(saved(glass, FORMATS[media_type], lossless=True), media_type)

    assert corners(one) == UPPER_LEFT


def test_a_transparent_colour_of_a_palette_is_paper_too() -> None:
    palette = marked(mode="P")
    white = palette.getpixel((59, 39))

    [one] = seen(saved(palette, "GIF", transparency=white), "image/gif")

    assert corners(one) == UPPER_LEFT


@pytest.mark.parametrize("media_type", ["image/png", "image/tiff"])
def test_sixteen_bits_are_as_dark_as_eight(media_type: str) -> None:
    deep = np.full((40, 60), 60_000, np.uint16)
    deep[:20, :30] = 300

    [one] = seen(saved(Image.fromarray(deep), FORMATS[media_type]), media_type)

    assert corners(one) == UPPER_LEFT
    assert one.image.mode == "L"


def test_a_scan_with_a_scale_is_measured_in_points() -> None:
    [one] = seen(saved(marked(1240, 1754), "PNG", dpi=(150, 150)), "image/png")

    assert (one.width, one.height) == pytest.approx((595.2, 841.9), abs=0.2)


def test_a_fax_of_half_as_many_rows_is_stretched_to_what_was_sent() -> None:
    [one] = seen(saved(marked(1728, 1100), "TIFF", dpi=(204, 98)), "image/tiff")

    assert one.height / one.width == pytest.approx(1100 / 98 / (1728 / 204), rel=0.01)
    assert one.image.height / one.image.width == pytest.approx(one.height / one.width, rel=0.01)


def test_a_photograph_is_kept_as_small_as_its_print_can_be_read() -> None:
    [one] = seen(saved(marked(5000, 4000, "L"), "JPEG"), "image/jpeg")

    assert (one.width, one.height) == (5000, 4000)
    assert one.image.width * one.image.height <= PIXELS_KEPT


@pytest.mark.parametrize("media_type", ["image/jpeg", "image/png", "image/tiff"])
def test_a_large_picture_on_its_side_is_turned_too(media_type: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    content = saved(marked(5000, 4000, "L"), FORMATS[media_type], exif=exif.tobytes())

    [one] = seen(content, media_type)

    assert (one.width, one.height) == (4000, 5000)
    assert one.image.height > one.image.width
    assert corners(one).index(True) == 1


def claiming(width: int, height: int) -> bytes:
    """A PNG of nearly nothing, which says that it is large."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data))
            + kind
            + data
            + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = (
        chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("size", [(9_000, 9_000), (12_000, 12_000), (60_000, 60_000)])
def test_what_claims_too_many_pixels_is_not_decoded(size: tuple[int, int]) -> None:
    with pytest.raises(Unreadable) as told:
        seen(claiming(*size), "image/png")

    assert told.value.reason == "too_large"


def test_many_small_pages_may_be_too_many_pixels_together() -> None:
    pages = [Image.new("1", (100, 100))] * 12
    tiff = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:])

    with pytest.raises(Unreadable) as told:
        seen(tiff, "image/tiff", pixels_max=11_000)

    assert told.value.reason == "too_large"


def test_as_many_pages_as_may_be_are_read_and_no_more() -> None:
    pages = [marked()] * 4
    tiff = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:])

    assert len(seen(tiff, "image/tiff", pages_max=4)) == 4
    with pytest.raises(Unreadable) as told:
        seen(tiff, "image/tiff", pages_max=3)
    assert told.value.reason == "too_large"


@pytest.mark.parametrize("media_type", FORMATS)
def test_half_a_file_is_unreadable(media_type: str) -> None:
    noise = Image.effect_noise((200, 200), 80).convert("RGB")
    content = saved(noise, FORMATS[media_type])

    with pytest.raises(Unreadable) as told:
        seen(content[: len(content) // 2], media_type)

    assert told.value.reason == "unreadable"


@pytest.mark.parametrize("media_type", FORMATS)
def test_one_format_is_not_opened_as_another(media_type: str) -> None:
    other = "PPM" if media_type != "image/png" else "TGA"

    for content in (saved(marked(), other), b"", b"not an image", b"%PDF-1.7"):
        with pytest.raises(Unreadable) as told:
            seen(content, media_type)
        assert told.value.reason == "unreadable"


def test_a_format_that_is_not_taken_is_not_opened() -> None:
    with pytest.raises(Unreadable):
        seen(saved(marked(), "PPM"), "image/x-portable-pixmap")


@pytest.mark.parametrize("media_type", FORMATS)
def test_damaged_bytes_never_end_in_anything_else_than_a_picture_or_unreadable(
    media_type: str,
) -> None:
    noise = Image.effect_noise((64, 64), 80).convert("RGB")
    content = saved(noise, FORMATS[media_type])
    random = np.random.default_rng(7)

    for _ in range(150):
        damaged = bytearray(content)
        for place in random.integers(0, min(len(damaged), 600), 6):
            damaged[place] = random.integers(0, 256)
        try:
            seen(bytes(damaged), media_type)
        except Unreadable as told:
            assert told.reason in ("unreadable", "too_large")


def test_the_pages_of_a_tiff_are_given_on_as_png() -> None:
    pages = [marked(), marked(48, 80, "1")]
    tiff = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:])

    pngs = pngs_of(tiff, "image/tiff", pages_max=9, pixels_max=MANY)

    again = [seen(one, "image/png")[0] for one in pngs]
    assert [(one.width, one.height) for one in again] == [(60, 40), (48, 80)]
    assert all(corners(one) == UPPER_LEFT for one in again)
