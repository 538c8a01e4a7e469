"""What readers take for each other: characters that look alike, points that are lost."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

# Both ways. The letters matter in codes only; an amount has none.
ALIKE: Final = (
    "0O",
    "0Q",
    "0D",
    "1I",
    "1L",
    "17",
    "2Z",
    "5S",
    "6G",
    "8B",
    "08",
    "06",
    "38",
    "56",
)
_LOOKS_LIKE: dict[str, str] = {}
for one, other in ALIKE:
    _LOOKS_LIKE[one] = _LOOKS_LIKE.get(one, "") + other
    _LOOKS_LIKE[other] = _LOOKS_LIKE.get(other, "") + one

CONFUSED = 0.5
POINT_LOST = 0.45
SIGN_LOST = 0.4
CHARACTER_LOST = 0.35
CHARACTER_WRONG = 0.3
CHARS_MAX = 40


def misread_as(printed: str, meant: str) -> float:
    """How likely one was read for the other, as far as one slip explains it; 0 when not."""
    if printed == meant or len(meant) > CHARS_MAX:
        return 0.0
    if printed.lstrip("-") == meant.lstrip("-"):
        return SIGN_LOST
    if _digits(printed) == _digits(meant):
        return POINT_LOST
    if len(printed) == len(meant):
        return _replaced(printed, meant)
    if abs(len(printed) - len(meant)) == 1:
        shorter, longer = sorted((printed, meant), key=len)
        return CHARACTER_LOST if _one_more(shorter, longer) else 0.0
    return 0.0


def _digits(text: str) -> str:
    """Without point, sign and the zeros that a shifted point brings or takes."""
    return text.replace(".", "").lstrip("-").strip("0")


def _replaced(printed: str, meant: str) -> float:
    wrong = [place for place, one in enumerate(printed) if one != meant[place]]
    if len(wrong) == 1:
        alike = meant[wrong[0]] in _LOOKS_LIKE.get(printed[wrong[0]], "")
        return CONFUSED if alike else CHARACTER_WRONG
    if len(wrong) == 2 and wrong[1] == wrong[0] + 1:  # noqa: PLR2004 -- two that changed places
        first, second = wrong
        turned = printed[first] == meant[second] and printed[second] == meant[first]
        return CHARACTER_WRONG if turned else 0.0
    return 0.0


def _one_more(shorter: str, longer: str) -> bool:
    return any(longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer)))


def readings_of(code: str) -> Iterator[tuple[str, float]]:
    """A code with one character taken for one that looks like it, or two changed places."""
    if len(code) > CHARS_MAX:
        return
    for place, one in enumerate(code):
        for other in _LOOKS_LIKE.get(one, ""):
            yield f"{code[:place]}{other}{code[place + 1 :]}", CONFUSED
    for place, (one, other) in enumerate(pairwise(code)):
        if one != other:
            yield f"{code[:place]}{other}{one}{code[place + 2 :]}", CHARACTER_WRONG
