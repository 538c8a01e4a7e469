"""A changed queue is made anew on a live broker, and loses nothing, whenever it is cut off."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest
from pamqp.commands import Basic

from shared import failpoints
from shared.topology.declare import apply, differences, missing_queues
from shared.topology.migrate import STAND_IN, InUse, Moved, migrate
from shared.topology.plan import plan
from shared.topology.queues import EVENTS, EXTRACT, JOBS, STATUS
from tests.broker.messages import raw_channel
from tests.broker.vhosts import own_vhost

PLAN = plan()
HELD = 30
CUTS = [
    "topology.stand_in_bound",
    "topology.moved",
    "topology.queue_deleted",
    "topology.queue_bound",
    "topology.moved:raise:2",
]


@pytest.fixture
async def broker() -> AsyncIterator[str]:
    """A broker whose extract queue was made by an older plan, with work in it."""
    async with own_vhost() as url:
        await apply(url, PLAN)
        async with raw_channel(url) as channel:
            await channel.queue_delete(EXTRACT.name)
            await channel.queue_declare(EXTRACT.name, durable=True)
            await channel.queue_bind(EXTRACT.name, JOBS, EXTRACT.name)
        for number in range(HELD):
            await order(url, number)
        yield url


@pytest.fixture(autouse=True)
def no_failpoint_left_armed() -> Iterator[None]:
    yield
    failpoints.disarm()


async def test_it_is_as_planned_and_holds_what_it_held(broker: str) -> None:
    moved = await migrate(broker, PLAN)

    assert moved == [Moved(EXTRACT.name, HELD)]
    assert await differences(broker, PLAN) == []
    held = await taken(broker)
    assert sorted(body for body, _ in held) == [body_of(number) for number in range(HELD)]
    assert {one.priority for _, one in held} == {1, 5}
    assert all(one.headers == {"paperline-run": "2"} for _, one in held)


async def test_what_the_old_queue_could_not_order_comes_out_by_priority(broker: str) -> None:
    await migrate(broker, PLAN)

    priorities = [one.priority or 0 for _, one in await taken(broker)]
    assert priorities == sorted(priorities, reverse=True)


@pytest.mark.parametrize("cut", CUTS)
async def test_cut_off_anywhere_the_next_run_finishes_it(broker: str, cut: str) -> None:
    failpoints.arm(cut if ":" in cut else f"{cut}:raise")
    with pytest.raises(failpoints.FailpointHit):
        await migrate(broker, PLAN)
    # Orders keep coming, whatever state the queue was left in.
    await order(broker, HELD)

    await migrate(broker, PLAN)

    assert await differences(broker, PLAN) == []
    held = Counter(body for body, _ in await taken(broker))
    assert set(held) == {body_of(number) for number in range(HELD + 1)}
    # Doubled at most, by the cut.
    assert max(held.values()) <= 2
    assert await migrate(broker, PLAN) == []


async def test_a_queue_that_somebody_takes_from_is_left_alone(broker: str) -> None:
    async with raw_channel(broker) as channel:
        await channel.basic_consume(EXTRACT.name, _ignored, no_ack=False)

        with pytest.raises(InUse, match=EXTRACT.name):
            await migrate(broker, PLAN)

    assert len(await taken(broker)) == HELD


async def test_a_fact_told_meanwhile_still_reaches_whoever_listens() -> None:
    async with own_vhost() as url:
        await apply(url, PLAN)
        async with raw_channel(url) as channel:
            await channel.queue_delete(STATUS.name)
            await channel.queue_declare(STATUS.name, durable=True)
        failpoints.arm("topology.queue_deleted:raise")
        with pytest.raises(failpoints.FailpointHit):
            await migrate(url, PLAN)
        async with raw_channel(url) as channel:
            await channel.basic_publish(b"{}", exchange=EVENTS, routing_key="document.stored")

        await migrate(url, PLAN)

        assert len(await taken(url, STATUS.name)) == 1


async def test_a_broker_that_holds_the_plan_is_not_touched() -> None:
    async with own_vhost() as url:
        await apply(url, PLAN)

        assert await migrate(url, PLAN) == []
        assert await missing_queues(url, [EXTRACT.name + STAND_IN])


async def order(url: str, number: int) -> None:
    properties = Basic.Properties(
        delivery_mode=2,
        priority=5 if number % 3 == 0 else 1,
        headers={"paperline-run": "2", "x-death": "old"},
    )
    async with raw_channel(url) as channel:
        await channel.basic_publish(
            body_of(number),
            exchange=JOBS,
            routing_key=EXTRACT.name,
            properties=properties,
            mandatory=True,
        )


def body_of(number: int) -> bytes:
    return f"order {number:03}".encode()


async def taken(url: str, queue: str = EXTRACT.name) -> list[tuple[bytes, Basic.Properties]]:
    found = []
    async with raw_channel(url) as channel:
        while (message := await channel.basic_get(queue, no_ack=True)).delivery_tag is not None:
            found.append((message.body, message.header.properties))
    return found


async def _ignored(_message: object) -> None:
    return None
