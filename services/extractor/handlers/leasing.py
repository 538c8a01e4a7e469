"""One engine call per owner, content and configuration, however many copies come at once.

A lease is renewed for as long as its block runs, and given up however that ends, so that only
a kill makes anybody wait for it to run out.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from services.extractor.ports import Lease, Ports, Refusal, Standing
from shared.bus.headers import as_text
from shared.clock import since_boot
from shared.ending import to_its_end
from shared.errors import Deferred, Rejected, Retryable

log = logging.getLogger(__name__)

# A renewal that fails once is made good by the next.
RENEWALS_PER_LEASE = 3
LET_GO_TIMEOUT_S = 2.0
COPY_AFTER_S = 1.0
COPY_AT_MOST_S = 30.0
# A scan that is missing or damaged heals with the next upload of the same content.
LOST = ("source_missing", "source_corrupt")


def come_back(standing: Standing | None) -> Deferred:
    whose = f", as document {standing.document_id}" if standing else ""
    return Deferred(
        f"the same content is being read already{whose}",
        after_s=COPY_AFTER_S,
        at_most_s=COPY_AT_MOST_S,
    )


class TakenOver(Deferred):
    """Its holder was or may have been taken for dead: whoever took over gives the answer.

    Nothing is asked or kept any more, since the other may be done and have forgotten it all.
    """

    def __init__(self) -> None:
        super().__init__(
            "another may be reading it by now", after_s=COPY_AFTER_S, at_most_s=COPY_AT_MOST_S
        )


@asynccontextmanager
async def give_back(lease: Lease, use: Ports) -> AsyncIterator[None]:
    """Whoever is cancelled while it is taken for him has it given up once it was."""
    try:
        yield
    except asyncio.CancelledError:
        await to_its_end(_give_back(lease, use), within_s=LET_GO_TIMEOUT_S)
        raise


@asynccontextmanager
async def held(lease: Lease, use: Ports) -> AsyncIterator[None]:
    """Ours while the block runs. When that fails for good, copies are told the same for a
    while; when it ends well, it has given the lease up itself, by keeping the answer."""
    refusal: Refusal | None = None
    ended_well = False
    try:
        use.held[lease] = lease.asked_at + use.terms.lease_s
        yield
        ended_well = True
    except Rejected as error:
        if error.reason not in LOST:
            refusal = Refusal(error.reason, as_text(error.detail))
        raise
    finally:
        use.held.pop(lease, None)
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
        asked_at = since_boot()
        async with use.ledger.apart() as unit:
            renewed = await use.leases.renew_leases(unit, held, use.terms.lease_s)
        for lease in held:
            if lease not in renewed:
                # Taken over. It is noticed where it matters: nothing more is asked or kept.
                use.held.pop(lease, None)
            elif lease in use.held:
                use.held[lease] = asked_at + use.terms.lease_s


def require_ours(lease: Lease, use: Ports) -> None:
    """As far as can be known without asking: whoever has stood still for longer than a lease
    lasts must take it for lost before he spends money."""
    if since_boot() >= use.held.get(lease, 0.0):
        raise TakenOver


async def _give_back(lease: Lease, use: Ports) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(LET_GO_TIMEOUT_S):
            await use.beginning.at_rest()
    await _let_go(lease, None, use)


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
