"""A deploy let 500 documents die of one cause; an operator finds it, and sends them back.

The monitor, its API, its drain, both relays and a consumer are real; the handler is a test's.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from services.monitor.api import build
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.watching import watch_facts
from shared.bus.consumer import Consumption
from shared.bus.frames import Outgoing
from shared.bus.jobs import Job
from shared.bus.letter_drain import LetterDrain
from shared.bus.publisher import Publisher
from shared.bus.queue_consumer import QueueConsumer
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected
from shared.ledger.relay import Relay
from shared.topology.declare import apply
from shared.topology.plan import plan
from shared.topology.queues import DEAD, EXTRACT, WATCH, dead_queue
from tests.broker.bus_bench import BusBench, bus_bench
from tests.broker.monitor_world import Monitor, monitor_service, stepping
from tests.broker.vhosts import own_vhost
from tests.eventually import eventually
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.monitor.world import dead_letter

OLGA = key_of("olga", "operator")
PATH = "/ops/v1/operations"
LETTERS, STILL_BROKEN = 500, 3
SET_RATE = 5
# Of a person, looking included. The machine's part is to leave nearly all of it.
WITHIN_S = 300.0


@dataclass(slots=True)
class Duty:
    bench: BusBench
    monitor: Monitor
    client: httpx.AsyncClient
    broken: frozenset[UUID]

    async def died(self) -> None:
        """All of them, and the monitor has drained them."""
        documents = [*self.broken, *(uuid4() for _ in range(LETTERS - STILL_BROKEN))]
        letters = [dead_letter(queue=EXTRACT.name, document_id=one) for one in documents]
        await self.bench.publisher.publish(
            [
                Outgoing(
                    exchange=DEAD,
                    routing_key=EXTRACT.name,
                    type=ExtractDocumentV1.type,
                    headers=dict(one.headers),
                    body=one.body,
                    priority=one.priority,
                )
                for one in letters
            ]
        )

        async def are_kept() -> bool:
            return await self.monitor.count("dead_letters") == LETTERS

        await eventually(are_kept, within_s=60)

    async def handle(self, job: Job[ExtractDocumentV1]) -> None:
        if job.body.document_id in self.broken:
            raise Rejected("still_unreadable")
        async with self.bench.ledger.handling(job) as unit:
            await self.bench.effects_of(unit)

    async def get(self, path: str, **asked: Any) -> dict[str, Any]:  # noqa: ANN401 -- a query
        answer = await self.client.get(path, params=asked)
        assert answer.status_code == HTTPStatus.OK, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def ask(self, **wish: Any) -> httpx.Response:  # noqa: ANN401 -- JSON
        once = {"Idempotency-Key": "after the deploy"}
        return await self.client.post(PATH, json=wish, headers=once)

    async def turn(self, home: str, how: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
        """By what was just seen, as a page does it."""
        seen = {"If-Match": (await self.client.get(home)).headers["ETag"]}
        if how == "pace":
            answer = await self.client.patch(home, json=given, headers=seen)
        else:
            answer = await self.client.post(f"{home}/{how}", headers=seen)
        assert answer.status_code == HTTPStatus.OK, answer.text
        turned: dict[str, Any] = answer.json()
        return turned


@pytest.fixture
async def duty(database_url: str) -> AsyncIterator[Duty]:
    async with own_vhost() as url, monitor_service(database_url) as monitor:
        await apply(url, plan([EXTRACT, WATCH]))
        transport = httpx.ASGITransport(build(monitor.use, entrance()))
        async with (
            bus_bench(url, database_url, EXTRACT) as bench,
            httpx.AsyncClient(
                transport=transport, base_url="http://monitor", headers=OLGA
            ) as client,
        ):
            broken = frozenset(uuid4() for _ in range(STILL_BROKEN))
            duty = Duty(bench, monitor, client, broken)
            async with working(duty):
                yield duty


@asynccontextmanager
async def working(duty: Duty) -> AsyncIterator[None]:
    """Everything that would run, but for the steps of operations."""
    bench, use = duty.bench, duty.monitor.use
    watcher = QueueConsumer(Consumption(WATCH, many=partial(watch_facts, use=use)), bench.bus())
    drain = LetterDrain(
        bench.consuming, dead_queue(EXTRACT.name), partial(keep_letters, use=use)
    )
    sender = Publisher(bench.publishing, app_id="monitor")
    relay = Relay(duty.monitor.schema.pool, sender, poll_s=0.05)
    running = [asyncio.ensure_future(one.run()) for one in (watcher, drain)]
    relays = [asyncio.ensure_future(one.run()) for one in (bench.relay, relay)]
    try:
        async with bench.consuming_with(one=duty.handle):
            yield
    finally:
        await asyncio.gather(watcher.stop(), drain.stop())
        await asyncio.gather(*running)
        for one in relays:
            one.cancel()
        await asyncio.gather(*relays, return_exceptions=True)


async def test_one_group_is_found_tried_and_sent_back_and_each_is_followed_to_its_end(
    duty: Duty,
) -> None:
    await duty.died()
    began = time.monotonic()

    [group] = (await duty.get("/ops/v1/failure-groups"))["groups"]
    sample = await duty.get(group["links"]["newest"])
    assert (group["letters"], sample["reason"]) == (LETTERS, "unreadable")
    wish = {
        "selector": {"fingerprint": group["fingerprint"]},
        "reason": "The deploy was taken back.",
        "rate_per_s": SET_RATE,
    }
    seen = (await duty.ask(**wish, dry_run=True)).json()
    assert (seen["letters"], seen["warnings"], len(seen["sample"])) == (LETTERS, [], 5)

    async with stepping(duty.monitor.use):
        asked = await duty.ask(**wish, snapshot_before=seen["snapshot_before"])
        assert asked.status_code == HTTPStatus.ACCEPTED
        home, from_here = asked.headers["Location"], time.monotonic()
        following = asyncio.ensure_future(duty.client.get(f"{home}/events"))
        await eventually(lambda: has_sent(duty, home, 2 * SET_RATE), within_s=60)
        paused = await duty.turn(home, "pause")
        assert paused["sent"] <= SET_RATE * (time.monotonic() - from_here + 1) + 1
        await require_standstill(duty, home, paused["sent"])

        await duty.turn(home, "resume")
        # The rest at a pace at which nobody has to wait for it.
        await duty.turn(home, "pace", rate_per_s=1_000)
        events = (await following).text

    ended = await duty.get(home)
    assert time.monotonic() - began <= WITHIN_S
    assert (ended["state"], ended["done"], ended["refailed"]) == (
        "completed",
        LETTERS - STILL_BROKEN,
        STILL_BROKEN,
    )
    assert len(await duty.bench.effects()) == LETTERS - STILL_BROKEN
    require_told(events)
    refailed = (await duty.get(f"{home}/items", outcome="refailed"))["items"]
    assert len(refailed) == STILL_BROKEN
    [left] = (await duty.get("/ops/v1/failure-groups"))["groups"]
    assert (left["letters"], left["reason"]) == (STILL_BROKEN, "still_unreadable")


async def has_sent(duty: Duty, home: str, count: int) -> bool:
    return bool((await duty.get(home))["sent"] >= count)


async def require_standstill(duty: Duty, home: str, sent: int) -> None:
    # Whoever would move it is asked to; waiting would prove no more.
    for _ in range(20):
        assert not await step_operation(duty.monitor.use)
    assert (await duty.get(home))["sent"] == sent


def require_told(events: str) -> None:
    """The stream went forward only, and ended with the last letter's end."""
    lines = events.splitlines()
    ids = [int(one.removeprefix("id: ")) for one in lines if one.startswith("id: ")]
    told = [json.loads(one[6:]) for one in lines if one.startswith("data: ")]
    assert ids == sorted(set(ids))
    assert told[-1]["done"] + told[-1]["refailed"] == LETTERS
