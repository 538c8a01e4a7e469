"""One engine call per content: who reads, who waits, and who takes over from whom."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from services.extractor.handlers.forget import forget_expired
from services.extractor.handlers.leasing import TakenOver, held, renew_held, require_ours
from services.extractor.ports import Lease, Taking
from shared.bus.decision import Standing, Wait, decide
from shared.contracts.body import DocumentBody
from shared.errors import Deferred, Rejected, Retryable
from shared.ledger.port import Unit
from shared.topology.queues import EXTRACT
from tests import builders
from tests.eventually import eventually
from tests.fakes.clock import NOON
from tests.fakes.extractor import InMemoryLeases
from tests.unit.extractor.world import World, order, reading, silent_holder

SOON_S = 0.03


@pytest.fixture
def world() -> World:
    return World()


async def test_a_copy_of_a_content_in_flight_waits_and_says_for_whom(world: World) -> None:
    first = order()

    async with reading(world, first):
        with pytest.raises(Deferred, match=str(first.body.document_id)) as waits:
            await world.deliver()

    assert waits.value.reason.startswith("the same content is being read")
    assert "\n" not in waits.value.reason
    assert world.engine.calls == 1
    # The copy had not begun, and said nothing.
    told = [body for body in world.ledger.sent if isinstance(body, DocumentBody)]
    assert {body.document_id for body in told} == {first.body.document_id}


async def test_a_copy_waits_a_second_first_and_half_a_minute_at_most(world: World) -> None:
    async with reading(world, order()):
        with pytest.raises(Deferred) as waits:
            await world.deliver()

    decisions = [
        decide(
            waits.value,
            standing=Standing(attempt=1, deferrals=count, since=NOON, now=NOON),
            queue=EXTRACT,
            uniform=lambda: 0.0,
        )
        for count in (0, 1, 100)
    ]
    assert [one.delay_s for one in decisions if isinstance(one, Wait)] == [1, 1.5, 30]


async def test_copies_that_come_back_find_the_answer(world: World) -> None:
    copy = order()
    async with reading(world, order()):
        with pytest.raises(Deferred):
            await world.deliver(copy)

    await world.deliver(copy)

    assert world.engine.calls == 1
    assert [one.cache_hit for one in world.stored()] == [False, True]


async def test_another_content_does_not_wait(world: World) -> None:
    elsewhere = builders.job(builders.extract_document(owner_id="somebody-else"))

    async with reading(world, order()):
        delivery = asyncio.ensure_future(world.deliver(elsewhere))
        await eventually(lambda: world.engine.calls == 2)
    await delivery

    assert [one.cache_hit for one in world.stored()] == [False, False]


class LateLeases(InMemoryLeases):
    """The reader commits just before somebody else gets the lease."""

    commit: Callable[[], object]

    async def take_lease(self, unit: Unit, lease: Lease, lease_s: float) -> Taking:
        self.commit()
        return await super().take_lease(unit, lease, lease_s)


async def test_an_answer_kept_between_looking_and_taking_is_used(world: World) -> None:
    await world.deliver()
    leases = LateLeases()
    late = World(leases)
    late.blobs.objects |= world.blobs.objects
    leases.commit = lambda: late.processed.kept.update(world.processed.kept)

    await late.deliver()

    assert not late.engine.calls
    assert late.stored()[0].cache_hit
    assert not leases.rows


async def test_a_lease_is_renewed_for_as_long_as_its_holder_works(world: World) -> None:
    world.terms = replace(world.terms, lease_s=SOON_S)
    before = asyncio.all_tasks()

    async with reading(world, order()):
        await eventually(lambda: world.leases.renewals >= 3)

    assert asyncio.all_tasks() == before


async def test_a_renewal_that_fails_is_made_good_by_the_next(world: World) -> None:
    world.terms = replace(world.terms, lease_s=SOON_S)

    async with reading(world, order()):
        world.ledger.error = Retryable("away", dependency="postgres")
        await eventually(lambda: world.leases.renewals >= 2)
        world.ledger.error = None

    assert len(world.stored()) == 1


async def test_copies_of_what_cannot_be_read_end_alike_without_a_call(world: World) -> None:
    world.engine.error = Rejected("encrypted", "a password is needed")

    for _ in range(3):
        with pytest.raises(Rejected) as rejected:
            await world.deliver()
        assert (rejected.value.reason, rejected.value.detail) == (
            "encrypted",
            "a password is needed",
        )

    assert world.engine.calls == 1


async def test_a_refusal_is_forgotten_after_its_time(world: World) -> None:
    world.engine.error = Rejected("encrypted")
    with pytest.raises(Rejected):
        await world.deliver()
    world.engine.error = None
    world.clock.advance(world.terms.refusal_s)

    await world.deliver()

    assert world.engine.calls == 2


async def test_a_replay_asks_the_engine_again_however_fresh_the_refusal(world: World) -> None:
    job = order()
    world.engine.error = Rejected("encrypted")
    with pytest.raises(Rejected):
        await world.deliver(job)
    world.engine.error = None

    await world.deliver(builders.job(job.body, job_id=job.job_id, run=1))

    assert len(world.stored()) == 1


async def test_a_scan_that_was_missing_is_no_refusal_of_its_content(world: World) -> None:
    scan = world.blobs.objects.pop(builders.CONTENT_KEY)
    with pytest.raises(Rejected, match="source_missing"):
        await world.deliver()
    # The next upload of the same content brings it back.
    world.blobs.objects[builders.CONTENT_KEY] = scan

    await world.deliver()

    assert len(world.stored()) == 1


async def test_a_dead_holders_lease_is_taken_over_after_its_time(world: World) -> None:
    await silent_holder(world, order())
    with pytest.raises(Deferred):
        await world.deliver()
    world.clock.advance(world.terms.lease_s)

    await world.deliver()

    assert world.engine.calls == 1


async def test_who_was_taken_for_dead_leaves_the_answer_to_the_heir(world: World) -> None:
    late, heir = order(), order()
    world.engine.may_answer.clear()
    delivery = asyncio.ensure_future(world.deliver(late))
    await world.engine.asked.wait()
    # Stopped for longer than its term; then it goes on.
    world.clock.advance(world.terms.lease_s)
    lease = await silent_holder(world, heir)
    world.engine.may_answer.set()

    with pytest.raises(TakenOver):
        await delivery

    assert not world.processed.kept
    assert world.leases.rows[world.content].lease == lease


async def test_a_holder_takes_his_lease_for_lost_when_it_was_not_renewed_in_time(
    world: World,
) -> None:
    lease = await silent_holder(world, order())

    async with held(lease, world.use):
        # Nobody renewed for longer: this process stood still, or the database was away.
        world.held[lease] -= world.terms.lease_s
        with pytest.raises(TakenOver):
            require_ours(lease, world.use)
        await renew_held(world.use)
        require_ours(lease, world.use)

    with pytest.raises(TakenOver):
        require_ours(lease, world.use)


async def test_an_engine_that_reads_can_ask_whether_the_document_is_still_its_holders(
    world: World,
) -> None:
    async with reading(world, order()):
        [scan] = world.engine.scans
        scan.require_ours()
        world.held.clear()
        with pytest.raises(TakenOver):
            scan.require_ours()


async def test_a_holder_knows_at_the_next_renewal_that_another_has_taken_it(
    world: World,
) -> None:
    lease = await silent_holder(world, order())

    async with held(lease, world.use):
        require_ours(lease, world.use)
        world.clock.advance(world.terms.lease_s)
        await silent_holder(world, order())
        await renew_held(world.use)
        with pytest.raises(TakenOver):
            require_ours(lease, world.use)


async def test_a_job_that_comes_again_waits_in_place_for_its_dead_holder(world: World) -> None:
    # Deferred, it would come back as a new delivery, and nobody would count its deaths.
    world.terms = replace(world.terms, lease_s=SOON_S)
    job = order()
    await silent_holder(world, job)
    delivery = asyncio.ensure_future(world.deliver(job))
    await eventually(lambda: world.leases.looks == 1)

    world.clock.advance(world.terms.lease_s)
    await delivery

    assert world.engine.calls == 1
    assert not world.stored()[0].cache_hit


async def test_a_job_that_comes_again_while_its_holder_lives_is_sent_to_wait(
    world: World,
) -> None:
    # Its connection was lost, not its process: it goes on, and renews.
    world.terms = replace(world.terms, lease_s=SOON_S)
    job = order()

    async with reading(world, job):
        with pytest.raises(Deferred):
            await world.deliver(job)

    assert world.engine.calls == 1


async def test_what_is_past_its_time_is_forgotten_in_portions(world: World) -> None:
    for number in range(5):
        world.engine.config = f"fake/{number}"
        await world.deliver()
        await silent_holder(world, order())
    world.clock.advance(world.terms.cache_ttl_s + world.terms.lease_s)

    await forget_expired(world.use, at_once=2)

    assert not world.processed.kept
    assert not world.leases.rows
