"""An operator pauses a queue from afar, and sees who takes it and what its service owes."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from services.monitor.handlers.surveying import look_at_queues
from services.monitor.handlers.watching import watch_facts
from shared.bus.looking import QueueLooker
from shared.clock import WallClock
from shared.contracts.facts import ConsumptionPausedV1
from shared.contracts.identity import new_id
from shared.contracts.processes import ConsumptionSteeredV1, ProcessReportedV1
from shared.errors import Retryable
from shared.ledger.board import PostgresPauseBoard
from shared.ledger.reporting import Process, Reporter
from shared.ledger.steering import Steering
from tests import builders
from tests.broker.messages import raw_channel
from tests.broker.monitor_world import Monitor, monitor_service

QUEUE = "extractor.extract"
CLOCK = WallClock()


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


def steered(paused: bool, *, ends_in_s: float | None = None, queue: str = QUEUE) -> Any:  # noqa: ANN401 -- a job
    ends_at = None if ends_in_s is None else CLOCK.now() + timedelta(seconds=ends_in_s)
    return builders.job(
        ConsumptionSteeredV1(
            queue=queue, paused=paused, asked_by="olga", detail="It moves.", ends_at=ends_at
        ),
        job_id=new_id(),
    )


class Owner:
    """The ledger of a service that takes a queue; any schema has one."""

    def __init__(self, monitor: Monitor) -> None:
        self.pool = monitor.schema.pool
        self.board = PostgresPauseBoard(self.pool, CLOCK, [QUEUE], wake=lambda: None)
        self.steering = Steering(self.pool, CLOCK, [QUEUE], wake=lambda: None)
        self._monitor = monitor

    async def paused(self) -> str | None:
        await self.board.read()
        pause = self.board.paused(QUEUE)
        return pause.reason if pause else None

    async def told(self) -> list[str]:
        return [type_ for _, type_ in await self._monitor.schema.outbox()]


async def test_a_pause_holds_until_it_is_resumed(monitor: Monitor) -> None:
    owner = Owner(monitor)

    await owner.steering.obey([steered(True)])
    assert await owner.paused() == "operator"
    pause = owner.board.paused(QUEUE)
    assert pause is not None
    assert not pause.probe_due
    await owner.steering.obey([steered(False)])

    assert await owner.paused() is None
    assert await owner.told() == ["consumption.paused", "consumption.resumed"]


async def test_the_end_of_a_pause_is_looked_for_more_often_than_its_beginning(
    monitor: Monitor,
) -> None:
    owner = Owner(monitor)
    paces = [owner.board.read_every_s]

    for wanted in (True, False):
        await owner.steering.obey([steered(wanted)])
        await owner.paused()
        paces.append(owner.board.read_every_s)

    assert paces == [2.0, 1.0, 2.0]


async def test_a_pause_that_somebody_forgot_ends_by_itself(monitor: Monitor) -> None:
    owner = Owner(monitor)

    await owner.steering.obey([steered(True, ends_in_s=-1)])

    assert await owner.paused() is None


async def test_what_was_said_before_does_not_undo_what_was_said_since(
    monitor: Monitor,
) -> None:
    owner = Owner(monitor)
    pause, resume = steered(True), steered(False)
    later = builders.job(resume.body, job_id=UUID(int=pause.job_id.int + (1 << 80)))

    await owner.steering.obey([later])
    await owner.steering.obey([pause, pause])

    assert await owner.paused() is None
    assert await owner.told() == []


async def test_a_person_outranks_the_machine(monitor: Monitor) -> None:
    owner = Owner(monitor)
    await owner.board.pause(QUEUE, reason="gemini_away", detail="503", probe_every_s=1)

    await owner.steering.obey([steered(True)])
    assert await owner.paused() == "operator"
    await owner.board.resume(QUEUE, "gemini_away")
    assert await owner.paused() == "operator"
    await owner.steering.obey(
        [builders.job(steered(False).body, job_id=UUID(int=new_id().int + (1 << 82)))]
    )

    assert await owner.paused() is None
    # Whoever counts pauses by their reason is told of the end of each.
    told = ["consumption.paused"] * 2 + ["consumption.resumed"] * 2
    assert sorted(await owner.told()) == told


async def test_queues_of_others_are_left_alone(monitor: Monitor) -> None:
    owner = Owner(monitor)

    await owner.steering.obey([steered(True, queue="storage.store")])

    assert await owner.told() == []


async def test_a_process_tells_what_its_service_owes(monitor: Monitor) -> None:
    about = Process("monitor", new_id(), "4d0a1c7", "work", CLOCK.now(), (QUEUE,))

    async def conditions() -> dict[str, str]:
        return {"breaker.gemini": "open"}

    reporter = Reporter(about, monitor.schema.pool, CLOCK, conditions, wake=lambda: None)
    await reporter.report()
    await reporter.report()

    assert await Owner(monitor).told() == ["process.reported"] * 2


async def test_the_monitor_keeps_what_was_said_last(monitor: Monitor) -> None:
    process_id = uuid4()
    facts = [
        ProcessReportedV1(
            service="extractor",
            process_id=process_id,
            build="4d0a1c7",
            door="work",
            started_at=CLOCK.now(),
            queues=(QUEUE,),
            outbox_unsent=unsent,
            outbox_oldest_age_s=0.5,
            outbox_parked=1,
            conditions={"breaker.gemini": "open"},
        )
        for unsent in (4, 7)
    ]
    early, late = new_id(), UUID(int=new_id().int + (5 << 80))
    for fact, job_id in ((facts[1], late), (facts[0], early)):
        await watch_facts([builders.job(fact, job_id=job_id)], monitor.use)

    [service] = (await look_at_queues(monitor.use)).services
    assert (service.outbox_unsent, service.outbox_parked) == (7, 1)
    assert service.conditions == {"breaker.gemini": "open"}
    await monitor.use.processes.forget_processes(-60)
    assert not (await look_at_queues(monitor.use)).services


async def test_a_pause_that_has_ended_is_shown_no_more(monitor: Monitor) -> None:
    for queue, ends_in_s in (("a.open", 60), ("b.over", -60)):
        fact = ConsumptionPausedV1(
            queue=queue,
            reason="operator",
            detail="olga: it moves",
            ends_at=CLOCK.now() + timedelta(seconds=ends_in_s),
        )
        await watch_facts([builders.job(fact, job_id=new_id())], monitor.use)

    [pause] = await monitor.use.pauses.list_pauses()

    assert (pause.queue, pause.detail) == ("a.open", "olga: it moves")


async def test_the_broker_itself_tells_what_waits_and_who_takes(amqp_url: str) -> None:
    name = f"looked-at-{uuid4()}"
    async with raw_channel(amqp_url) as channel:
        await channel.queue_declare(name, durable=True)
        for _ in range(3):
            await channel.basic_publish(b"x", exchange="", routing_key=name)
        looker = QueueLooker(amqp_url, ["nobody-made-this", name, "nor-this"], 5)
        [depth] = await looker.look()
        await looker.close()
        await channel.queue_delete(name)

    assert (depth.queue, depth.ready, depth.consumers) == (name, 3, 0)


async def test_a_broker_that_is_away_is_no_empty_broker() -> None:
    with pytest.raises(Retryable):
        await QueueLooker("amqp://127.0.0.1:1/", ["a"], 1).look()
