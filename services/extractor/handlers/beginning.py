"""What there is to do about a document: take its content's lease, or take the answer there is.

Whoever finds no answer takes the lease and reads; copies wait on the delay ladder until there
is one. Documents that begin at the same time do so in one commit, each with an end of its own.
"""

import logging
from collections.abc import Sequence
from functools import partial

from services.extractor.handlers.leasing import come_back, give_back
from services.extractor.handlers.messages import started
from services.extractor.ports import (
    Beginner,
    ContentKey,
    Found,
    Lease,
    Ports,
    Processed,
    Standing,
)
from shared.bus.jobs import Job
from shared.bus.waiting import happens
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected, Withdrawn
from shared.ledger.together import Turn
from shared.observability.metrics import LEASE_EXPIRED
from shared.observability.tracing import carrier, continuing

log = logging.getLogger(__name__)

# A timer of ours and the database's clock need not agree to the millisecond.
MARGIN_S = 0.1


async def begin(job: Job[ExtractDocumentV1], use: Ports) -> Processed | Lease:
    """What to do about the document, announced if it is anything. Raises when somebody else is
    at its content, when that was refused a moment ago, and Withdrawn."""
    found = await find_or_take(job, use)
    if isinstance(found, Standing) and found.job_id == job.job_id:
        # It comes again while its own lease stands: most likely its process died. Sent to
        # wait, it would come back as if nothing had happened, and one that kills would kill
        # for ever. A living holder, who only lost his connection, has renewed it by then.
        await happens(job.hurry, within_s=found.left_s + MARGIN_S)
        found = await find_or_take(job, use)
    if found is None or isinstance(found, Standing):
        raise come_back(found)
    return found


async def find_or_take(
    job: Job[ExtractDocumentV1], use: Ports
) -> Processed | Lease | Standing | None:
    """The answer there is, or else the right to find one. Or else what stands in the way; None
    for what has got out of it meanwhile."""
    order = job.body
    content = ContentKey(order.owner_id, order.sha256, use.engine.config)
    lease = Lease(content, order.document_id, job.job_id, job.run, new_id())
    async with give_back(lease, use):
        beginner = Beginner(job, lease, carrier())
        found = await use.beginning(beginner, partial(_begin_together, use=use))
    return _taken(found, lease)


def _taken(found: Found, lease: Lease) -> Processed | Lease | Standing | None:
    if found.is_withdrawn:
        raise Withdrawn
    if found.answer is not None:
        return found.answer
    if found.taking == "held":
        standing = found.standing
        if standing is not None and standing.refusal is not None:
            raise Rejected(standing.refusal.reason, standing.refusal.detail)
        return standing
    if found.taking == "taken_over":
        LEASE_EXPIRED.labels("content").inc()
        log.warning("lease_taken_over", extra={"sha256": lease.content.sha256})
    return lease


async def _begin_together(turn: Turn[Beginner], use: Ports) -> Sequence[Found]:
    """What each of them found, in order."""
    beginners = await turn.take()
    async with use.ledger.unit() as unit:
        found = await use.processed.begin_reading(unit, beginners, use.terms)
        for beginner, one in zip(beginners, found, strict=True):
            if one.answer is not None or one.taking != "held":
                with continuing(beginner.carried):
                    unit.send(started(beginner.job), cause=beginner.job)
    return found
