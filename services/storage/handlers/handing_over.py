"""Hand approved documents over: each version once to each consumer, and nothing skipped.

Positions are given to what is committed, by one at a time; so whoever has read up to a
position will find nothing new before it. A batch is written down before it is given, and given
again until it is acknowledged: killed at any point, a consumer or we go on where we were.
"""

from uuid import UUID

from services.storage.domain.handover import (
    Approval,
    Batch,
    Consumer,
    Given,
    NoSuchBatch,
    NoSuchConsumer,
    OtherContent,
    ScopeDiffers,
    TooManyConsumers,
    digest,
    resource_of,
)
from services.storage.ports.outlets import Outlets
from shared.audit.chain import Entry, Json
from shared.failpoints import failpoint
from shared.ledger.port import Unit

NUMBERED_AT_ONCE = 10_000


async def open_consumer(
    owner_id: str, name: str, of_owner: str | None, use: Outlets, *, from_now: bool = False
) -> tuple[Consumer, bool]:
    """The consumer of that name, and whether it is new. Twice is once."""
    async with use.ledger.unit() as unit:
        # Two who open a consumer at once meet at the name, and at the number after it.
        if await use.handovers.count_consumers(unit, owner_id) >= use.limits.consumers_max:
            return await _known(
                owner_id, name, of_owner, use, or_else=TooManyConsumers()
            ), False
        if from_now:
            # What is approved by now is not to come: all of it needs a position first.
            while await use.handovers.number_approvals(unit, NUMBERED_AT_ONCE):
                pass
        opened = await use.handovers.open_consumer(
            unit, owner_id=owner_id, name=name, of_owner=of_owner, from_now=from_now
        )
        if opened is not None:
            told = {"of_owner": of_owner, "position": opened.position}
            await use.trail.record(
                unit, Entry(owner_id, "consumer_opened", resource_of(opened), after=told)
            )
            return opened, True
    return await _known(owner_id, name, of_owner, use), False


async def _known(
    owner_id: str,
    name: str,
    of_owner: str | None,
    use: Outlets,
    or_else: Exception | None = None,
) -> Consumer:
    known = await use.handovers.find_consumer(owner_id, name)
    if known is None:
        raise or_else or NoSuchConsumer()
    if known.of_owner != of_owner:
        raise ScopeDiffers("the name stands for other documents already")
    return known


async def find_consumer(
    owner_id: str, name: str, use: Outlets, reach: str | None = None
) -> Consumer:
    known = await use.handovers.find_consumer(owner_id, name)
    if known is None or not known.is_within(reach):
        raise NoSuchConsumer
    return known


async def next_batch(owner_id: str, name: str, limit: int, use: Outlets) -> Given | None:
    """The open batch as it was, or the next one. None when nothing waits."""
    async with use.ledger.unit() as unit:
        consumer = await _held(unit, owner_id, name, use)
        batch = await use.handovers.give_again(unit, consumer)
        if batch is None:
            items = await _waiting(unit, consumer, limit, use)
            if not items:
                return None
            batch = await use.handovers.open_batch(unit, consumer, items, digest(items))
            await use.trail.record(unit, _entry(owner_id, "batch_given", consumer, batch))
        given = Given(batch, tuple(await use.handovers.list_items(unit, batch)))
        await failpoint("storage.batch_before_commit")
    await failpoint("storage.batch_committed")
    return given


async def acknowledge(
    owner_id: str, name: str, batch_id: UUID, sha256: str | None, use: Outlets
) -> Batch:
    """Twice is once, and the receipt stays the first."""
    async with use.ledger.unit() as unit:
        consumer = await _held(unit, owner_id, name, use)
        batch = await use.handovers.find_batch(unit, consumer, batch_id)
        if batch is None:
            raise NoSuchBatch
        if sha256 is not None and sha256 != batch.sha256:
            raise OtherContent("the digest is not that of the batch")
        receipt = await use.handovers.acknowledge_batch(unit, batch, owner_id)
        if receipt is None:
            return batch
        await use.trail.record(unit, _entry(owner_id, "batch_acknowledged", consumer, receipt))
        await failpoint("storage.ack_before_commit")
    return receipt


async def show_batch(owner_id: str, name: str, batch_id: UUID, use: Outlets) -> Given:
    consumer = await find_consumer(owner_id, name, use)
    async with use.ledger.unit() as unit:
        batch = await use.handovers.find_batch(unit, consumer, batch_id)
        if batch is None:
            raise NoSuchBatch
        return Given(batch, tuple(await use.handovers.list_items(unit, batch)))


async def _held(unit: Unit, owner_id: str, name: str, use: Outlets) -> Consumer:
    consumer = await use.handovers.lock_consumer(unit, owner_id, name)
    if consumer is None:
        raise NoSuchConsumer
    return consumer


async def _waiting(unit: Unit, consumer: Consumer, limit: int, use: Outlets) -> list[Approval]:
    await use.handovers.number_approvals(unit, NUMBERED_AT_ONCE)
    return await use.handovers.list_waiting(unit, consumer, limit)


def _entry(actor: str, action: str, consumer: Consumer, batch: Batch) -> Entry:
    told: Json = {"batch_id": str(batch.batch_id), "count": batch.count, "sha256": batch.sha256}
    return Entry(actor, action, resource_of(consumer), after=told)
