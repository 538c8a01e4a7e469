"""Change an item's values by hand: what was seen is what is changed, or nothing is.

The rules run over the form as it will be, before the transaction; inside it the version is
asked again under the row's lock, so of two people who save at once one is told what the other
made of it. What a person said is locked in the same commit.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from services.review.domain.basis import Basis
from services.review.domain.claims import LeaseLost
from services.review.domain.editing import Edited, edited
from services.review.domain.edits import (
    Change,
    Deed,
    NotClaimed,
    StaleForm,
    changed,
    differences,
)
from services.review.domain.invoice_keys import keys_of
from services.review.domain.items import (
    OPEN,
    AlreadyDecided,
    ClaimedByAnother,
    ItemField,
    ReviewItem,
    resource_of,
)
from services.review.domain.locks import Content, lock_of, rows_lock
from services.review.domain.ranking import rank_of
from services.review.domain.rescans import told_by
from services.review.handlers.claiming import get_item
from services.review.handlers.forming import LONG, Form, Look, checked, seen, today_of
from services.review.ports import Ports
from services.review.ports.forms import ItemFindings
from shared.audit.chain import Entry, Json
from shared.contracts.extraction import Finding, Summary, one_line
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.invoice.paths import field_of
from shared.ledger.port import Unit
from shared.observability.metrics import REVIEW_CORRECTIONS

# Of what a person does to a form, what says that the machine was wrong.
CORRECTIONS = {"field_corrected", "field_cleared", "line_inserted", "line_removed"}


@dataclass(frozen=True, slots=True)
class Correction:
    document_id: UUID
    reviewer: str
    # The version that was seen.
    version: int
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class _Made:
    form: Form
    edited: Edited
    reviewer: str
    # The rules', and what the reader noticed.
    findings: Sequence[Finding]


async def correct_fields(asked: Correction, use: Ports) -> ReviewItem:
    item = await get_item(asked.document_id, use)
    await _check(item, asked, use)
    before = await use.items.list_fields(item.document_id)
    made = await _made(item, before, asked, use)

    await failpoint("review.before_commit")
    async with use.ledger.unit() as unit:
        saved = await use.forms.raise_version(
            unit, item.document_id, version=asked.version, reviewer=asked.reviewer
        )
        if saved is not None:
            saved = await _keep(unit, saved, before, made, use)
    await failpoint("review.after_commit")
    if saved is None:
        # Somebody was faster: say what the item is now.
        await _check(await get_item(asked.document_id, use), asked, use)
        raise Retryable("the item keeps changing hands", after_s=1)
    for deed in made.edited.deeds:
        if deed.action in CORRECTIONS:
            REVIEW_CORRECTIONS.labels(field_of(deed.path)).inc()
    return saved


async def preview_fields(asked: Correction, use: Ports) -> tuple[ReviewItem, Look]:
    """What the rules would say of it. Nothing is kept, and nobody has to hold the item."""
    item = await get_item(asked.document_id, use)
    before = await use.items.list_fields(item.document_id)
    made = await _made(item, before, asked, use)
    return item, await seen(item, made.form.fields, made.findings, use)


async def _check(item: ReviewItem, asked: Correction, use: Ports) -> None:
    if item.status not in OPEN:
        raise AlreadyDecided(item)
    if item.version != asked.version:
        edits = await use.forms.list_edits(item.document_id, after=asked.version)
        raise StaleForm(item, asked.version, differences(edits, asked.changes))
    if item.claimed_by_another(asked.reviewer):
        raise ClaimedByAnother(item)
    if not item.claim_holds:
        raise LeaseLost(item) if item.claimed_by == asked.reviewer else NotClaimed(item)


async def _made(
    item: ReviewItem, before: Sequence[ItemField], asked: Correction, use: Ports
) -> _Made:
    habits = use.rules.habits(before)
    change = partial(edited, item.document_id, before, asked.changes, asked.reviewer, habits)
    # Each row that is put in or taken out renumbers those behind it.
    is_long = len(before) * len(asked.changes) > LONG
    made = await asyncio.to_thread(change) if is_long else change()
    form = await checked(made.fields, today_of(item), use)
    found = await use.forms.find_findings(item.document_id)
    findings = [*((found and found.noticed) or ()), *form.failed]
    return _Made(form, made, asked.reviewer, findings)


async def _keep(
    unit: Unit,
    item: ReviewItem,
    before: Sequence[ItemField],
    made: _Made,
    use: Ports,
) -> ReviewItem:
    form, reviewer = made.form, made.reviewer
    document_id, content = item.document_id, Content(item.owner_id, item.sha256)
    old = {one.path: one for one in before}
    written = [one for one in form.fields if old.get(one.path) != one]
    dropped = sorted(old.keys() - {one.path for one in form.fields})
    # Who opens the same bytes elsewhere either sees these locks or waits for them; and two who
    # correct two copies would otherwise take the locks crosswise.
    await use.forms.hold_contents(unit, [content])
    await use.forms.name_actor(unit, reviewer)
    await use.forms.drop_fields(unit, document_id, dropped)
    await use.items.keep_fields(unit, written)
    await use.forms.drop_locks(unit, content, dropped)
    locks = [lock_of(one) for one in written if one.locked_by is not None]
    if made.edited.rows_changed:
        locks.append(rows_lock(reviewer))
    await use.forms.keep_locks(unit, content, locks)
    await use.forms.keep_edit(
        unit,
        document_id,
        version=item.version,
        actor=reviewer,
        changes=changed(before, form.fields),
    )
    await use.forms.keep_findings(unit, [ItemFindings(document_id, form.failed)])
    keys = keys_of(item, form.fields)
    await use.forms.keep_keys(unit, [document_id], [keys] if keys else [])
    await use.forms.retell_sheet(unit, document_id, told_by(form.fields))
    weighed = await _weighed(unit, item, made, use)
    await failpoint("review.in_commit")
    await use.trail.record(unit, *(_entry(item, one, reviewer) for one in made.edited.deeds))
    return weighed


async def _weighed(unit: Unit, item: ReviewItem, made: _Made, use: Ports) -> ReviewItem:
    """Who was named wrongly is looked for by his name, and what is sure now may wait."""
    rank = rank_of(Basis.of_form(item, made.form.fields, made.findings), use.plan)
    values = {one.path: one.value for one in made.form.fields}
    summary = Summary(
        vendor_name=one_line(values.get("seller.name")),
        invoice_number=one_line(values.get("invoice_number")),
    )
    return await use.forms.weigh_item(unit, item.document_id, rank, summary)


def _entry(item: ReviewItem, deed: Deed, reviewer: str) -> Entry:
    return Entry(
        actor=reviewer,
        action=deed.action,
        resource=resource_of(item.document_id),
        before=_said(deed.path, deed.before),
        after={**_said(deed.path, deed.after), "version": item.version},
    )


def _said(path: str, values: Mapping[str, Json] | None) -> dict[str, Json]:
    return {"path": path, **(values or {})}
