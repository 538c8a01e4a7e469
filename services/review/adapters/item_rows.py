"""Items and fields between the domain and the rows of PostgreSQL."""

import re
from dataclasses import fields

from services.review.domain.items import ItemField, ItemStatus, NewItem, ReviewItem
from services.review.domain.listing import Wanted
from shared.contracts.body import Priority
from shared.database.pool import Row

# What means something else in a pattern.
_LIKE = re.compile(r"[%_\\]")
_COLUMNS = tuple(field.name for field in fields(ReviewItem))


def item_or_none(row: Row | None) -> ReviewItem | None:
    return known_item(row) if row else None


def known_item(row: Row) -> ReviewItem:
    # By name, so that a column added for a newer version does not stop an older process.
    values = {name: row[name] for name in _COLUMNS}
    values["priority"] = Priority(values["priority"])
    values["status"] = ItemStatus(values["status"])
    return ReviewItem(**values)


def new_row(item: NewItem) -> dict[str, object]:
    row: dict[str, object] = {field.name: getattr(item, field.name) for field in fields(item)}
    row["document_id"] = str(item.document_id)
    row["job_id"] = str(item.job_id)
    row["accepted_at"] = item.accepted_at.isoformat()
    row["due_at"] = item.due_at.isoformat()
    row["priority"] = int(item.priority)
    return storable(row)


def field_row(field: ItemField) -> dict[str, object]:
    row: dict[str, object] = {one.name: getattr(field, one.name) for one in fields(field)}
    row["document_id"] = str(field.document_id)
    return storable(row)


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
            return value.replace("\0", "\ufffd")
        case list():
            return [_without_nul(one) for one in value]
        case dict():
            return {name: _without_nul(one) for name, one in value.items()}
        case _:
            return value
