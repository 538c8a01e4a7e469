"""Items and fields between the domain and the rows of PostgreSQL."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from pydantic_core import to_json

from services.review.domain.items import ItemField, ItemStatus, NewItem, ReviewItem
from services.review.domain.listing import Wanted
from shared.contracts.body import Priority
from shared.database.pool import Row

# What means something else in a pattern.
_LIKE = re.compile(r"[%_\\]")
_COLUMNS = tuple(field.name for field in fields(ReviewItem))
_NEW = tuple(field.name for field in fields(NewItem))
INSTEAD = "\ufffd"
# As JSON writes it. A text that only looks so is looked at closely, for nothing.
_NUL = "\\u0000"


def item_or_none(row: Row | None) -> ReviewItem | None:
    return known_item(row) if row else None


def known_item(row: Row) -> ReviewItem:
    # By name, so that a column added for a newer version does not stop an older process.
    values = {name: row[name] for name in _COLUMNS}
    values["priority"] = Priority(values["priority"])
    values["status"] = ItemStatus(values["status"])
    return ReviewItem(**values)


def new_row(item: NewItem) -> dict[str, object]:
    row: dict[str, object] = {name: getattr(item, name) for name in _NEW}
    row["document_id"] = str(item.document_id)
    row["job_id"] = str(item.job_id)
    row["accepted_at"] = item.accepted_at.isoformat()
    row["due_at"] = item.due_at.isoformat()
    row["priority"] = int(item.priority)
    return storable(row)


def field_columns(fields: Sequence[ItemField]) -> tuple[list[Any], ...]:
    """In the order of the statement: dozens of rows for each document cost less by column."""
    return (
        [one.document_id for one in fields],
        _texts(one.path for one in fields),
        [one.position for one in fields],
        _texts(one.value for one in fields),
        _texts(one.raw for one in fields),
        [one.confidence for one in fields],
        _texts(one.status for one in fields),
        _texts(one.source for one in fields),
        _documents(one.evidence for one in fields),
        _documents(one.alternatives for one in fields),
        _documents(one.machine for one in fields),
        _texts(one.locked_by for one in fields),
    )


def _texts(values: Iterable[str | None]) -> list[str | None]:
    told = list(values)
    # Nearly none has one, and one look at all of them says so.
    if "\0" not in "".join(filter(None, told)):
        return told
    return [None if one is None else one.replace("\0", INSTEAD) for one in told]


def _documents(values: Iterable[object]) -> list[str | None]:
    """As texts that the statement makes JSON of: nothing goes through the connection's own way
    of writing JSON, value by value."""
    return [_document(one) for one in values]


def _document(value: object) -> str | None:
    if value is None:
        return None
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    text = to_json(value).decode()
    return text if _NUL not in text else to_json(_without_nul(value)).decode()


def asked(wanted: Wanted) -> tuple[object, ...]:
    """The filters of a list, in the order in which both of its statements take them."""
    return (
        wanted.status,
        wanted.holder,
        wanted.level,
        wanted.due_from,
        wanted.due_until,
        _pattern(wanted.beginning),
    )


def _pattern(beginning: str | None) -> str | None:
    return None if beginning is None else _LIKE.sub(r"\\\g<0>", beginning) + "%"


def storable(row: dict[str, object]) -> dict[str, object]:
    # PostgreSQL's text knows no NUL, and a PDF's text layer may well hold one.
    return {name: _without_nul(value) for name, value in row.items()}


def _without_nul(value: object) -> object:
    match value:
        case str():
            return value.replace("\0", INSTEAD)
        case list():
            return [_without_nul(one) for one in value]
        case dict():
            return {name: _without_nul(one) for name, one in value.items()}
        case _:
            return value
