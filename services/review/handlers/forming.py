"""From what was read to the form that a person is shown, and what the rules say of it.

A form is checked when its item is opened and whenever a value changes, never when it is looked
at: what is shown is what was found. What twins an invoice has is asked at each look, because
the other one may have come later.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from uuid import UUID

from services.review.domain.claims import SYSTEM
from services.review.domain.edits import changed
from services.review.domain.form import ordered
from services.review.domain.invoice_keys import keys_of
from services.review.domain.items import (
    ItemField,
    NewItem,
    ReviewItem,
    fields_of,
    resource_of,
)
from services.review.domain.locks import Content, Lock, with_locks
from services.review.domain.rescans import sheet_of, told_by
from services.review.domain.rules import Rules, failed
from services.review.domain.states import Standing, standings
from services.review.domain.sums import Sums, sums_of
from services.review.domain.twins import CODES, Twin, twin_findings
from services.review.handlers.comparing import find_twins
from services.review.ports import Ports
from services.review.ports.forms import ItemFindings
from shared.audit.chain import Entry
from shared.checks.assessment import Assessment
from shared.contracts.extraction import ExtractionV1, Finding
from shared.invoice.fields import Alternative, Field
from shared.ledger.port import Unit

# More than that is thought about beside the loop: everybody else would wait for it.
LONG = 5_000
# Worked out and not read: it is only as good as everything that went into it.
COMPUTED_MAX = 0.6


@dataclass(frozen=True, slots=True)
class Form:
    """Values, and what the rules say of them."""

    fields: Sequence[ItemField]
    failed: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class Before:
    """What somebody may still be looking at."""

    item: ReviewItem
    fields: Sequence[ItemField]


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that is shown for the first time, or anew: then `before` is what it was."""

    item: NewItem
    form: Form
    extraction: ExtractionV1
    before: Before | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """All that is shown of an item's values."""

    fields: Sequence[ItemField]
    standings: dict[str, Standing]
    findings: Sequence[Finding]
    sums: Sums
    twins: Sequence[Twin]


async def checked(fields: Sequence[ItemField], today: date, use: Ports) -> Form:
    """With what follows from the others worked out anew, and repairs offered."""
    if len(fields) > LONG:
        return await asyncio.to_thread(_checked, fields, today, use.rules)
    return _checked(fields, today, use.rules)


def _checked(fields: Sequence[ItemField], today: date, rules: Rules) -> Form:
    plain = [one for one in fields if not _is_worked_out(one)]
    found = rules.assess(plain, today)
    return Form(_with_computed(fields, plain, found), failed(found))


def _is_worked_out(field: ItemField) -> bool:
    return field.status == "computed" and field.locked_by is None


def _with_computed(
    fields: Sequence[ItemField], plain: Sequence[ItemField], found: Assessment
) -> list[ItemField]:
    told = {one.path: _repaired(one, found) for one in plain}
    known = {one.path: one for one in fields}
    for path, value in found.computed.items():
        before = told.get(path) or known.get(path)
        if before is None and fields:
            before = _blank(fields, len(told))
        if before is not None and before.value is None and before.locked_by is not None:
            # A person said that there is none.
            continue
        if before is not None and before.value == value.value:
            # As sure as it was said to be when it was worked out first.
            told[path] = before
        elif before is not None:
            told[path] = replace(before, path=path, **_worked_out(value))
    return list(told.values())


def _blank(fields: Sequence[ItemField], added: int) -> ItemField:
    last = max(one.position for one in fields)
    return ItemField(
        fields[0].document_id, last + added, "", None, None, 0.0, "missing", None, evidence=[]
    )


def _worked_out(value: Field) -> dict[str, Any]:
    return {
        "value": value.value,
        "raw": None,
        "confidence": min(COMPUTED_MAX, round(value.confidence, 4)),
        "status": value.status,
        "source": value.source,
    }


def _repaired(field: ItemField, found: Assessment) -> ItemField:
    kept = [one for one in field.alternatives if one["source"] != "rule"]
    known = {field.value, *(one["value"] for one in kept)}
    offered = found.alternatives.get(field.path, ())
    added = [_offer(one) for one in offered if one.value not in known]
    alternatives = [*kept, *added]
    return replace(field, alternatives=alternatives) if _differs(field, alternatives) else field


def _differs(field: ItemField, alternatives: Sequence[dict[str, Any]]) -> bool:
    return list(field.alternatives) != list(alternatives)


def _offer(one: Alternative) -> dict[str, Any]:
    return {
        "value": one.value,
        "raw": one.raw,
        "source": one.source,
        "confidence": one.confidence,
    }


def today_of(item: NewItem) -> date:
    """The day on which it came, so that the same document is judged the same tomorrow."""
    return item.accepted_at.date()


