"""JSON of strangers, read in one way only: what could be read in two ways is refused.

Of a key that stands twice in an object one reader takes the first value and another the last,
so whoever checks and whoever acts may see different documents. A number without end and half a
character are no JSON either, whatever readers make of them, and could not be written again.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

Path = tuple[int | str, ...]


class NotJson(ValueError):
    """What is wrong with it, without a word of what stands in it."""


class RepeatedKey(NotJson):
    """`paths` are those of the keys that stood there before, in their order."""

    def __init__(self, paths: list[Path]) -> None:
        super().__init__("a key stands twice in an object")
        self.paths = paths


def read_json(raw: bytes | str) -> Any:  # noqa: ANN401 -- whatever JSON holds
    """Raises NotJson, and nothing else."""
    try:
        # First by the reader that knows UTF-8, halves of characters and a limit of nesting, so
        # that the second one meets only what cannot hurt it.
        found = from_json(raw, allow_inf_nan=False)
        text = raw if isinstance(raw, str) else raw.decode()
        _ONCE.decode(text)
    except _Repeated:
        raise RepeatedKey(list(_repeated(_AS_PAIRS.decode(text), ()))) from None
    except ValueError as error:
        raise NotJson(str(error)) from error
    return found


class _Repeated(Exception):
    """Where it stands is looked for only when there is one."""


class _Pairs(tuple[tuple[str, Any], ...]):
    __slots__ = ()


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Repeated
    return made


def _finite(text: str) -> float:
    # Read as infinity it could be written again only as something that is not JSON.
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number is too large")
    return number


def _repeated(value: object, path: Path) -> Iterator[Path]:
    if isinstance(value, _Pairs):
        seen = set()
        for key, inner in value:
            if key in seen:
                yield (*path, key)
            seen.add(key)
            yield from _repeated(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _repeated(inner, (*path, place))


_ONCE = json.JSONDecoder(object_pairs_hook=_each_once, parse_float=_finite)
_AS_PAIRS = json.JSONDecoder(object_pairs_hook=_Pairs)
