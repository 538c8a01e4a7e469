"""Whether text can be seen, by taking it away: if the page looks the same, nobody sees it.

That is what hidden means, whatever the trick: white on white, under a picture, clipped off, on
a layer that is not shown. It costs painting the page twice, so only what is doubtful is asked.
"""

import math
from collections.abc import Sequence
from typing import Any

import pypdfium2
from PIL import Image, ImageChops
from pypdfium2 import raw

from shared.pages.words import Word

PIXELS_PER_POINT = 2.0
PIXELS_MAX = 4_000_000
# Of 255 in the clearest pixel of a word: less is nearly the colour of what is around it.
SEEN = 24


def unseen(page: pypdfium2.PdfPage, texts: Sequence[Any], words: Sequence[Word]) -> list[Word]:
    """`texts` are the objects that hold the words."""
    if not words:
        return []
    with_them = _painted(page)
    for text in texts:
        raw.FPDFPageObj_SetIsActive(text, False)
    difference = ImageChops.difference(with_them, _painted(page))
    for text in texts:
        raw.FPDFPageObj_SetIsActive(text, True)
    return [word for word in words if not _shows(difference, word)]


def _painted(page: pypdfium2.PdfPage) -> Image.Image:
    width, height = page.get_size()
    scale = min(PIXELS_PER_POINT, math.sqrt(PIXELS_MAX / (width * height)))
    painted: Image.Image = page.render(scale=scale).to_pil().convert("RGB")
    return painted


def _shows(difference: Image.Image, word: Word) -> bool:
    width, height = difference.size
    box = (
        math.floor(word.left * width),
        math.floor(word.top * height),
        max(math.ceil(word.right * width), math.floor(word.left * width) + 1),
        max(math.ceil(word.bottom * height), math.floor(word.top * height) + 1),
    )
    # Each colour counts: red on green may be as bright as what it stands on.
    return any(band.point(_clearly).getbbox() for band in difference.crop(box).split())


def _clearly(change: int) -> int:
    return 255 if change >= SEEN else 0
