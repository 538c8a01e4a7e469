"""Queues and workers: what waits, who should take it, and stopping it for a while."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from services.monitor.domain.overview import QueueState
from services.monitor.handlers.surveying import look_at_queues
from services.monitor.handlers.watching import watch_facts
from shared.contracts.facts import ConsumptionPausedV1
from shared.contracts.identity import new_id
from shared.contracts.processes import ConsumptionSteeredV1, ProcessReportedV1
from shared.errors import Retryable
from shared.topology.queues import dead_queue
from tests import builders
from tests.fakes.clock import NOON
from tests.fakes.keys import key_of
from tests.unit.monitor.world import QUEUE, World, dead_letter

PATH = "/ops/v1/queues"
OLGA = key_of("olga", "operator")
ANNA = key_of("anna", "reviewer")
VERA = key_of("vera", "viewer")


def at(seconds: float) -> UUID:
    """The id of a fact that was told so long after noon."""
    stamp = int((NOON.timestamp() + seconds) * 1000)
    return UUID(int=stamp << 80 | new_id().int & ((1 << 80) - 1))


def report(process_id: UUID, **given: Any) -> ProcessReportedV1:  # noqa: ANN401 -- fields
    values = {
        "service": "extractor",
        "process_id": process_id,
        "build": "4d0a1c7",
        "door": "work",
        "started_at": NOON,
        "queues": (QUEUE,),
        "outbox_unsent": 2,
        "outbox_oldest_age_s": 0.5,
        "outbox_parked": 0,
        "conditions": {"breaker.gemini": "closed"},
    }
    return ProcessReportedV1.model_validate({**values, **given})


async def told(world: World, *facts: Any) -> None:  # noqa: ANN401 -- facts of any kind
    jobs = [builders.job(fact, job_id=at(place)) for place, fact in enumerate(facts)]
    await watch_facts(jobs, world.ports)


async def look(client: httpx.AsyncClient, name: str = QUEUE) -> dict[str, Any]:
    answer = await client.get(f"{PATH}/{name}", headers=VERA)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize(
    ("ready", "consumers", "health"),
    [(0, 2, "ok"), (5, 0, "stalled"), (0, 0, "short"), (5, 1, "short")],
)
async def test_a_queue_says_whether_somebody_has_to_act(
    world: World, client: httpx.AsyncClient, ready: int, consumers: int, health: str
) -> None:
    await told(world, report(uuid4()), report(uuid4()))
    world.broker.queues = [QueueState(QUEUE, ready, None, consumers)]

    shown = await look(client)

    assert (shown["health"], shown["consumers_expected"]) == (health, 2)
    assert (await look(client, "storage.store"))["health"] == "missing"


async def test_it_shows_what_died_of_it_and_how_long_the_oldest_waits(
    world: World, client: httpx.AsyncClient
) -> None:
    await world.kept(dead_letter())
    world.documents.oldest = {"waiting": 7.0, "reading": 90.0, "storing": 400.0}
    world.broker.queues = [
        QueueState(QUEUE, 1, None, 1),
        QueueState(dead_queue(QUEUE), 4, None, 1),
    ]

    shown = await look(client)

    assert (shown["dead_ready"], shown["dead_open"], shown["oldest_age_s"]) == (4, 1, 90.0)


async def test_what_the_broker_tells_of_the_oldest_counts_more(world: World) -> None:
    world.documents.oldest = {"waiting": 7.0}
    oldest = NOON - timedelta(minutes=5)
    world.broker.queues = [QueueState(QUEUE, 1, 0, 1, 1.0, 2.0, oldest)]

    [seen] = [one for one in (await look_at_queues(world.ports)).queues if one.name == QUEUE]

    assert (seen.oldest_age_s, seen.in_per_s, seen.out_per_s) == (300.0, 1.0, 2.0)


async def test_a_broker_that_does_not_answer_leaves_a_gap(
    world: World, client: httpx.AsyncClient
) -> None:
    world.broker.error = Retryable("timed out", dependency="broker")

    shown = (await client.get(PATH, headers=VERA)).json()

    assert shown["broker_answers"] is False
    assert {one["health"] for one in shown["queues"]} == {"unknown"}


async def test_a_service_stands_as_its_processes_tell(
    world: World, client: httpx.AsyncClient
) -> None:
    old, new = uuid4(), uuid4()
    await told(
        world,
        report(old, build="old"),
        report(new, build="new", outbox_unsent=9),
        report(old, build="old", outbox_unsent=4),
    )
    world.clock.advance(10)

    [service] = (await client.get(PATH, headers=VERA)).json()["services"]

    assert (service["processes"], service["builds"]) == (2, {"new": 1, "old": 1})
    # Of one ledger, whoever spoke last.
    assert (service["outbox_unsent"], service["silent_s"]) == (4, 8.0)
    assert service["conditions"] == {"breaker.gemini": "closed"}


async def test_a_process_that_is_silent_is_expected_no_more(world: World) -> None:
    await told(world, report(uuid4()), report(uuid4()))
    world.clock.advance(3_600)

    workings = await look_at_queues(world.ports)

    assert not workings.services
    assert {one.consumers_expected for one in workings.queues} == {1}


async def test_what_a_process_said_before_does_not_undo_what_it_said_since(
    world: World,
) -> None:
    process_id = uuid4()
    for place, unsent in ((2, 5), (1, 1)):
        fact = report(process_id, outbox_unsent=unsent)
        await watch_facts([builders.job(fact, job_id=at(place))], world.ports)

    [known] = world.processes.known.values()
    assert known.outbox_unsent == 5


async def test_a_pause_is_asked_of_the_owner_and_is_on_record(
    world: World, client: httpx.AsyncClient
) -> None:
    asked = {"reason": "The provider moves.", "for_s": 600}

    answer = await client.post(f"{PATH}/{QUEUE}/pause", headers=OLGA, json=asked)

    assert answer.status_code == 202
    [sent] = [one.body for one in world.ledger.messages]
    assert sent == ConsumptionSteeredV1(
        queue=QUEUE,
        paused=True,
        asked_by="olga",
        detail="The provider moves.",
        ends_at=NOON + timedelta(seconds=600),
    )
    [entry] = world.trail.entries
    assert (entry.actor, entry.action, entry.resource, entry.reason) == (
        "olga",
        "queue_paused",
        f"queue/{QUEUE}",
        "The provider moves.",
    )


async def test_a_resume_has_no_end(world: World, client: httpx.AsyncClient) -> None:
    answer = await client.post(
        f"{PATH}/{QUEUE}/resume", headers=OLGA, json={"reason": "It is back."}
    )

    assert answer.json()["asked"] == "resume"
    [sent] = [one.body for one in world.ledger.messages]
    assert isinstance(sent, ConsumptionSteeredV1)
    assert (sent.paused, sent.ends_at) == (False, None)


async def test_a_pause_shows_why_and_ends_by_itself(
    world: World, client: httpx.AsyncClient
) -> None:
    ends_at = NOON + timedelta(seconds=60)
    fact = ConsumptionPausedV1(
        queue=QUEUE, reason="operator", detail="olga: it moves", ends_at=ends_at
    )
    await told(world, fact)

    before = await look(client)
    world.clock.advance(61)
    after = await look(client)

    assert (before["health"], before["pauses"][0]["detail"]) == ("paused", "olga: it moves")
    assert after["pauses"] == []


@pytest.mark.parametrize(
    "queue", ["no.such", "extractor.steer", "monitor.watch", dead_queue(QUEUE)]
)
async def test_what_cannot_be_paused_is_not_found(
    world: World, client: httpx.AsyncClient, queue: str
) -> None:
    answer = await client.post(
        f"{PATH}/{queue}/pause", headers=OLGA, json={"reason": "Because."}
    )

    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/no-such-queue"
    assert not world.ledger.messages


@pytest.mark.parametrize("key", [ANNA, VERA])
async def test_who_may_not_pause_does_not(
    world: World, client: httpx.AsyncClient, key: dict[str, str]
) -> None:
    answer = await client.post(
        f"{PATH}/{QUEUE}/pause", headers=key, json={"reason": "Because."}
    )

    assert answer.status_code == 403
    assert [entry.action for entry in world.trail.entries] == ["refused"]
