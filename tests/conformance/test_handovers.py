"""The hand-over to consumers: one suite for the one in memory and the one in PostgreSQL."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from services.storage.domain.exports import Place
from services.storage.domain.handover import Approval, Batch, Consumer, digest
from tests.conformance.leaving import Leaving, in_memory, in_postgres


@pytest.fixture(params=["memory", "postgres"])
async def leaving(request: pytest.FixtureRequest) -> AsyncIterator[Leaving]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def approve(leaving: Leaving, owner: str = "acme") -> UUID:
    one = await leaving.keep(owner=owner)
    return await leaving.keep(one, version=2, verdict="approved", owner=owner)


async def consumer(
    leaving: Leaving, name: str = "erp", *, of: str | None = None, from_now: bool = False
) -> Consumer:
    async with leaving.ledger.unit() as unit:
        if from_now:
            await leaving.handovers.number_approvals(unit, 100)
        one = await leaving.handovers.open_consumer(
            unit, owner_id="acme", name=name, of_owner=of, from_now=from_now
        )
    assert one is not None
    return one


async def waiting(leaving: Leaving, one: Consumer, limit: int = 100) -> list[Approval]:
    async with leaving.ledger.unit() as unit:
        await leaving.handovers.number_approvals(unit, 100)
        return await leaving.handovers.list_waiting(unit, one, limit)


async def given(leaving: Leaving, one: Consumer, limit: int = 100) -> Batch:
    items = await waiting(leaving, one, limit)
    async with leaving.ledger.unit() as unit:
        return await leaving.handovers.open_batch(unit, one, items, digest(items))


async def test_what_a_person_approved_waits_and_nothing_else(leaving: Leaving) -> None:
    one = await consumer(leaving)
    approved = await approve(leaving)
    machine, rejected = await leaving.keep(), await leaving.keep()
    await leaving.keep(rejected, version=2, verdict="rejected")
    corrected = await leaving.keep(machine, version=2, verdict="corrected")

    items = await waiting(leaving, one)

    assert {one.document_id for one in items} == {approved, corrected}
    assert len({one.position for one in items}) == 2
    assert await leaving.handovers.count_waiting(one, 100) == 2


async def test_a_decision_that_is_not_current_is_not_handed_over(leaving: Leaving) -> None:
    one = await consumer(leaving)
    document_id = await leaving.keep()
    await leaving.keep(document_id, version=3, verdict="approved")
    await leaving.keep(document_id, version=2, verdict="approved")

    assert [item.version for item in await waiting(leaving, one)] == [3]


async def test_a_correction_is_a_further_version(leaving: Leaving) -> None:
    one = await consumer(leaving)
    document_id = await approve(leaving)
    await leaving.keep(document_id, version=3, verdict="corrected")

    assert [item.version for item in await waiting(leaving, one)] == [2, 3]


async def test_a_consumer_of_one_owner_gets_those_of_nobody_else(leaving: Leaving) -> None:
    ours, theirs = await approve(leaving), await approve(leaving, owner="other")
    own, every = await consumer(leaving, of="acme"), await consumer(leaving, "all")

    assert [item.document_id for item in await waiting(leaving, own)] == [ours]
    assert [item.document_id for item in await waiting(leaving, every)] == [ours, theirs]


async def test_a_consumer_from_now_on_gets_nothing_of_before(leaving: Leaving) -> None:
    await approve(leaving)
    one = await consumer(leaving, from_now=True)
    later = await approve(leaving)

    assert [item.document_id for item in await waiting(leaving, one)] == [later]


async def test_positions_are_given_so_many_at_a_time(leaving: Leaving) -> None:
    one = await consumer(leaving)
    approved = [await approve(leaving) for _ in range(3)]

    async with leaving.ledger.unit() as unit:
        given = [await leaving.handovers.number_approvals(unit, 2) for _ in range(3)]

    assert given == [2, 1, 0]
    assert [item.document_id for item in await waiting(leaving, one)] == approved


async def test_a_name_is_taken_once_by_each_owner(leaving: Leaving) -> None:
    one = await consumer(leaving)

    async with leaving.ledger.unit() as unit:
        handovers = leaving.handovers
        taken = await handovers.open_consumer(
            unit, owner_id="acme", name="erp", of_owner=None, from_now=False
        )
        other = await handovers.open_consumer(
            unit, owner_id="other", name="erp", of_owner="other", from_now=False
        )
        counted = await handovers.count_consumers(unit, "acme")

    assert (taken, counted) == (None, 1)
    assert other is not None
    assert await leaving.handovers.find_consumer("acme", "erp") == one
    assert await leaving.handovers.list_consumers("acme", 10) == [one]
    assert await leaving.handovers.find_consumer("nobody", "erp") is None


async def test_the_open_batch_is_given_again_until_it_is_acknowledged(leaving: Leaving) -> None:
    one = await consumer(leaving)
    await approve(leaving)
    batch = await given(leaving, one)
    await approve(leaving)

    async with leaving.ledger.unit() as unit:
        again = await leaving.handovers.give_again(unit, one)
        items = await leaving.handovers.list_items(unit, batch)
        receipt = await leaving.handovers.acknowledge_batch(unit, batch, "anna")
        twice = await leaving.handovers.acknowledge_batch(unit, batch, "boris")
        none = await leaving.handovers.give_again(unit, one)

    assert again is not None
    assert (again.batch_id, again.times_given, len(items)) == (batch.batch_id, 2, 1)
    assert receipt is not None
    assert (receipt.count, receipt.acknowledged_by, twice, none) == (1, "anna", None, None)


async def test_after_the_receipt_the_next_ones_wait(leaving: Leaving) -> None:
    one = await consumer(leaving)
    approved = [await approve(leaving) for _ in range(3)]
    batch = await given(leaving, one, limit=2)
    async with leaving.ledger.unit() as unit:
        await leaving.handovers.acknowledge_batch(unit, batch, "anna")

    moved = await leaving.handovers.find_consumer("acme", "erp")

    assert moved is not None
    assert [item.document_id for item in await waiting(leaving, moved)] == approved[2:]


async def test_what_was_erased_is_not_given_and_what_was_given_says_so(
    leaving: Leaving,
) -> None:
    one = await consumer(leaving)
    first, second = await approve(leaving), await approve(leaving)
    await leaving.erase(first)
    batch = await given(leaving, one)
    await leaving.erase(second)

    async with leaving.ledger.unit() as unit:
        items = await leaving.handovers.list_items(unit, batch)

    assert [item.document_id for item in items] == [second]
    assert items[0].erased_at is not None
    assert batch.count == 1


async def test_receipts_are_listed_newest_first_and_batches_found_by_their_consumer(
    leaving: Leaving,
) -> None:
    one = await consumer(leaving)
    batches = []
    for _ in range(3):
        await approve(leaving)
        known = await leaving.handovers.find_consumer("acme", "erp")
        assert known is not None
        batches.append(await given(leaving, known))
        async with leaving.ledger.unit() as unit:
            await leaving.handovers.acknowledge_batch(unit, batches[-1], "anna")

    first = await leaving.handovers.list_receipts(one, None, 2)
    assert first[-1].acknowledged_at is not None
    place = Place(first[-1].acknowledged_at, first[-1].batch_id)
    second = await leaving.handovers.list_receipts(one, place, 2)

    assert {item.batch_id for item in (*first, *second)} == {b.batch_id for b in batches}
    assert len(second) == 1
    async with leaving.ledger.unit() as unit:
        assert await leaving.handovers.find_batch(unit, one, batches[0].batch_id) is not None
        assert await leaving.handovers.find_batch(unit, one, uuid4()) is None


async def test_what_was_approved_without_a_hand_over_is_caught_up_with(
    leaving: Leaving,
) -> None:
    one = await consumer(leaving)
    document_id = await leaving.keep()
    await leaving.keep(document_id, version=2, verdict="approved", is_listed=False)

    async with leaving.ledger.unit() as unit:
        assert await leaving.handovers.approve_missing(unit, 10) == 1
        assert await leaving.handovers.approve_missing(unit, 10) == 0

    assert [item.document_id for item in await waiting(leaving, one)] == [document_id]
