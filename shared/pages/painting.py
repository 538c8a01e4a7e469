"""What a page paints besides text, in its order: filled shapes, images, forms, notes.

Only bounds and colours, no outlines: enough to say where text is certainly seen. What cannot be
told from them is left to a look at the painted page.
"""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2
from pypdfium2 import raw

Colour = tuple[int, int, int]
Bounds = tuple[float, ...]
Handle = Any

# A rule or the edge of a table hides nothing.
THIN_POINTS = 2.0
OPAQUE = 250
# More than these on one page are not looked at one by one for every text.
PAINTED_MAX = 500
# Of the clips of one text and the corners of one clip, so many are looked at.
CLIPS_MAX, SEGMENTS_MAX = 16, 64
CLIPPED_SHARE = 0.5
# They show nothing over the page.
BARE_NOTES = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_HIGHLIGHT)


@dataclass(frozen=True, slots=True)
class Painted:
    """`colour` is None where it is not one: then only a look at the page can tell."""

    address: int
    bounds: Bounds
    colour: Colour | None = None
    is_image: bool = False
    is_text: bool = False
    handle: Handle = None

    def overlaps(self, bounds: Bounds) -> bool:
        mine = self.bounds
        return not self.is_text and (
            mine[0] < bounds[2]
            and bounds[0] < mine[2]
            and mine[1] < bounds[3]
            and bounds[1] < mine[3]
        )

    def contains(self, bounds: Bounds) -> bool:
        mine = self.bounds
        return (
            mine[0] <= bounds[0]
            and mine[1] <= bounds[1]
            and mine[2] >= bounds[2]
            and mine[3] >= bounds[3]
        )

    def area_within(self, bounds: Bounds) -> float:
        mine = self.bounds
        width = min(mine[2], bounds[2]) - max(mine[0], bounds[0])
        height = min(mine[3], bounds[3]) - max(mine[1], bounds[1])
        return max(0.0, width) * max(0.0, height)


def painted_on(page: pypdfium2.PdfPage) -> list[Painted]:
    painted = [*_objects(page), *_notes(page)]
    shapes = sum(not one.is_text for one in painted)
    if shapes <= PAINTED_MAX:
        return painted
    left, bottom, right, top = page.get_mediabox()
    texts_first = sorted(painted, key=lambda one: not one.is_text)
    return [*texts_first[: len(painted) - shapes], Painted(0, (left, bottom, right, top))]


def contrast(one: Colour, other: Colour) -> float:
    """0 for the same, 1 for black and white."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) / 255


def bounds_of(handle: Handle) -> Bounds:
    edges = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, edges))
    return tuple(edge.value for edge in edges)


def is_clipped_off(handle: Handle, bounds: Bounds) -> bool:
    """Some of it at least: it reaches over what one of its clips lets through."""
    clip = raw.FPDFPageObj_GetClipPath(handle)
    for path in range(max(0, min(CLIPS_MAX, raw.FPDFClipPath_CountPaths(clip)))):
        count = raw.FPDFClipPath_CountPathSegments(clip, path)
        points = [
            _point(raw.FPDFClipPath_GetPathSegment(clip, path, index))
            for index in range(min(SEGMENTS_MAX, count))
        ]
        if points and _reaches_over(bounds, points):
            return True
    return False


def _point(segment: Handle) -> tuple[float, float]:
    x, y = ctypes.c_float(), ctypes.c_float()
    raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def _reaches_over(bounds: Bounds, points: Sequence[tuple[float, float]]) -> bool:
    """By more than the air around its letters."""
    air = CLIPPED_SHARE * (bounds[3] - bounds[1])
    return (
        bounds[0] < min(x for x, _ in points) - air
        or bounds[1] < min(y for _, y in points) - air
        or bounds[2] > max(x for x, _ in points) + air
        or bounds[3] > max(y for _, y in points) + air
    )


def _objects(page: pypdfium2.PdfPage) -> Iterator[Painted]:
    for index in range(raw.FPDFPage_CountObjects(page)):
        handle = raw.FPDFPage_GetObject(page, index)
        address = ctypes.addressof(handle.contents)
        kind = raw.FPDFPageObj_GetType(handle)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            yield Painted(address, (0, 0, 0, 0), is_text=True, handle=handle)
            continue
        bounds = bounds_of(handle)
        if min(bounds[2] - bounds[0], bounds[3] - bounds[1]) < THIN_POINTS:
            continue
        if kind == raw.FPDF_PAGEOBJ_PATH:
            filled, colour = _fill(handle)
            if filled:
                yield Painted(address, bounds, colour)
        else:
            yield Painted(address, bounds, is_image=kind == raw.FPDF_PAGEOBJ_IMAGE)


def _fill(handle: Handle) -> tuple[bool, Colour | None]:
    mode, stroked = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(handle, ctypes.byref(mode), ctypes.byref(stroked))
    if mode.value == raw.FPDF_FILLMODE_NONE:
        return False, None
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    raw.FPDFPageObj_GetFillColor(handle, *map(ctypes.byref, (red, green, blue, alpha)))
    if alpha.value < OPAQUE:
        return True, None
    return True, (red.value, green.value, blue.value)


def _notes(page: pypdfium2.PdfPage) -> Iterator[Painted]:
    rectangle = raw.FS_RECTF()
    for index in range(min(PAINTED_MAX, raw.FPDFPage_GetAnnotCount(page))):
        note = raw.FPDFPage_GetAnnot(page, index)
        if not note:
            continue
        if raw.FPDFAnnot_GetSubtype(note) not in BARE_NOTES:
            raw.FPDFAnnot_GetRect(note, ctypes.byref(rectangle))
            place = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
            yield Painted(0, place)
        raw.FPDFPage_CloseAnnot(note)
