"""Pages that lie on their side or hang askew, and the way back to what is displayed.

Rules want lines that run from left to right; a person is shown the page as it is. So words are
turned before they are read, and their places turned back before they are told.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, sin

from shared.invoice.fields import Box

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Upright:
    """Turned anticlockwise by quarters; then its lines fall to the right by `skew` radians."""

    width: float
    height: float
    quarters: int = 0
    skew: float = 0.0

    @property
    def is_displayed(self) -> bool:
        return self.quarters == 0 and self.skew == 0

    def levelled(self, corners: Iterable[Point]) -> Box:
        """From pixels of the page that was turned by quarters."""
        width, height = self._turned
        return _around(
            (x / width, y / height)
            for x, y in (self._rotated(corner, -self.skew) for corner in corners)
        )

    def displayed(self, box: Box) -> Box:
        left, top, right, bottom = box
        width, height = self._turned
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        askew = (self._rotated((x * width, y * height), self.skew) for x, y in corners)
        return _around(self._turned_back((x / width, y / height)) for x, y in askew)

    @property
    def _turned(self) -> Point:
        across = self.quarters % 2
        return (self.height, self.width) if across else (self.width, self.height)

    def _rotated(self, point: Point, angle: float) -> Point:
        if not angle:
            return point
        width, height = self._turned
        x, y = point[0] - width / 2, point[1] - height / 2
        return (
            width / 2 + x * cos(angle) - y * sin(angle),
            height / 2 + x * sin(angle) + y * cos(angle),
        )

    def _turned_back(self, point: Point) -> Point:
        x, y = point
        for _ in range(self.quarters % 4):
            x, y = 1 - y, x
        return x, y


def _around(corners: Iterable[Point]) -> Box:
    points = [(_inside(x), _inside(y)) for x, y in corners]
    across, down = zip(*points, strict=True)
    return min(across), min(down), max(across), max(down)


def _inside(share: float) -> float:
    return min(1.0, max(0.0, share))
