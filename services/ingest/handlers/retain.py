"""Keep documents as long as they have to be kept, and no longer.

Whose time is over is deleted as if its client had asked for it, with the calendar as the actor:
the same commit, the same fact, the same tombstone. A hold wins over both. Between two looks
nothing is remembered, so a crash costs nothing and a longer period saves what is still there.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from services.ingest.domain.retention import KEEPER, Expired, Hold, RetentionRules
from services.ingest.handlers.withdraw import count_deleted, delete_within
from services.ingest.ports import Ending, Ports
from shared.audit.chain import Entry
from shared.failpoints import failpoint
from shared.observability.metrics import RETENTION_DUE, RETENTION_ERASED, RETENTION_KEPT

log = logging.getLogger(__name__)

AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Keeping:
    """`dry_run`: only tells what would be erased. `erased_max`: of one look, so that a rule
    that was shortened by mistake can still be noticed."""

    rules: RetentionRules
    dry_run: bool = False
    erased_max: int = 1_000


async def hold_document(
    document_id: UUID, *, actor: str, reason: str, use: Ports
) -> Hold | None:
    """None for what is unknown or deleted already."""
    async with use.ledger.unit() as unit:
        known = await use.retention.find_holds(unit, [document_id])
        hold = await use.retention.hold_document(unit, document_id, by=actor, reason=reason)
        if hold is not None:
            await use.trail.record(
                unit,
                Entry(
                    actor,
                    "document_put_on_hold",
                    f"document/{document_id}",
                    before={"reason": known[0].reason} if known else None,
                    after={"reason": reason},
                    reason=reason,
                ),
            )
    return hold


async def lift_hold(document_id: UUID, *, actor: str, reason: str, use: Ports) -> bool:
    """False when nobody held it."""
    async with use.ledger.unit() as unit:
        lifted = await use.retention.lift_hold(unit, document_id)
        if lifted is None:
            return False
        before = {"reason": lifted.reason, "by": lifted.by}
        await use.trail.record(
            unit,
            Entry(actor, "hold_lifted", f"document/{document_id}", before, None, reason),
        )
    return True


async def find_hold(document_id: UUID, use: Ports) -> Hold | None:
    found = await find_holds([document_id], use)
    return found[0] if found else None


async def find_holds(document_ids: Sequence[UUID], use: Ports) -> list[Hold]:
    async with use.ledger.unit() as unit:
        return await use.retention.find_holds(unit, document_ids)


async def expire_documents(use: Ports, keeping: Keeping) -> int:
    """How many were deleted; none while another replica looks."""
    await report_expired(use, keeping.rules)
    erased = 0
    while not keeping.dry_run and erased < keeping.erased_max:
        limit = min(AT_ONCE, keeping.erased_max - erased)
        deletions = await _expire_some(use, keeping.rules, limit)
        erased += len(deletions)
        if len(deletions) < limit:
            break
    if erased:
        log.info("documents_expired", extra={"count": erased})
    return erased


async def report_expired(use: Ports, rules: RetentionRules) -> list[Expired]:
    """What the next look would erase, and what it would leave all the same."""
    async with use.ledger.unit() as unit:
        found = await use.retention.count_expired(unit, rules)
    told = {one.class_name: one for one in found}
    for name in ("default", *dict.fromkeys(rules.classes)):
        one = told.get(name)
        RETENTION_DUE.labels(name).set(one.due if one else 0)
        RETENTION_KEPT.labels(name).set(one.on_hold + one.in_review if one else 0)
    return found


async def _expire_some(use: Ports, rules: RetentionRules, limit: int) -> list[Ending]:
    async with use.ledger.unit() as unit:
        if not await use.retention.try_retention(unit):
            return []
        due = await use.retention.lock_expired(unit, rules, limit=limit)
        if not due:
            return []
        deletions = await delete_within(unit, due, owner_id=None, use=use)
        entries = [
            Entry(KEEPER, "document_deleted", f"document/{one.document_id}", reason="expired")
            for one in deletions
        ]
        # Last: writers of the log take turns until they commit.
        await use.trail.record(unit, *entries)
    await failpoint("ingest.expired")
    RETENTION_ERASED.inc(len(deletions))
    count_deleted(deletions, use)
    return deletions
