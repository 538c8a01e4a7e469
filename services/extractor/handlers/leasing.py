"""One engine call per owner, content and configuration, however many copies come at once.

Whoever finds no answer takes the content's lease and reads; copies wait on the delay ladder
until there is one. A lease is renewed for as long as its block runs, and given up however that
ends, so that only a kill makes anybody wait for it to run out.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.extractor.ports import ContentKey, Lease, Ports, Processed, Refusal, Standing
from shared.bus.headers import as_text
from shared.bus.jobs import Job
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.ending import to_its_end
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from shared.ledger.port import Unit
from shared.observability.metrics import LEASE_EXPIRED

log = logging.getLogger(__name__)

# A renewal that fails once is made good by the next.
RENEWALS_PER_LEASE = 3
LET_GO_TIMEOUT_S = 2.0
COPY_AFTER_S = 1.0
COPY_AT_MOST_S = 30.0
# A scan that is missing or damaged heals with the next upload of the same content.
LOST = ("source_missing", "source_corrupt")


async def find_or_take(
    unit: Unit, job: Job[ExtractDocumentV1], use: Ports
) -> Processed | Lease | Standing | None:
    """The answer there is, or else the right to find one. Or else what stands in the way; None
    for what has got out of it meanwhile. Raises Withdrawn."""
    order = job.body
    content = ContentKey(order.owner_id, order.sha256, use.engine.config)
    lease = Lease(content, order.document_id, job.job_id, job.run, new_id())
    found = await use.processed.begin_reading(unit, lease, use.terms, forced=order.force)
    if found.is_withdrawn:
        raise Withdrawn
    if found.answer is not None:
        return found.answer
    if found.taking == "held":
        return found.standing
    if found.taking == "taken_over":
        LEASE_EXPIRED.labels("content").inc()
        log.warning("lease_taken_over", extra={"sha256": content.sha256})
    return lease


def come_back(standing: Standing | None) -> Deferred:
    whose = f", as document {standing.document_id}" if standing else ""
    return Deferred(
        f"the same content is being read already{whose}",
        after_s=COPY_AFTER_S,
        at_most_s=COPY_AT_MOST_S,
    )


@asynccontextmanager
async def held(lease: Lease, use: Ports) -> AsyncIterator[None]:
    """Ours while the block runs. When that fails for good, copies are told the same for a
    while; when it ends well, it has given the lease up itself, by keeping the answer."""
    refusal: Refusal | None = None
    ended_well = False
    try:
        use.held.add(lease)
        yield
        ended_well = True
    except Rejected as error:
        if error.reason not in LOST:
            refusal = Refusal(error.reason, as_text(error.detail))
        raise
    finally:
        use.held.discard(lease)
        if not ended_well:
            await to_its_end(_let_go(lease, refusal, use), within_s=LET_GO_TIMEOUT_S)


async def keep_renewing(use: Ports) -> None:
    """All that is held by this process, together: a statement for each would be one more for
    every document. Until cancelled."""
    while True:
        await asyncio.sleep(use.terms.lease_s / RENEWALS_PER_LEASE)
        try:
            await renew_held(use)
        except Retryable as away:
            log.info("leases_not_renewed", extra={"error": str(away)})


async def renew_held(use: Ports) -> None:
    if held := tuple(use.held):
        async with use.ledger.apart() as unit:
            renewed = await use.leases.renew_leases(unit, held, use.terms.lease_s)
        # Taken over. It is noticed where it matters: nothing will be kept.
        use.held.difference_update({*held} - renewed)


async def _let_go(lease: Lease, refusal: Refusal | None, use: Ports) -> None:
    try:
        async with asyncio.timeout(LET_GO_TIMEOUT_S), use.ledger.apart() as unit:
            if refusal is None:
                await use.leases.give_up_lease(unit, lease)
            else:
                await use.leases.refuse_copies(unit, lease, refusal, use.terms.refusal_s)
    except (Retryable, TimeoutError) as error:
        # It runs out by itself.
        log.warning("lease_not_given_up", extra={"error": str(error)})
