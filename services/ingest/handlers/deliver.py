"""Send what owners are to be told, again and again until they have it or a day has passed.

Several replicas send; each delivery is in one sender's hands at a time. It is sent outside
any transaction and what came of it is written down afterwards, so a sender that dies between
the two sends it twice: at least once is the promise, and its id lets a receiver see it.
"""

import asyncio
import logging
import random
from collections.abc import Callable

from services.ingest.domain.webhooks import Claimed, judged, signature
from services.ingest.ports.webhooks import Deliveries, Sending
from shared.bus.waiting import happens, until_beat
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.observability.metrics import (
    WEBHOOK_ATTEMPTS,
    WEBHOOK_OLDEST_DUE_AGE,
    WEBHOOK_SECONDS,
)

log = logging.getLogger(__name__)

USER_AGENT = "Paperline-Webhooks/1"
BACKOFF_S = 1.0


async def keep_delivering(use: Sending, stopping: asyncio.Event) -> None:
    """Until the process stops. What is under way then is sent to its end, if time allows."""
    under_way: set[asyncio.Task[None]] = set()
    room = asyncio.Event()

    def done(task: asyncio.Task[None]) -> None:
        under_way.discard(task)
        room.set()

    async with asyncio.TaskGroup() as group:
        while not stopping.is_set():
            room.clear()
            claimed = await _claimed(use, use.slots - len(under_way))
            for one in claimed:
                task = group.create_task(deliver(one, use))
                under_way.add(task)
                task.add_done_callback(done)
            if not claimed:
                # A place that becomes free may let the next of a busy endpoint go.
                await happens(room, within_s=until_beat(use.poll_s))


async def keep_measuring(deliveries: Deliveries, *, every_s: float) -> None:
    while True:
        try:
            WEBHOOK_OLDEST_DUE_AGE.set(await deliveries.oldest_due())
        except Retryable as away:
            log.info("webhooks_not_measured", extra={"error": str(away)})
        await asyncio.sleep(every_s)


async def deliver(
    claimed: Claimed, use: Sending, chance: Callable[[], float] = random.random
) -> None:
    """One attempt, from its signature to what is written down about it."""
    moment, body = use.clock.now(), claimed.body
    headers = {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "Paperline-Event": claimed.event,
        "Paperline-Delivery": str(claimed.delivery_id),
        "Paperline-Signature": signature(use.secrets.of(claimed), moment, body),
    }
    answer = await use.courier.carry(claimed.url, headers, body.encode())
    await failpoint("ingest.delivered")
    settlement = judged(answer, claimed.attempt, attempts_max=use.attempts_max, chance=chance())
    try:
        if not await use.deliveries.settle(claimed, answer, settlement):
            log.warning("delivery_lost_its_lease", extra=_named(claimed))
            return
    except Retryable as away:
        # Nobody knows that it was sent: it is sent again when the lease has ended.
        log.info("delivery_not_settled", extra=_named(claimed) | {"error": str(away)})
        return
    WEBHOOK_ATTEMPTS.labels(settlement.outcome).inc()
    WEBHOOK_SECONDS.observe(answer.duration_s)


async def _claimed(use: Sending, room: int) -> list[Claimed]:
    if room <= 0:
        return []
    try:
        return await use.deliveries.claim_deliveries(limit=room)
    except Retryable as away:
        log.info("deliveries_wait", extra={"error": str(away)})
        await asyncio.sleep(BACKOFF_S)
        return []


def _named(claimed: Claimed) -> dict[str, str]:
    return {
        "webhook_id": str(claimed.webhook_id),
        "delivery_id": str(claimed.delivery_id),
    }
