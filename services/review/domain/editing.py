"""A form with a person's changes made to it: pure, so that a preview is the same work.

Rows are paths with numbers, so whoever puts one in or takes one out renumbers those behind it.
From then on the person says which rows there are, and every cell of them is the person's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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


class _Form:
    """Rows are kept as rows while they are changed, and get their numbers at the end: to number
    them anew at each change would cost as much again for each."""

    def __init__(
        self, document_id: UUID, fields: Sequence[ItemField], actor: str, habits: Habits
    ) -> None:
        self.actor = actor
        self.habits = habits
        self.deeds: list[Deed] = []
        self.rows_changed = False
        self.rows: list[dict[str, ItemField]] = []
        self._document_id = document_id
        self._fields: dict[str, ItemField] = {}
        self._counts: dict[str, int] = {}
        self._last = max((one.position for one in fields), default=-1)
        for one in fields:
            self._keep(one.path, one)

    def find(self, path: str) -> ItemField | None:
        row, cell = self._cell(path)
        known = self._fields.get(path) if row is None else row.get(cell)
        # Its row may have another number by now.
        return known if known is None or known.path == path else replace(known, path=path)

    def get(self, path: str) -> ItemField:
        return self.find(path) or ItemField(
            self._document_id,
            self._last + 1,
            path,
            None,
            None,
            0.0,
            "missing",
            None,
            evidence=[],
        )

    def put(self, action: str, after: ItemField) -> None:
        before = self.find(after.path)
        self.keep(after)
        told = None if before is None else _told(before)
        self.deeds.append(Deed(action, after.path, told, _told(after)))

    def keep(self, field: ItemField) -> None:
        self._last = max(self._last, field.position)
        self._keep(field.path, field)

    def count(self, name: str) -> int:
        return len(self.rows) if name == LINES else self._counts.get(name, 0)

    def numbered(self) -> list[ItemField]:
        """All of it; of rows that were put in or taken out, every cell is the person's."""
        cells = [
            replace(one, path=path) if one.path != path else one
            for number, row in enumerate(self.rows)
            for cell, one in row.items()
            for path in (f"{LINES}.{number}.{cell}",)
        ]
        if self.rows_changed:
            cells = [
                one if one.locked_by is not None else replace(one, locked_by=self.actor)
                for one in cells
            ]
        return [*self._fields.values(), *cells]

    def _keep(self, path: str, field: ItemField) -> None:
        split = member(path)
        if split is None:
            self._fields[path] = field
            return
        name, place, cell = split
        if name != LINES:
            self._fields[path] = field
            self._counts[name] = max(self._counts.get(name, 0), place + 1)
            return
        self.rows += [{} for _ in range(place + 1 - len(self.rows))]
        self.rows[place][cell] = field

    def _cell(self, path: str) -> tuple[dict[str, ItemField] | None, str]:
        split = member(path)
        if split is None or split[0] != LINES:
            return None, path
        return (self.rows[split[1]] if split[1] < len(self.rows) else {}), split[2]


def edited(
    document_id: UUID,
    fields: Sequence[ItemField],
    changes: Sequence[Change],
    actor: str,
    habits: Habits,
) -> Edited:
    form = _Form(document_id, fields, actor, habits)
    wrong = []
    for place, change in enumerate(changes):
        try:
            _OPS[change.op](form, change)
        except _Refused as error:
            wrong.append(Wrong(place, error.member, str(error)))
    if wrong:
        raise WrongChanges(wrong)
    return Edited(form.numbered(), form.deeds, form.rows_changed)


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
        count = form.count(split[0])
        if split[1] > count or split[1] >= ROWS_MAX:
            raise _Refused("path", f"There are only {count} of these.")
    return kind


def _confirm(form: _Form, change: Change) -> None:
    before = form.find(change.path)
    if before is None or before.value is None:
        raise _Refused("path", "There is no value to confirm.")
    after = replace(before, status="confirmed", locked_by=form.actor)
    form.put("field_confirmed", _shown(after, change))


def _clear(form: _Form, change: Change) -> None:
    _kind(form, change.path)
    form.put("field_cleared", by_hand(form.get(change.path), None, form.actor))


def _insert_line(form: _Form, change: Change) -> None:
    _open_gap(form, change.at, change.at <= len(form.rows))
    for cell in BLANK_CELLS:
        form.keep(by_hand(form.get(f"{LINES}.{change.at}.{cell}"), None, form.actor))
    form.deeds.append(Deed("line_inserted", f"{LINES}.{change.at}", None, None))


def _duplicate_line(form: _Form, change: Change) -> None:
    row = _row(form, change.at)
    _open_gap(form, change.at + 1, bool(row))
    for cell, one in row.items():
        copy = form.get(f"{LINES}.{change.at + 1}.{cell}")
        form.keep(by_hand(copy, one.value, form.actor, raw=one.raw))
    form.deeds.append(Deed("line_duplicated", f"{LINES}.{change.at}", None, _values(row)))


def _remove_line(form: _Form, change: Change) -> None:
    row = _row(form, change.at)
    if not row:
        raise _Refused("at", "There is no such line.")
    del form.rows[change.at]
    form.rows_changed = True
    form.deeds.append(Deed("line_removed", f"{LINES}.{change.at}", _values(row), None))


def _open_gap(form: _Form, at: int, there: bool) -> None:
    if not there:
        raise _Refused("at", "There is no such line.")
    if len(form.rows) >= ROWS_MAX:
        raise _Refused("at", f"No invoice here has more than {ROWS_MAX} lines.")
    form.rows.insert(at, {})
    form.rows_changed = True


def _row(form: _Form, at: int) -> Mapping[str, ItemField]:
    return form.rows[at] if at < len(form.rows) else {}


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
