"""What the painter's child can be asked for, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shared.pages.limits import ShowLimits
from shared.pages.showing import Scan, shown, sizes, words
from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served

# Of a page: finer than anybody can point at.
DECIMALS = 5
ABSENT = Served({"absent": True})


@dataclass(frozen=True, slots=True)
class Asked:
    scan: Scan
    number: int
    width: int

    @classmethod
    def of(cls, frame: Frame) -> "Asked":
        said: Mapping[str, Any] = frame.said
        [content, *_] = frame.parts
        limits = ShowLimits(**said["limits"])
        scan = Scan(content, said["media_type"], limits)
        return cls(scan, said["number"], said["width"])


def draw(asked: Asked) -> Served:
    found = shown(asked.scan, asked.number, width=asked.width)
    if found is None:
        return ABSENT
    return Served({"size": [found.width, found.height]}, (found.png,), pages=1)


def read_words(asked: Asked) -> Served:
    found = words(asked.scan, asked.number)
    if found is None:
        return ABSENT
    told = [
        (one.text, *(round(edge, DECIMALS) for edge in one[2:6]))  # left, top, right, bottom
        for one in found
    ]
    return Served({"words": told}, pages=1)


def measure(asked: Asked) -> Served:
    found = sizes(asked.scan)
    return Served({"sizes": found}, pages=len(found))


TASKS: Mapping[str, Callable[[Asked], Served]] = {
    "draw": draw,
    "read_words": read_words,
    "measure": measure,
}
