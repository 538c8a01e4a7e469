"""A word and where it stands, in the one convention of the house.

Boxes are in 0..1 of the displayed page from its top left: the same for a text layer and for an
OCR, on upright and on rotated pages.
"""

from typing import NamedTuple


class Word(NamedTuple):
    """A tuple, because a page has hundreds and nothing is made faster."""

    text: str
    page: int
    left: float
    top: float
    right: float
    bottom: float
    # What the recogniser thinks of it. A text layer is always sure, if not always right.
    sure: float = 1.0

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def char_width(self) -> float:
        return (self.right - self.left) / max(1, len(self.text))
