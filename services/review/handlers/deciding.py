"""Record what a person decided, and tell storage in the same commit.

The reviewed extraction is written before the transaction: a decision that then loses a race has
written it for nothing, and there is never an order for bytes that are not there.
Nothing here knows of HTTP: the machine approves by the same functions, as `system`.
"""

from uuid import UUID

from services.review.domain.claims import SYSTEM
from services.review.domain.corrections import is_corrected, reviewed
from services.review.domain.decisions import (
    AlreadySplit,
    Approval,
    Blocked,
    UnknownOriginal,
    blockers_of,
    is_settled_as,
)
from services.review.domain.four_eyes import check_four_eyes
from services.review.domain.items import (
    Decision,
    NoSuchItem,
    NotAllowed,
    ReviewItem,
    check_decidable,
    resource_of,
)
from services.review.handlers.announcing import announce
from services.review.handlers.claiming import LOOKS_MAX, check_theirs, get_item
from services.review.handlers.drafts import drop_draft, write_draft
from services.review.handlers.forming import findings_of
from services.review.handlers.opening import read_extraction
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import REVIEW_ACTIONS, REVIEW_DECISIONS, REVIEW_SECONDS


async def approve_item(
    document_id: UUID,
    reviewer: str,
    version: int,
    use: Ports,
    *,
    override: str | None = None,
    lead: bool = False,
) -> ReviewItem:
    """Called `corrected` when a person changed a value. `override` says why it is right
    although something blocks."""
    asked = Approval(document_id, reviewer, version, override, lead)
    seen = Decision(document_id, version, reviewer, "approved")
    item = await get_item(document_id, use)
    if is_settled_as(item, seen):
        return item
    check_decidable(item, seen)
    return await decide(await prepare_approval(item, asked, use), use)


async def prepare_approval(item: ReviewItem, asked: Approval, use: Ports) -> Decision:
    """The decision, ready for a commit: what was approved lies in the object store."""
    context = await use.decisions.find_context(
        item.document_id, actor=asked.actor, undo_s=use.limits.undo_s
    )
    if context.children:
        raise AlreadySplit(item)
    read = await read_extraction(item.extraction_key, use)
    # As they are now: an edit since would have raised the version, and the commit asks for it.
    fields = await use.items.list_fields(item.document_id)
    check_four_eyes(item, fields, context.authors, asked.actor, use.plan.review.four_eyes)
    found = await findings_of(item, use, unattended=asked.actor == SYSTEM)
    approved = reviewed(read, fields, found)
    blockers = blockers_of(approved)
    if blockers and not asked.override:
        raise Blocked(item, blockers)
    kept = await write_draft(item.document_id, approved, use)
    return Decision(
        item.document_id,
        asked.version,
        asked.actor,
        "corrected" if is_corrected(fields, read) else "approved",
        reviewed_key=kept,
        reason=asked.override if blockers else None,
        overridden=[one.code for one in blockers],
        lead=asked.lead,
    )


async def reject_item(decision: Decision, use: Ports) -> ReviewItem:
    item = await get_item(decision.document_id, use)
    if is_settled_as(item, decision):
        return item
    check_decidable(item, decision)

    return await decide(decision, use)


async def mark_duplicate(decision: Decision, use: Ports) -> ReviewItem:
    """A rejection that names the document in whose place this one is not needed."""
    item = await get_item(decision.document_id, use)
    if is_settled_as(item, decision):
        return item
    check_decidable(item, decision)
    named = decision.duplicate_of
    original = await use.items.find_item(named) if named else None
    if original is None or original.owner_id != item.owner_id or named == item.document_id:
        raise UnknownOriginal(str(named))
    return await decide(decision, use)


async def record_decision(unit: Unit, decision: Decision, use: Ports) -> ReviewItem | None:
    """All that a decision is, in the caller's unit; its last act, because of the audit log.

    None when the item is no longer the one that was judged."""
    item = await use.items.decide_item(unit, decision)
    if item is not None:
        if decision.parts:
            await use.decisions.keep_parts(unit, item.document_id, decision.parts)
        if decision.reviewed_key is not None:
            await use.decisions.forget_draft(unit, decision.reviewed_key)
        announce(unit, item, decision)
        await failpoint("review.in_commit")
        await use.trail.record(unit, _entry(item, decision))
    return item


def count_decision(decision: Decision) -> None:
    """Once it is committed."""
    REVIEW_DECISIONS.labels(decision.verdict).inc()
    if decision.overridden:
        REVIEW_ACTIONS.labels("override").inc()
    if decision.duplicate_of is not None:
        REVIEW_ACTIONS.labels("duplicate").inc()
    if decision.parts:
        REVIEW_ACTIONS.labels("split").inc()


async def decide(decision: Decision, use: Ports) -> ReviewItem:
    """In one commit, or not at all; whoever was faster is named."""
    try:
        item = await _decide(decision, use)
    except (NotAllowed, NoSuchItem):
        await drop_draft(decision.reviewed_key, use)
        raise
    if item.reviewed_key != decision.reviewed_key:
        await drop_draft(decision.reviewed_key, use)
    return item


async def _decide(decision: Decision, use: Ports) -> ReviewItem:
    for _ in range(LOOKS_MAX):
        await failpoint("review.before_commit")
        async with use.ledger.unit() as unit:
            item = await record_decision(unit, decision, use)
        if item is not None:
            await failpoint("review.after_commit")
            count_decision(decision)
            REVIEW_SECONDS.observe(item.seconds_spent)
            return item
        # Somebody was faster than our commit: say what the item is now.
        item = await get_item(decision.document_id, use)
        if is_settled_as(item, decision):
            return item
        check_decidable(item, decision)
        await check_theirs(item.document_id, decision.reviewer, use, lead=decision.lead)
        # What was in our way has just gone: a claim that ended between our two looks.
    raise Retryable("the item keeps changing hands", after_s=1)


def _entry(item: ReviewItem, decision: Decision) -> Entry:
    return Entry(
        actor=decision.reviewer,
        action=f"item_{decision.verdict}",
        resource=resource_of(item.document_id),
        before={"version": decision.version},
        after={
            "version": item.version,
            "revision": item.revision,
            "result_version": item.result_version,
            "reviewed_key": decision.reviewed_key,
            "reason_code": item.reason_code,
            "duplicate_of": str(item.duplicate_of) if item.duplicate_of else None,
            "overridden": list(decision.overridden),
            "parts": {str(one.document_id): list(one.pages) for one in decision.parts},
        },
        reason=decision.reason or "",
    )
