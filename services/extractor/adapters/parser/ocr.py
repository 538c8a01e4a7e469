"""Words of a picture, by the models that come inside rapidocr. Runs in the parser's child only.

One thread, no network, one line at a time: a batch would have every line be as wide as its
widest. The detector sees a small copy, since it only has to find lines; the recogniser sees
every pixel. Lines on their side are never turned one by one, for a lone figure 1 is taller than
wide: the page is turned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import atan2, hypot, radians
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rapidocr import RapidOCR
from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError
from rapidocr.main import RapidOCRError

from services.extractor.domain.offline.ocr_text import Letters, pieces_of
from services.extractor.domain.offline.upright import Upright
from shared.pages.words import Word

Pixels = NDArray[np.uint8]
Corners = NDArray[np.float32]

# About an A4 page at 110 dots to the inch: lines are found there as well as at 200, in a third
# of the time. Small print, or a page in the middle of a photograph, is looked at again.
DETECTED_PIXELS = 1_160_000
DETECTED_AGAIN_PIXELS = 4_000_000
LINE_PIXELS_MIN = 9.0
# Mean of a line below which it is a stain, and of a page below which it may be upside down.
LINE_SURE_MIN = 0.5
PAGE_SURE_MIN = 0.8
# Taller than this is a rule of a table or runs along the margin.
TALL = 3.0
SIDEWAYS_SHARE = 0.6
# Longer than any line of print, and a recogniser's time grows with it.
LONG = 120.0
SKEW_MIN = radians(0.25)
SKEW_MAX = radians(20)
STRAIGHT_PIXELS = 1.5
# How far from the paper, of 255, the faintest print is.
INK = 18
MARGIN = 40
OUT_OF_MEMORY = ("bad_alloc", "Failed to allocate", "nsufficient memory")


@dataclass(frozen=True, slots=True)
class Recognised:
    """Words in the places that they have once the page stands upright."""

    words: tuple[Word, ...]
    upright: Upright


@dataclass(frozen=True, slots=True)
class Line:
    letters: Letters
    corners: Corners

    @property
    def sure(self) -> float:
        return sum(self.letters.sure) / len(self.letters.sure)


def words_in(picture: Image.Image, number: int) -> Recognised:
    """Raises MemoryError when there is too little, however the libraries say so."""
    try:
        return _recognised(picture, number)
    except (ONNXRuntimeError, cv2.error) as error:
        if any(sign in str(error) for sign in OUT_OF_MEMORY):
            raise MemoryError from error
        raise


def _recognised(picture: Image.Image, number: int) -> Recognised:
    pixels = np.ascontiguousarray(np.asarray(picture.convert("RGB"))[:, :, ::-1])
    width, height = picture.size
    found, quarters = _lines_of_text(pixels), 0
    if _lies_on_its_side(found):
        pixels, quarters = _turned(pixels, 1), 1
        found = _lines_of_text(pixels)
    lines = _read(pixels, found)
    if found and _sure(lines) < PAGE_SURE_MIN:
        other = _turned(pixels, 2)
        upside_down = _read(other, _lines_of_text(other))
        if _sure(upside_down) > _sure(lines):
            lines, quarters = upside_down, quarters + 2
    upright = Upright(width, height, quarters, _skew(lines))
    return Recognised(tuple(_words(lines, upright, number)), upright)


@cache
def _models() -> RapidOCR:
    cv2.setNumThreads(1)
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.return_word_box": True,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # The copy has its size already.
            "Det.limit_type": "max",
            "Det.limit_side_len": 100_000,
            "Rec.rec_batch_num": 1,
            # A short line needs no more room than this to be read well.
            "Rec.rec_img_shape": [3, 48, 192],
        }
    )


def _lines_of_text(pixels: Pixels) -> list[Corners]:
    """On an empty page the detector overlooks a lone word, so it sees no margins."""
    left, top, right, bottom = _inked(pixels)
    page = pixels[top:bottom, left:right]
    if not page.size:
        return []
    found, height = _detected(page, DETECTED_PIXELS)
    if found and height < LINE_PIXELS_MIN and page[..., 0].size > 2 * DETECTED_PIXELS:
        found, _ = _detected(page, DETECTED_AGAIN_PIXELS)
    return [corners + np.array([left, top], np.float32) for corners in found]


def _inked(pixels: Pixels) -> tuple[int, int, int, int]:
    """The part of a page where something stands out from the paper; nothing of a blank one."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    paper = int(np.median(grey[::7, ::7]))
    ink = cv2.absdiff(grey, np.full_like(grey, paper)) > INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not rows.size:
        return 0, 0, 0, 0
    height, width = grey.shape
    return (
        max(0, int(columns[0]) - MARGIN),
        max(0, int(rows[0]) - MARGIN),
        min(width, int(columns[-1]) + MARGIN),
        min(height, int(rows[-1]) + MARGIN),
    )


