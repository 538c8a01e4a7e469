"""The plan on a real broker: declared, compared, and every way round it caught."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from shared.topology.declare import (
    Difference,
    apply,
    connected,
    differences,
    missing_queues,
    opened,
)
from shared.topology.inspect import asked_api, binding_differences
from shared.topology.ladder import HOME, rung_name
from shared.topology.plan import plan
from shared.topology.queues import EVENTS, EXTRACT, STATUS, WORK_QUEUES
from tests.broker.database import Servers
from tests.broker.messages import raw_channel
from tests.broker.vhosts import own_vhost
from tests.eventually import eventually

PLAN = plan()
SHORTEST = rung_name(0)


@pytest.fixture
async def broker() -> AsyncIterator[str]:
    """The whole plan, declared on a virtual host of its own."""
    async with own_vhost() as url:
        await apply(url, PLAN)
        yield url


async def test_a_declared_plan_has_no_differences(broker: str) -> None:
    assert await differences(broker, PLAN) == []
    assert await bindings(broker) == []


async def test_declaring_twice_creates_nothing(broker: str) -> None:
    again = await apply(broker, PLAN)

    assert (again.created, again.altered) == ((), ())


async def test_a_deleted_queue_is_found_missing_with_its_bindings(broker: str) -> None:
    async with raw_channel(broker) as channel:
        await channel.queue_delete(EXTRACT.name)

    assert await differences(broker, PLAN) == [Difference(f"queue {EXTRACT.name}", "missing")]
    assert {one.problem for one in await bindings(broker)} == {"missing"}
    assert await missing_queues(broker, [EXTRACT.name, STATUS.name]) == [EXTRACT.name]


async def test_a_queue_altered_by_hand_is_found(broker: str) -> None:
    async with raw_channel(broker) as channel:
        await channel.queue_delete(EXTRACT.name)
        await channel.queue_declare(EXTRACT.name, durable=True, arguments={"x-max-priority": 9})

    assert Difference(f"queue {EXTRACT.name}", "altered") in await differences(broker, PLAN)


async def test_applying_repairs_what_is_missing_and_reports_what_is_altered(
    broker: str,
) -> None:
    async with raw_channel(broker) as channel:
        await channel.queue_delete(STATUS.name)
        await channel.queue_delete(EXTRACT.name)
        await channel.queue_declare(EXTRACT.name, durable=True)

    applied = await apply(broker, PLAN)

    assert applied.created == (f"queue {STATUS.name}",)
    assert applied.altered == (Difference(f"queue {EXTRACT.name}", "altered"),)


async def test_a_binding_taken_away_or_added_by_hand_is_found(broker: str) -> None:
    async with raw_channel(broker) as channel:
        await channel.queue_unbind(STATUS.name, EVENTS, "document.stored")
        await channel.queue_bind(STATUS.name, EVENTS, "#")

    found = await bindings(broker)
    assert {(one.problem, one.what) for one in found} == {
        ("missing", f"binding events -> {STATUS.name} [document.stored]"),
        ("unknown", f"binding events -> {STATUS.name} [#]"),
    }


async def test_a_connection_that_is_lost_in_the_middle_is_an_outage(broker: str) -> None:
    """Not a mistake of ours: whoever runs it tries again."""
    async with connected(broker) as connection:
        assert connection.transport is not None
        await connection.transport.connection.close()

        with pytest.raises(OSError, match="the broker closed the connection"):
            async with opened(connection):
                pass


async def test_quorum_work_queues_are_accepted_by_the_broker() -> None:
    async with own_vhost() as url:
        quorum = plan(work_kind="quorum")

        applied = await apply(url, quorum)

        assert applied.altered == ()
        assert await differences(url, quorum) == []
    assert len(applied.created) == len(quorum.exchanges) + len(quorum.queues)
    assert len(WORK_QUEUES) * 2 + 17 == len(quorum.queues)


async def test_what_would_leave_for_an_exchange_that_is_missing_is_kept(broker: str) -> None:
    """By at-least-once, which the broker believes in under conditions only: in the plan it is a
    word, and this is whether it is obeyed."""
    async with raw_channel(broker) as channel:
        await channel.exchange_delete(HOME)
        await channel.basic_publish(b"late", routing_key=SHORTEST)

        async def has_left_the_line() -> bool:
            return (await counted(broker, SHORTEST)).get("messages_ready") == 0

        await eventually(lambda: was_published(broker), within_s=30, every_s=0.5)
        await eventually(has_left_the_line, within_s=30, every_s=0.5)
    assert (await counted(broker, SHORTEST))["messages"] == 1


async def was_published(url: str) -> bool:
    seen = await counted(url, SHORTEST)
    return bool(seen.get("message_stats", {}).get("publish"))


async def counted(url: str, queue: str) -> dict[str, Any]:
    """As the broker's statistics have it, which are some seconds old."""
    api_url, vhost = Servers().amqp_api_url, url.rpartition("/")[2]
    assert api_url is not None
    told: dict[str, Any] = await asyncio.to_thread(
        asked_api, api_url, f"/api/queues/{quote(vhost, safe='')}/{queue}"
    )
    return told


async def bindings(url: str) -> list[Difference]:
    api_url = Servers().amqp_api_url
    assert api_url is not None
    return await binding_differences(api_url, url.rpartition("/")[2], PLAN)
