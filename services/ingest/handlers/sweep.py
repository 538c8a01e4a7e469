"""Begin anew what was lost on the way, and forget keys that have expired.

Nothing should ever be found: messages are not lost by a crash of ours. This is for what
nobody thought of, such as a queue that somebody purged. A document is begun anew from its
extraction, which finds what was read before; after the third time it fails as lost, so that
its client hears of an end. So is one that has its result and never came to review.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from services.ingest.domain.facts import WAITING_RANKS
from services.ingest.domain.sweeping import SWEEPS_MAX, Patience
from services.ingest.handlers.release import order_for
from services.ingest.ports import Ports, Stuck
from shared.bus.headers import RUN
from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentFailedV1
from shared.contracts.identity import derived_id
from shared.errors import Retryable
from shared.ledger.port import Unit
from shared.observability.metrics import (
    DOCUMENTS_STUCK,
    ERASURES_OLDEST_AGE,
    ERASURES_OPEN,
    SWEPT,
)
from shared.topology.queues import EXTRACT

log = logging.getLogger(__name__)

STAGE = "extract"
# Where a document may stand when it is found.
STAGES = ("held", "queued", *WAITING_RANKS, "review")


async def keep_sweeping(
    use: Ports, patience: Patience, *, also: Sequence[Callable[[], Awaitable[object]]] = ()
) -> None:
    """Until cancelled. `also` is what else is to be forgotten now and then."""
    start_sweeps_at_zero()
    while True:
        try:
            await sweep_documents(use, patience)
            await use.sweeps.purge_keys()
            for forget in also:
                await forget()
        except Retryable as away:
            log.info("sweeper_waits", extra={"error": str(away)})
        await asyncio.sleep(patience.sweep_every_s)


def start_sweeps_at_zero() -> None:
    """There is an alert for a single one, and an alert sees only what has risen."""
    for stage in STAGES:
        SWEPT.labels(stage)


async def sweep_documents(use: Ports, patience: Patience) -> int:
    """How many were found; none while another replica looks."""
    async with use.ledger.unit() as unit:
        if not await use.sweeps.try_sweep(unit):
            return 0
        stuck = await use.sweeps.sweep_documents(unit, patience)
        stuck += await use.sweeps.sweep_unreviewed(unit, patience)
        for one in stuck:
            _begin_anew(unit, one)
    for one in stuck:
        SWEPT.labels(one.stage).inc()
        log.error(
            "document_swept",
            extra={
                "document_id": str(one.document.document_id),
                "stage": one.stage,
                "run": one.document.run,
                "lost": one.lost,
            },
        )
    return len(stuck)


async def keep_measuring_sweeps(use: Ports, *, every_s: float) -> None:
    """Apart from the sweeping, which comes too seldom for an alert."""
    while True:
        try:
            await measure_sweeps(use)
        except Retryable as away:
            log.info("sweeps_not_measured", extra={"error": str(away)})
        await asyncio.sleep(every_s)


async def measure_sweeps(use: Ports) -> None:
    found = await use.sweeps.measure_sweeps()
    DOCUMENTS_STUCK.set(found.stuck)
    ERASURES_OPEN.set(found.erasures)
    ERASURES_OLDEST_AGE.set(found.oldest_erasure_s)


def _begin_anew(unit: Unit, stuck: Stuck) -> None:
    one = stuck.document
    # It was overtaken; it is not to be again.
    order = order_for(one, Priority.URGENT)
    # The same id for whoever orders this run: two sweeps can never double it.
    job_id = derived_id(one.document_id, STAGE, one.run)
    cause = Job(order, job_id, EXTRACT.name, headers={RUN: str(one.run)})
    if stuck.lost:
        unit.send(_lost(stuck), cause=cause)
    else:
        unit.send(order, cause=cause, job_id=job_id)


def _lost(stuck: Stuck) -> DocumentFailedV1:
    one = stuck.document
    return DocumentFailedV1(
        document_id=one.document_id,
        owner_id=one.owner_id,
        accepted_at=one.accepted_at,
        priority=Priority(one.priority),
        stage=stuck.stage,
        reason="lost",
        detail=f"Nothing was heard of it after it was ordered {SWEEPS_MAX} more times.",
        attempts=stuck.attempts,
    )
