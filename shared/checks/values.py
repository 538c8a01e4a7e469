"""An invoice as the rules see it: each value in its own type, and None for what is not there.

Only plain digits become numbers. A field may hold anything (NaN, 1e999, digits of another
script, a megabyte), and none of it may reach the arithmetic.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Protocol

from shared.invoice.paths import LISTS, Kind, kind_of

Scalar = Decimal | date | str | bool
Value = Scalar | None
Members = Mapping[int, Mapping[str, Value]]

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,10})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MEMBER = re.compile(rf"({'|'.join(map(re.escape, LISTS))})\.([0-9]{{1,6}})\.(.+)")
TEXT_CHARS_MAX = 10_000
XML = "einvoice_xml"


class Read(Protocol):
    """What the rules ask of a field, in whichever form it is kept."""

    @property
    def value(self) -> str | None: ...
    @property
    def status(self) -> str: ...
    @property
    def source(self) -> str | None: ...


@dataclass(slots=True)
class Values:
    """Of one reading. `replaced` lets the repair ask "and if it were this?"."""

    single: dict[str, Value] = field(default_factory=dict)
    lists: dict[str, dict[int, dict[str, Value]]] = field(default_factory=dict)
    # What has a value that is none of its kind.
    malformed: list[str] = field(default_factory=list)
    exact: set[str] = field(default_factory=set)
    computed: set[str] = field(default_factory=set)

    def get(self, path: str) -> Value:
        return self.single.get(path)

    def members(self, name: str) -> Members:
        return self.lists.get(name, {})

    def replaced(self, changes: Mapping[str, Value]) -> "Values":
        other = Values({**self.single, **changes}, dict(self.lists), [], self.exact)
        for path, value in changes.items():
            if (split := member(path)) is not None:
                name, place, rest = split
                inside = dict(other.lists.get(name, {}))
                inside[place] = {**inside.get(place, {}), rest: value}
                other.lists[name] = inside
        return other


@lru_cache(maxsize=8192)
def member(path: str) -> tuple[str, int, str] | None:
    """`lines.3.net_amount` is the third of `lines`; None for what is in no list."""
    found = _MEMBER.fullmatch(path)
    return (found[1], int(found[2]), found[3]) if found else None


kind = lru_cache(maxsize=8192)(kind_of)


def values_of(fields: Mapping[str, Read]) -> Values:
    values = Values()
    for path, one in fields.items():
        if one.value is None:
            continue
        value = typed(one.value, kind(path))
        if value is None:
            values.malformed.append(path)
            continue
        _keep(values, path, value)
        if one.source == XML:
            values.exact.add(path)
        if one.status == "computed":
            values.computed.add(path)
    for members in values.lists.values():
        for place in sorted(members):
            members[place] = members.pop(place)
    return values


def _keep(values: Values, path: str, value: Value) -> None:
    values.single[path] = value
    if (split := member(path)) is not None:
        name, place, rest = split
        values.lists.setdefault(name, {}).setdefault(place, {})[rest] = value


def typed(text: str, of: Kind | None) -> Value:
    """None for what is no value of that kind."""
    match of:
        case "money" | "number":
            return Decimal(text) if _NUMBER.fullmatch(text) else None
        case "date":
            return _date(text)
        case "flag":
            return {"true": True, "false": False}.get(text)
        case "text" | "code":
            return text if len(text.strip()) > 0 and len(text) <= TEXT_CHARS_MAX else None
    return None


def _date(text: str) -> date | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        # The 31st of a month that has none.
        return None