async def read_form(extraction: ExtractionV1, use: Ports) -> Form:
    """As it was read: what follows from it, and what may be misread, was said by the reader."""
    fields = fields_of(extraction)
    plain = [one for one in fields if not _is_worked_out(one)]
    today = extraction.accepted_at.date()
    if len(plain) > LONG:
        return Form(fields, await asyncio.to_thread(use.rules.failed, plain, today))
    return Form(fields, use.rules.failed(plain, today))


async def forms_before(
    unit: Unit, items: Sequence[ReviewItem], use: Ports
) -> dict[UUID, Before]:
    return {
        one.document_id: Before(one, await use.items.list_fields(one.document_id, unit))
        for one in items
    }


async def keep_forms(unit: Unit, shown: Sequence[Shown], use: Ports) -> list[Entry]:
    """The forms of items just opened or read anew, with what people said of these bytes; and
    what the audit log is to say of that."""
    contents = sorted({_content(one.item) for one in shown})
    await use.forms.hold_contents(unit, contents)
    locks = await use.forms.find_locks(unit, contents)
    forms = [
        (one, await _inherited(one, locks.get(_content(one.item), ()), use)) for one in shown
    ]
    for one, form in forms:
        if one.before is not None:
            await _note_rereading(unit, one.before, form, use)
    found = [
        ItemFindings(one.item.document_id, form.failed, use.rules.noticed(one.extraction))
        for one, form in forms
    ]
    keys = [keys_of(one.item, form.fields) for one, form in forms]
    await use.items.keep_fields(unit, [field for _, form in forms for field in form.fields])
    await use.forms.keep_findings(unit, found)
    # Of an item that was just opened nothing is kept that could be in the way.
    known = [one.item.document_id for one in shown if one.before is not None]
    await use.forms.keep_keys(unit, known, [one for one in keys if one])
    sheets = [sheet_of(one.extraction, told_by(form.fields)) for one, form in forms]
    await use.forms.keep_sheets(unit, known, [one for one in sheets if one])
    return [
        _inheritance(one.item, theirs)
        for one in shown
        if (theirs := locks.get(_content(one.item), ()))
    ]


def _inheritance(item: NewItem, locks: Sequence[Lock]) -> Entry:
    """Whose words stand on the form from its first moment on."""
    told = {one.path: one.locked_by for one in locks}
    return Entry(SYSTEM, "locks_inherited", resource_of(item.document_id), after=told)


def _content(item: NewItem) -> Content:
    return Content(item.owner_id, item.sha256)


async def _inherited(one: Shown, locks: Sequence[Lock], use: Ports) -> Form:
    if not locks:
        return one.form
    return await checked(with_locks(one.form.fields, locks), today_of(one.item), use)


async def _note_rereading(unit: Unit, before: Before, form: Form, use: Ports) -> None:
    """For whoever looks at an earlier version: what the new reading made different."""
    await use.forms.keep_edit(
        unit,
        before.item.document_id,
        version=before.item.version + 1,
        actor=SYSTEM,
        changes=changed(before.fields, form.fields),
    )


async def look_at(item: ReviewItem, use: Ports) -> Look:
    fields = await use.items.list_fields(item.document_id)
    found = await use.forms.find_findings(item.document_id)
    if found is None:
        form = await checked(fields, today_of(item), use)
        return await seen(item, fields, form.failed, use)
    return await seen(item, fields, found.all, use)


async def seen(
    item: ReviewItem, fields: Sequence[ItemField], findings: Sequence[Finding], use: Ports
) -> Look:
    twins = await find_twins(item, fields, use)
    told = [*findings, *twin_findings(twins, use.plan.review.duplicates)]
    shown = ordered([*fields, *_expected(item.document_id, fields, use.rules)])
    return Look(shown, standings(shown, told, use.rules), told, sums_of(fields), twins)


async def findings_of(
    item: ReviewItem, use: Ports, *, unattended: bool = False
) -> list[Finding]:
    """What is to be said against the item's values as they are now, for whoever decides on
    them. A twin that was rejected is no second invoice, and is not kept as one."""
    look = await look_at(item, use)
    left = [one for one in look.twins if not one.is_rejected]
    told = [one for one in look.findings if one.code not in CODES]
    asked = use.plan.review.duplicates
    return [*told, *twin_findings(left, asked, unattended=unattended)]


def _expected(document_id: UUID, fields: Sequence[ItemField], rules: Rules) -> list[ItemField]:
    there = {one.path for one in fields}
    last = max((one.position for one in fields), default=-1)
    return [
        ItemField(document_id, last + at, path, None, None, 0.0, "missing", None, evidence=[])
        for at, path in enumerate((one for one in rules.expected if one not in there), 1)
    ]
