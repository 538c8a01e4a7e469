"""What a person said of a content, laid over every later reading of the same bytes.

The person's value stays, the machine's is offered beside it. Where a person said which rows
there are, the rows of a new reading are another table, of which nothing is taken over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from services.review.domain.editing import LINES
from services.review.domain.edits import HUMAN, machine_of
from services.review.domain.items import ItemField

ALTERNATIVES_MAX = 5


class Content(NamedTuple):
    """Bytes of one owner. Other owners may have the same, and learn nothing of each other."""

    owner_id: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Lock:
    """A person's word on one path; on `lines`, that the person says which rows there are."""

    path: str
    value: str | None
    raw: str | None
    confidence: float
    status: str
    source: str | None
    evidence: Sequence[dict[str, Any]]
    locked_by: str


def rows_lock(actor: str) -> Lock:
    return Lock(LINES, None, None, 1.0, "corrected", HUMAN, (), actor)


def lock_of(field: ItemField) -> Lock:
    return Lock(
        field.path,
        field.value,
        field.raw,
        field.confidence,
        field.status,
        field.source,
        list(field.evidence),
        field.locked_by or "",
    )


def with_locks(fields: Sequence[ItemField], locks: Iterable[Lock]) -> list[ItemField]:
    held = {one.path: one for one in locks}
    if not held:
        return list(fields)
    rows_are_held = held.pop(LINES, None) is not None
    told: dict[str, ItemField] = {}
    for one in fields:
        if one.path in held:
            told[one.path] = _over(one, held[one.path], rows_are_held)
        elif not (rows_are_held and one.path.startswith(f"{LINES}.")):
            told[one.path] = one
    document_id = fields[0].document_id if fields else None
    last = max((one.position for one in fields), default=-1)
    for path, lock in held.items():
        if path not in told and document_id is not None:
            last += 1
            blank = ItemField(
                document_id, last, path, None, None, 0.0, "missing", None, evidence=[]
            )
            told[path] = _over(blank, lock, True)
    return list(told.values())


def _over(read: ItemField, lock: Lock, of_another_row: bool) -> ItemField:
    another = of_another_row and read.path.startswith(f"{LINES}.")
    machine = None if another else machine_of(read)
    agrees = machine is not None and machine["value"] == lock.value
    if agrees and lock.source != HUMAN:
        # Read again as it was confirmed: what is known of the newer reading is as good.
        return replace(read, status=lock.status, locked_by=lock.locked_by)
    return replace(
        read,
        value=lock.value,
        raw=lock.raw,
        confidence=lock.confidence,
        status=lock.status,
        source=lock.source,
        evidence=list(lock.evidence),
        alternatives=() if another else read.alternatives,
        machine=machine,
        locked_by=lock.locked_by,
    )


def candidates_of(field: ItemField) -> list[Mapping[str, Any]]:
    """What else it may be, the best first: what was read where a person's value stands now,
    then what another engine read or a repair would make of it."""
    others = sorted(field.alternatives, key=lambda one: -one["confidence"])
    offered = [*([field.machine] if field.machine else []), *others]
    unique: dict[str, Mapping[str, Any]] = {}
    for one in offered:
        if one.get("value") and one["value"] != field.value:
            unique.setdefault(one["value"], one)
    return list(unique.values())[:ALTERNATIVES_MAX]
