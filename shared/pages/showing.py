"""One page as a person is shown it: its picture in a given width, its size, its words.

Upright as the file says, and never with more pixels than it has: what a browser enlarges is as
sharp. Runs in a child only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

import pypdfium2
from PIL import Image, ImageChops

from shared.pages.images import FORMATS, Picture, picture_at, pictures_of
from shared.pages.limits import ShowLimits
from shared.pages.outcomes import Unreadable
from shared.pages.pdf_layers import rendered
from shared.pages.pdf_words import opened, page_text
from shared.pages.words import Word

PDF = "application/pdf"
# Most of a page is paper: packing it harder takes longer than it saves on the way.
PACKED = 3


@dataclass(frozen=True, slots=True)
class Scan:
    content: bytes
    media_type: str
    limits: ShowLimits


@dataclass(frozen=True, slots=True)
class Shown:
    png: bytes
    width: int
    height: int


def shown(scan: Scan, number: int, *, width: int) -> Shown | None:
    """None when there is no such page."""
    picture = _picture(scan, number, width)
    if picture is None:
        return None
    image = _bare(picture.image)
    if image.width > width:
        height = max(1, round(image.height * width / image.width))
        image = image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    png = BytesIO()
    image.save(png, "PNG", compress_level=PACKED)
    return Shown(png.getvalue(), *image.size)


def sizes(scan: Scan) -> list[tuple[float, float]]:
    """Width and height of each page, as it is displayed, in points."""
    limits = scan.limits
    if scan.media_type != PDF:
        pictures = pictures_of(
            scan.content, scan.media_type, pages_max=limits.pages, pixels_max=limits.pixels
        )
        return [(one.width, one.height) for one in pictures]
    document = opened(scan.content)
    if len(document) > limits.pages:
        raise Unreadable("too_large", f"{len(document)} pages, at most {limits.pages} are read")
    found = []
    for number in range(1, len(document) + 1):
        with _page(document, number) as page:
            found.append(page.get_size())
    return found


def words(scan: Scan, number: int) -> tuple[Word, ...] | None:
    """Those of its own text that can be seen; of a scan, what some program laid under it. An
    image has none. None when there is no such page."""
    if scan.media_type != PDF:
        return ()
    document = opened(scan.content)
    if not 1 <= number <= min(len(document), scan.limits.pages):
        return None
    with _page(document, number) as page:
        text_page = page.get_textpage()
        if text_page.count_chars() > scan.limits.chars:
            raise Unreadable("too_large", f"more than {scan.limits.chars} characters")
        found = page_text(page, text_page, number)
        text_page.close()
    return found.words or found.scan_layer


def _picture(scan: Scan, number: int, width: int) -> Picture | None:
    if number > scan.limits.pages:
        return None
    if scan.media_type in FORMATS:
        pixels_max = scan.limits.pixels
        return picture_at(scan.content, scan.media_type, number, pixels_max=pixels_max)
    if scan.media_type != PDF:
        raise Unreadable("unsupported_format", f"{scan.media_type} has no pages")
    document = opened(scan.content)
    if number > len(document):
        return None
    with _page(document, number) as page:
        return rendered(page, scale=width / max(1.0, page.get_width()))


@contextmanager
def _page(document: pypdfium2.PdfDocument, number: int) -> Iterator[pypdfium2.PdfPage]:
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise Unreadable("unreadable", f"page {number}: {error}") from error
    try:
        yield page
    finally:
        page.close()


def _bare(image: Image.Image) -> Image.Image:
    """Without colours when it shows none: a third of the bytes."""
    if image.mode == "L":
        return image
    red, green, blue = image.split()
    pairs = ((red, green), (green, blue))
    coloured = any(ImageChops.difference(*pair).getbbox() for pair in pairs)
    return image if coloured else red
