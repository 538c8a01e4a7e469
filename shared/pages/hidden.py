"""Which text a person is not shown, as far as the file itself says. Runs in the child only.

Text can be read by a machine and not be seen by anybody: not painted, too small, in the colour
of what lies beneath, under an image painted later. What is certain is said here; what is only
possible is `doubtful`, and `unseen.py` looks at the page as it is painted.
"""

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pypdfium2
from pypdfium2 import raw

from shared.pages.painting import (
    Painted,
    bounds_of,
    contrast,
    is_clipped_off,
    painted_on,
)
from shared.pages.words import Word

Reason = Literal["invisible", "tiny", "outside", "unseen", "doubtful"]

# Neither filled nor stroked; and only added to what clips.
UNPAINTED_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
STROKED_ONLY = raw.FPDF_TEXTRENDERMODE_STROKE
TINY_POINTS = 3.0
# Of 0..1. Below it the eye may miss the text, so the painted page is looked at.
CLEAR = 0.25
WHITE = (255, 255, 255)
PAGE_IMAGE_SHARE = 0.6
ECHO_SHARE = 0.5

Handle = Any
# The library's own wrapper makes two objects of each answer, and a page has thousands of
# characters: of nearly all of them only the address is looked at.
_OBJECT_OF = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(raw.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
)


@dataclass(frozen=True, slots=True)
class Hidden:
    word: Word
    why: Reason


class Looks:
    """Asked once per text object, since a page has thousands of characters."""

    def __init__(self, page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage) -> None:
        self._text_page = text_page.raw
        self._characters = ctypes.cast(text_page.raw, ctypes.c_void_p).value
        self._painted: list[Painted] | None = None
        # Texts hide nothing, and are most of what is painted: of them only the places count.
        self._places: dict[int, int] = {}
        self._shapes: list[tuple[int, Painted]] = []
        self._page = page
        self._reasons: dict[int, Reason | None] = {}
        self.doubtful: list[Handle] = []

    @property
    def images(self) -> list[Painted]:
        return [one for one in self._on_page() if one.is_image]

    def of(self, index: int) -> Reason | None:
        address: int | None = _OBJECT_OF(self._characters, index)
        # A character that was only inferred belongs to no object.
        if not address:
            return None
        if address not in self._reasons:
            handle = raw.FPDFText_GetTextObject(self._text_page, index)
            reason = self._judged(handle, address, index)
            self._reasons[address] = reason
            if reason == "doubtful":
                self.doubtful.append(handle)
        return self._reasons[address]

    def doubtful_and_twins(self) -> list[Handle]:
        """With those drawn once more in the same place, which PDFium gives one text for: the
        second may be the one that is seen."""
        places = {_rounded(handle) for handle in self.doubtful}
        unread = [
            one.handle
            for one in (self._on_page() if places else ())
            if one.is_text and one.address not in self._reasons
        ]
        return [*self.doubtful, *(one for one in unread if _rounded(one) in places)]

    def _judged(self, handle: Handle, address: int, index: int) -> Reason | None:
        mode = raw.FPDFTextObj_GetTextRenderMode(handle)
        if mode in UNPAINTED_MODES:
            return "invisible"
        if self._points(index) < TINY_POINTS:
            return "tiny"
        return "doubtful" if self._may_be_missed(handle, address, mode) else None

    def _points(self, index: int) -> float:
        """Its size on the page. Some fonts put all of it in the box, some in the matrix."""
        matrix, box = raw.FS_MATRIX(), raw.FS_RECTF()
        raw.FPDFText_GetMatrix(self._text_page, index, ctypes.byref(matrix))
        raw.FPDFText_GetLooseCharBox(self._text_page, index, ctypes.byref(box))
        size = raw.FPDFText_GetFontSize(self._text_page, index)
        boxed = max(box.right - box.left, box.top - box.bottom)
        return float(max(size * math.hypot(matrix.c, matrix.d), boxed))

    def _may_be_missed(self, handle: Handle, address: int, mode: int) -> bool:
        colour, alpha = _colour(handle, stroke=mode == STROKED_ONLY)
        if alpha < CLEAR * 255 or _is_optional(handle):
            return True
        bounds = bounds_of(handle)
        if is_clipped_off(handle, bounds):
            return True
        below: list[Painted] = []
        self._on_page()
        own = self._places.get(address)
        for place, one in self._shapes:
            if one.overlaps(bounds):
                if own is not None and place > own:
                    # Painted later, over it.
                    return True
                below.append(one)
        # Inside a form, what is above and what beneath cannot be told apart from here.
        if own is None and any(one.is_image for one in below):
            return True
        return not _clear_of(colour, bounds, below)

    def _on_page(self) -> list[Painted]:
        if self._painted is None:
            self._painted = painted_on(self._page)
            self._places = {one.address: at for at, one in enumerate(self._painted)}
            self._shapes = [
                (at, one) for at, one in enumerate(self._painted) if not one.is_text
            ]
        return self._painted


def covers_most(page: pypdfium2.PdfPage, images: Sequence[Painted]) -> bool:
    """A page that is one image, or a few strips of one."""
    left, bottom, right, top = page.get_cropbox()
    whole = (right - left) * (top - bottom)
    covered = sum(one.area_within((left, bottom, right, top)) for one in images)
    return bool(covered >= PAGE_IMAGE_SHARE * whole)


def without_echoes(hidden: Sequence[Hidden], words: Sequence[Word]) -> tuple[Hidden, ...]:
    """Hidden behind the same word is a shadow or an outline of it, and hides nothing."""
    shown: dict[str, list[Word]] = {}
    if hidden:
        for word in words:
            shown.setdefault(word.text, []).append(word)
    return tuple(
        one
        for one in hidden
        if any(character.isalnum() for character in one.word.text)
        and not any(_covers(other, one.word) for other in shown.get(one.word.text, ()))
    )


def _covers(other: Word, word: Word) -> bool:
    width = min(other.right, word.right) - max(other.left, word.left)
    height = min(other.bottom, word.bottom) - max(other.top, word.top)
    own = (word.right - word.left) * (word.bottom - word.top)
    return width > 0 and height > 0 and width * height >= ECHO_SHARE * own


def _clear_of(
    colour: tuple[int, int, int], bounds: tuple[float, ...], below: Sequence[Painted]
) -> bool:
    for one in reversed(below):
        if one.colour is None or contrast(colour, one.colour) < CLEAR:
            return False
        if one.contains(bounds):
            return True
    return contrast(colour, WHITE) >= CLEAR


def _colour(handle: Handle, *, stroke: bool) -> tuple[tuple[int, int, int], int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    ask = raw.FPDFPageObj_GetStrokeColor if stroke else raw.FPDFPageObj_GetFillColor
    if not ask(handle, *map(ctypes.byref, (red, green, blue, alpha))):
        return WHITE, 0
    return (red.value, green.value, blue.value), alpha.value


def _rounded(handle: Handle) -> tuple[float, ...]:
    return tuple(round(edge, 1) for edge in bounds_of(handle))


def _is_optional(handle: Handle) -> bool:
    """On a layer that a viewer may not show."""
    name, length = ctypes.create_string_buffer(16), ctypes.c_ulong()
    for index in range(raw.FPDFPageObj_CountMarks(handle)):
        mark = raw.FPDFPageObj_GetMark(handle, index)
        wide = ctypes.cast(name, ctypes.POINTER(ctypes.c_ushort))
        if not raw.FPDFPageObjMark_GetName(mark, wide, len(name), ctypes.byref(length)):
            continue
        if name.raw[: length.value].decode("utf-16-le", "replace").rstrip("\0") == "OC":
            return True
    return False
