"""What a person asks to be changed on a form, and what came of it.

All or nothing: of several changes one that cannot be read stops them all, and each that cannot
is told with its place. The words of a person become values here; whether they are right is
for the rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from services.review.domain.items import ItemField, NotAllowed, ReviewItem, StaleVersion

Op = Literal["set", "confirm", "clear", "insert_line", "remove_line", "duplicate_line"]
HUMAN = "human"


@dataclass(frozen=True, slots=True)
class Change:
    op: Op
    path: str = ""
    value: str | None = None
    # Where on the page the person saw it, if the person showed it.
    evidence: Sequence[dict[str, Any]] | None = None
    at: int = 0


@dataclass(frozen=True, slots=True)
class Deed:
    """One change as the audit log tells it."""

    action: str
    path: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class PathChange:
    """How one path differs between two versions of an item."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Edit:
    """What one version of an item changed, and by whom."""

    version: int
    actor: str
    at: str
    changes: Sequence[PathChange]


@dataclass(frozen=True, slots=True)
class Difference:
    """What somebody else made of a path meanwhile, beside what was asked for."""

    path: str
    yours: str | None
    theirs: str | None
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Wrong:
    place: int
    member: str
    sentence: str


class WrongChanges(ValueError):
    """Nothing was changed: some of it cannot be read."""

    def __init__(self, wrong: Sequence[Wrong]) -> None:
        super().__init__(f"{len(wrong)} changes cannot be made")
        self.wrong = wrong


class NotClaimed(NotAllowed):
    """Only who holds an item changes it: everybody else would write over the holder."""

    def __init__(self, item: ReviewItem) -> None:
        super().__init__(item, "the item is in nobody's hands; claim it first")


class StaleForm(StaleVersion):
    """Somebody changed the form since it was looked at; here is what."""

    def __init__(self, item: ReviewItem, seen: int, differences: Sequence[Difference]) -> None:
        super().__init__(item, seen)
        self.differences = differences


def differences(edits: Sequence[Edit], changes: Sequence[Change]) -> list[Difference]:
    """The last word on each path that changed, and what was about to be said of it."""
    asked = {one.path: one.value for one in changes if one.op in ("set", "clear")}
    found: dict[str, Difference] = {}
    for edit in sorted(edits, key=lambda one: one.version):
        for one in edit.changes:
            found[one.path] = Difference(
                one.path, asked.get(one.path), one.after, edit.actor, edit.at
            )
    return list(found.values())


def changed(before: Sequence[ItemField], after: Sequence[ItemField]) -> list[PathChange]:
    old = {one.path: one for one in before}
    new = {one.path: one for one in after}
    return [
        PathChange(path, _value(old.get(path)), _value(new.get(path)))
        for path in dict.fromkeys([*old, *new])
        if _value(old.get(path)) != _value(new.get(path))
    ]


def _value(field: ItemField | None) -> str | None:
    return None if field is None else field.value


def machine_of(field: ItemField) -> dict[str, Any] | None:
    """What was read there, to be kept beside a person's value."""
    if field.source == HUMAN:
        return field.machine
    if field.value is None and field.raw is None:
        return None
    return {
        "value": field.value,
        "raw": field.raw,
        "confidence": field.confidence,
        "status": field.status,
        "source": field.source,
        "evidence": list(field.evidence),
    }


def by_hand(
    field: ItemField, value: str | None, actor: str, raw: str | None = None
) -> ItemField:
    """A person's value in place of the machine's. Where it stood the eye looks again."""
    return replace(
        field,
        value=value,
        raw=raw,
        confidence=0.0 if value is None else 1.0,
        status="missing" if value is None else "corrected",
        source=HUMAN,
        machine=machine_of(field),
        locked_by=actor,
    )


def as_read(field: ItemField, actor: str) -> ItemField:
    """A person says that the machine was right after all."""
    read = field.machine or {}
    return replace(field, **{**read, "status": "confirmed"}, machine=None, locked_by=actor)
