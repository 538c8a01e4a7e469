"""How much of one document is looked at; apart from what looks, which only a child loads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShowLimits:
    pages: int
    chars: int
    # Of one page or image, decoded.
    pixels: int
