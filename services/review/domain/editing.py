"""A form with a person's changes made to it: pure, so that a preview is the same work.

Rows are paths with numbers, so whoever puts one in or takes one out renumbers those behind it.
From then on the person says which rows there are, and every cell of them is the person's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from services.review.domain.edits import (
    Change,
    Deed,
    Op,
    Wrong,
    WrongChanges,
    as_read,
    by_hand,
)
from services.review.domain.form import form_kind
from services.review.domain.items import ItemField
from shared.checks.values import member
from shared.invoice.paths import places
from shared.values.typed import WANTED, FormKind, Habits, typed

LINES = "lines"
ROWS_MAX = 5_000
# Of a row that nobody has filled yet.
BLANK_CELLS = ("description", "quantity", "unit_price", "net_amount")
LOWER_CASE = frozenset({"document.type", "document.language"})


@dataclass(frozen=True, slots=True)
class Edited:
    fields: Sequence[ItemField]
    deeds: Sequence[Deed]
    # Rows were put in or taken out: the person says which there are.
    rows_changed: bool = False


class _Refused(Exception):
    def __init__(self, member: str, sentence: str) -> None:
        super().__init__(sentence)
        self.member = member


@dataclass(slots=True)
class _Form:
    document_id: UUID
    actor: str
    habits: Habits
    fields: dict[str, ItemField]
    deeds: list[Deed] = field(default_factory=list)
    rows_changed: bool = False

    def get(self, path: str) -> ItemField:
        known = self.fields.get(path)
        if known is not None:
            return known
        position = max((one.position for one in self.fields.values()), default=-1) + 1
        return ItemField(
            self.document_id, position, path, None, None, 0.0, "missing", None, evidence=[]
        )

    def put(self, action: str, after: ItemField) -> None:
        before = self.fields.get(after.path)
        self.fields[after.path] = after
        told = None if before is None else _told(before)
        self.deeds.append(Deed(action, after.path, told, _told(after)))


def edited(
    document_id: UUID,
    fields: Sequence[ItemField],
    changes: Sequence[Change],
    actor: str,
    habits: Habits,
) -> Edited:
    form = _Form(document_id, actor, habits, {one.path: one for one in fields})
    wrong = []
    for place, change in enumerate(changes):
        try:
            _OPS[change.op](form, change)
        except _Refused as error:
            wrong.append(Wrong(place, error.member, str(error)))
    if wrong:
        raise WrongChanges(wrong)
    if form.rows_changed:
        _take_over_rows(form)
    return Edited(list(form.fields.values()), form.deeds, form.rows_changed)


def _set(form: _Form, change: Change) -> None:
    if change.value is None or not change.value.strip():
        _clear(form, change)
        return
    kind = _kind(form, change.path)
    value = typed(kind, change.value, form.habits)
    if value is None:
        raise _Refused("value", f"This is not {WANTED[kind]}.")
    if change.path in LOWER_CASE:
        value = value.lower()
    before = form.get(change.path)
    if value == before.value:
        _confirm(form, change)
    elif before.machine is not None and value == before.machine["value"]:
        form.put("field_confirmed", as_read(before, form.actor))
    else:
        after = by_hand(before, value, form.actor, raw=change.value.strip())
        form.put("field_corrected", _shown(after, change))


def _shown(field: ItemField, change: Change) -> ItemField:
    """Where the person pointed; without that, where it was seen before."""
    if change.evidence is None:
        return field
    return replace(field, evidence=list(change.evidence))


def _kind(form: _Form, path: str) -> FormKind:
    kind = form_kind(path)
    if kind is None:
        raise _Refused("path", "No invoice has such a field.")
    split = member(path)
    if split is not None:
        count = _count(form, split[0])
        if split[1] > count or split[1] >= ROWS_MAX:
            raise _Refused("path", f"There are only {count} of these.")
    return kind


def _confirm(form: _Form, change: Change) -> None:
    before = form.fields.get(change.path)
    if before is None or before.value is None:
        raise _Refused("path", "There is no value to confirm.")
    after = replace(before, status="confirmed", locked_by=form.actor)
    form.put("field_confirmed", _shown(after, change))


def _clear(form: _Form, change: Change) -> None:
    _kind(form, change.path)
    form.put("field_cleared", by_hand(form.get(change.path), None, form.actor))


def _insert_line(form: _Form, change: Change) -> None:
    _open_gap(form, change.at, change.at <= _count(form, LINES))
    for cell in BLANK_CELLS:
        blank = form.get(f"{LINES}.{change.at}.{cell}")
        form.fields[blank.path] = by_hand(blank, None, form.actor)
    form.deeds.append(Deed("line_inserted", f"{LINES}.{change.at}", None, None))


def _duplicate_line(form: _Form, change: Change) -> None:
    row = _row(form, change.at)
    _open_gap(form, change.at + 1, bool(row))
    for cell, one in row.items():
        copy = form.get(f"{LINES}.{change.at + 1}.{cell}")
        form.fields[copy.path] = by_hand(copy, one.value, form.actor, raw=one.raw)
    form.deeds.append(Deed("line_duplicated", f"{LINES}.{change.at}", None, _values(row)))


def _remove_line(form: _Form, change: Change) -> None:
    row = _row(form, change.at)
    if not row:
        raise _Refused("at", "There is no such line.")
    for one in row.values():
        del form.fields[one.path]
    _renumber(form, change.at + 1, -1)
    form.deeds.append(Deed("line_removed", f"{LINES}.{change.at}", _values(row), None))


def _open_gap(form: _Form, at: int, there: bool) -> None:
    if not there:
        raise _Refused("at", "There is no such line.")
    if _count(form, LINES) >= ROWS_MAX:
        raise _Refused("at", f"No invoice here has more than {ROWS_MAX} lines.")
    _renumber(form, at, 1)


def _renumber(form: _Form, at: int, by: int) -> None:
    """The rows from this one on, each so much further down."""
    form.rows_changed = True
    moved: dict[str, ItemField] = {}
    for path, one in form.fields.items():
        split = member(path) if path.startswith(f"{LINES}.") else None
        if split is None or split[1] < at:
            moved[path] = one
        else:
            new = f"{LINES}.{split[1] + by}.{split[2]}"
            moved[new] = replace(one, path=new)
    form.fields = moved


def _take_over_rows(form: _Form) -> None:
    for path, one in form.fields.items():
        if path.startswith(f"{LINES}.") and one.locked_by is None:
            form.fields[path] = replace(one, locked_by=form.actor)


def _count(form: _Form, name: str) -> int:
    return max(places(form.fields, name), default=-1) + 1


def _row(form: _Form, at: int) -> dict[str, ItemField]:
    start = f"{LINES}.{at}."
    return {
        path.removeprefix(start): one
        for path, one in form.fields.items()
        if path.startswith(start)
    }


def _values(row: Mapping[str, ItemField]) -> dict[str, object]:
    return {cell: one.value for cell, one in row.items()}


def _told(one: ItemField) -> dict[str, object]:
    told: dict[str, object] = {"value": one.value, "status": one.status, "source": one.source}
    if one.evidence:
        told["evidence"] = list(one.evidence)
    return told


_OPS: Mapping[Op, Callable[[_Form, Change], None]] = {
    "set": _set,
    "confirm": _confirm,
    "clear": _clear,
    "insert_line": _insert_line,
    "remove_line": _remove_line,
    "duplicate_line": _duplicate_line,
}
