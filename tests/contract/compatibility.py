"""What a change of a schema breaks: a message that was valid before and is not any more.

Within a major version an old writer meets a new reader at every deploy, and a dead letter of
last month meets it at every replay.
"""

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

# Keyword and the direction in which it may move; the rest of a field's limits may not change.
_FLOORS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_CEILINGS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_FIXED = ("pattern", "format", "multipleOf")
_JSON_TYPES = {"string", "integer", "number", "boolean", "object", "array", "null"}


def breaks(old: Schema, new: Schema, at: str = "") -> list[str]:
    """One sentence for each thing that `old` allowed and `new` does not."""
    return list(_breaks(old, new, at or "the message"))


def _breaks(old: Schema, new: Schema, at: str) -> Iterator[str]:
    if "anyOf" in old or "anyOf" in new:
        yield from _lost_alternatives(old, new, at)
        return
    if lost := _types(old) - _accepted(_types(new)):
        yield f"{at} is no longer {' or '.join(sorted(lost))}"
        return
    yield from _lost_values(old, new, at)
    yield from _tightened(old, new, at)
    yield from _lost_fields(old, new, at)
    if "items" in old and "items" in new:
        yield from _breaks(old["items"], new["items"], f"{at}[]")


def _lost_alternatives(old: Schema, new: Schema, at: str) -> Iterator[str]:
    offered = new.get("anyOf", [new])
    for before in old.get("anyOf", [old]):
        if all(breaks(before, after, at) for after in offered):
            yield f"{at} is no longer {before.get('type', before)}"


def _types(schema: Schema) -> set[str]:
    named = schema.get("type")
    if named is None:
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        return _JSON_TYPES if values is None else {"a listed value"}
    return {named} if isinstance(named, str) else set(named)


def _accepted(types: set[str]) -> set[str]:
    # Whole numbers are numbers, and any listed value is judged by its list.
    return types | {"a listed value"} | ({"integer"} if "number" in types else set())


def _lost_values(old: Schema, new: Schema, at: str) -> Iterator[str]:
    allowed = _values(new)
    if allowed is None:
        return
    before = _values(old)
    if before is None:
        yield f"{at} is no longer any value"
        return
    for value in before:
        if value not in allowed:
            yield f"{at} is no longer {value!r}"


def _values(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values: list[Any] | None = schema.get("enum")
    return values


def _tightened(old: Schema, new: Schema, at: str) -> Iterator[str]:
    for limits, tighter in ((_FLOORS, float.__gt__), (_CEILINGS, float.__lt__)):
        for limit in limits:
            if limit in new and (
                limit not in old or tighter(float(new[limit]), float(old[limit]))
            ):
                yield f"{at} has a tighter {limit}"
    for limit in _FIXED:
        if limit in new and new[limit] != old.get(limit):
            yield f"{at} has another {limit}"


def _lost_fields(old: Schema, new: Schema, at: str) -> Iterator[str]:
    before, after = old.get("properties", {}), new.get("properties", {})
    for field in before:
        if field not in after:
            yield f"{at}.{field} is gone"
        else:
            yield from _breaks(before[field], after[field], f"{at}.{field}")
    for field in sorted(set(new.get("required", [])) - set(old.get("required", []))):
        yield f"{at}.{field} is now required"
    if (
        new.get("additionalProperties") is False
        and old.get("additionalProperties") is not False
    ):
        yield f"{at} no longer ignores what it does not know"
