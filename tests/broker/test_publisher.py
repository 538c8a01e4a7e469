"""Publishing: every message has an outcome of its own, also among many in flight."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiormq.abc import AbstractChannel
from pamqp.common import FieldValue

from shared.bus.connection import Link
from shared.bus.frames import Outgoing
from shared.bus.publisher import Outcome, Publisher, Unroutable
from shared.errors import Retryable
from shared.topology.queues import JOBS
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.messages import headers_of, raw_channel
from tests.broker.servers import Alarm, OwnServers, alarms
from tests.eventually import eventually


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield bench


def message(bench: BusBench, body: bytes = b"{}") -> Outgoing:
    return Outgoing(JOBS, bench.queue.name, body, "document.extract", {"paperline-run": "1"})


async def test_a_message_arrives_as_it_was_written(bench: BusBench) -> None:
    await bench.publisher.publish_one(message(bench, body="Grüße".encode()))

    taken = await bench.take()
    assert taken is not None
    properties = taken.header.properties
    assert taken.body == "Grüße".encode()
    assert headers_of(taken) == {"paperline-run": "1"}
    assert (properties.delivery_mode, properties.priority) == (2, 3)
    assert (properties.content_type, properties.message_type) == (
        "application/json",
        "document.extract",
    )
    assert properties.timestamp is not None


async def test_a_body_longer_than_a_frame_arrives_whole(bench: BusBench) -> None:
    body = b"x" * 400_000

    await bench.publisher.publish_one(message(bench, body))

    taken = await bench.take()
    assert taken is not None
    assert taken.body == body


async def test_a_message_without_a_queue_is_noticed(bench: BusBench) -> None:
    with pytest.raises(Unroutable):
        await bench.publisher.publish_one(replace(message(bench), routing_key="nowhere"))


async def test_among_many_in_flight_exactly_the_unroutable_are_returned(
    bench: BusBench,
) -> None:
    good, bad = message(bench), replace(message(bench), routing_key="nowhere")
    batch = [good, bad, good, good, bad] * 40

    outcomes = await asyncio.gather(*(bench.publisher.publish(batch) for _ in range(5)))

    expected = [Outcome.RETURNED if one is bad else Outcome.CONFIRMED for one in batch]
    assert outcomes == [expected] * 5
    assert await bench.depth() == 5 * expected.count(Outcome.CONFIRMED)


class CountedLink(Link):
    """A link that counts the channels it has opened."""

    opened = 0

    async def open_channel(self, *, confirms: bool) -> AbstractChannel:
        self.opened += 1
        return await super().open_channel(confirms=confirms)


@asynccontextmanager
async def counted_link(bench: BusBench) -> AsyncIterator[CountedLink]:
    link = CountedLink(bench.amqp_url, purpose="publish", name=f"{bench.schema}-counted")
    keeping = asyncio.ensure_future(link.keep())
    try:
        await eventually(lambda: link.is_up)
        yield link
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


async def test_what_was_refused_is_asked_on_another_channel_and_nobody_else_is_disturbed(
    bench: BusBench,
) -> None:
    full: dict[str, FieldValue] = {"x-max-length": 1, "x-overflow": "reject-publish"}
    name = f"{bench.schema}.full"
    async with raw_channel(bench.amqp_url) as channel, counted_link(bench) as link:
        await channel.queue_declare(name, exclusive=True, arguments=full)
        refused = Outgoing("", name, b"{}", "document.extract")
        publisher = Publisher(link, app_id="counted")
        confirmed = [Outcome.CONFIRMED] * 200

        # Their confirmations are awaited on the channel that is left.
        first, *meanwhile = await asyncio.gather(
            publisher.publish([refused, refused]),
            *(publisher.publish([message(bench)] * 200) for _ in range(5)),
        )
        after = await publisher.publish([message(bench)] * 200)

        assert first == [Outcome.CONFIRMED, Outcome.REFUSED]
        assert [*meanwhile, after] == [confirmed] * 6
        assert link.opened == 2
        await publisher.close()


async def test_no_two_publishes_share_a_message_id(bench: BusBench) -> None:
    await bench.publisher.publish([message(bench)] * 50)

    ids = set()
    while (taken := await bench.take()) is not None:
        ids.add(taken.header.properties.message_id)
    assert len(ids) == 50


async def test_publishing_to_a_missing_exchange_says_unknown_and_recovers(
    bench: BusBench,
) -> None:
    [outcome] = await bench.publisher.publish(
        [replace(message(bench), exchange="no.such.exchange")]
    )
    [after] = await bench.publisher.publish([message(bench)])

    assert (outcome, after) == (Outcome.UNKNOWN, Outcome.CONFIRMED)


@alarms
async def test_while_the_broker_holds_us_back_the_outcome_is_unknown_and_consuming_goes_on(
    alarm: Alarm, bench: BusBench, own_servers: OwnServers
) -> None:
    hasty = Publisher(bench.publishing, app_id="hasty", timeout_s=0.5)
    await bench.publisher.publish([message(bench)] * 3)

    async with alarm(own_servers):
        with pytest.raises(Retryable):
            await hasty.publish_one(message(bench))
        consumed = [await bench.take() for _ in range(3)]

    assert all(one is not None for one in consumed)
    await bench.publisher.publish_one(message(bench))


async def test_publishing_before_there_is_a_connection_ends_in_time(
    bench: BusBench,
) -> None:
    never_kept = Link(bench.amqp_url, purpose="publish", name="never-kept")

    [outcome] = await Publisher(never_kept, app_id="x", timeout_s=0.2).publish([message(bench)])

    assert outcome is Outcome.UNKNOWN