def _detected(pixels: Pixels, size: int) -> tuple[list[Corners], float]:
    """The corners of each line, and how high a typical one was for the detector."""
    height, width = pixels.shape[:2]
    share = min(1.0, (size / (height * width)) ** 0.5)
    small = (max(32, round(width * share)), max(32, round(height * share)))
    try:
        _, found = _models().detect_and_crop(
            cv2.resize(pixels, small, interpolation=cv2.INTER_AREA), {}
        )
    except RapidOCRError:
        # Nothing that looks like text.
        return [], 0.0
    boxes = np.asarray(found.boxes, np.float32)
    heights = np.linalg.norm(boxes[:, 0] - boxes[:, 3], axis=1)
    back = np.array([width / small[0], height / small[1]], np.float32)
    return list(boxes * back), float(np.median(heights))


def _read(pixels: Pixels, found: Sequence[Corners]) -> list[Line]:
    kept = [one for one in found if _size(one)[1] < TALL * _size(one)[0]]
    strips = [_strip(pixels, corners) for corners in kept]
    if not strips:
        return []
    # Its annotations are those of another method.
    said: Any = _models().recognize_txt(strips)
    lines = []
    for text, info, corners in zip(said.txts, said.word_results, kept, strict=True):
        columns = [column for word in info.word_cols for column in word]
        letters = _letters(text, columns, info.line_txt_len, info.confs)
        if letters is not None:
            lines.append(Line(letters, corners))
    return [one for one in lines if one.sure >= LINE_SURE_MIN]


def _letters(
    text: str, columns: Sequence[int], length: float, sure: Sequence[float]
) -> Letters | None:
    """The recogniser gives no column to a space: it stands behind the letter before it."""
    if not columns or length <= 0:
        return None
    rest, places, last = iter(columns), [], 0.0
    for character in text:
        if not character.isspace():
            last = min(1.0, (next(rest) + 0.5) / length)
        places.append(last)
    return Letters(text, tuple(places), tuple(map(float, sure)))


def _strip(pixels: Pixels, corners: Corners) -> Pixels:
    """The line alone, straight."""
    left, top = np.floor(corners.min(axis=0)).astype(int)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int)
    fall = max(abs(corners[1, 1] - corners[0, 1]), abs(corners[3, 0] - corners[0, 0]))
    if fall <= STRAIGHT_PIXELS:
        return pixels[max(0, top) : bottom + 1, max(0, left) : right + 1]
    width, height = _size(corners)
    size = (max(1, round(width)), max(1, round(height)))
    goal = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], dtype=np.float32)
    strip = cv2.warpPerspective(
        pixels,
        cv2.getPerspectiveTransform(corners, goal),
        size,
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(strip, np.uint8)


def _words(lines: Sequence[Line], upright: Upright, number: int) -> Iterator[Word]:
    for line in lines:
        top_left, top_right, bottom_right, bottom_left = line.corners.astype(float)
        for piece in pieces_of(line.letters):
            corners = [
                first + (second - first) * share
                for first, second in ((top_left, top_right), (bottom_left, bottom_right))
                for share in (piece.start, piece.end)
            ]
            box = upright.levelled((float(x), float(y)) for x, y in corners)
            yield Word(piece.text, number, *box, sure=piece.sure)


def _size(corners: Corners) -> tuple[float, float]:
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    return hypot(*across.tolist()), hypot(*down.tolist())


def _lies_on_its_side(found: Sequence[Corners]) -> bool:
    sizes = [_size(corners) for corners in found]
    on_its_side = sum(height for width, height in sizes if height > width)
    return on_its_side > SIDEWAYS_SHARE * sum(map(max, sizes)) > 0


def _turned(pixels: Pixels, quarters: int) -> Pixels:
    return np.ascontiguousarray(np.rot90(pixels, quarters))


def _sure(lines: Sequence[Line]) -> float:
    """By characters: a few clear figures say little."""
    sure = [one for line in lines for one in line.letters.sure]
    return sum(sure) / len(sure) if sure else 0.0


def _skew(lines: Sequence[Line]) -> float:
    """How much the lines fall to the right, by the longest half of them."""
    long = sorted(lines, key=lambda one: -_size(one.corners)[0])[: len(lines) // 2 + 1]
    angles = sorted(
        atan2(*(one.corners[1] - one.corners[0]).astype(float)[::-1].tolist()) for one in long
    )
    skew = angles[len(angles) // 2] if angles else 0.0
    return skew if SKEW_MIN < abs(skew) < SKEW_MAX else 0.0
