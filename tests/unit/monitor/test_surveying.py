"""The overview comes up while things are broken, and the gauges follow what is so."""

from dataclasses import replace

from services.monitor.domain.overview import QueueState
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.surveying import measure, survey
from shared.errors import Retryable
from shared.observability.metrics import DOCUMENTS, OLDEST_AGE_SECONDS, REGISTRY
from tests.fakes.monitor import FakeBroker
from tests.unit.monitor.world import QUEUE, World, dead_letter


def open_letters(queue: str) -> float | None:
    return REGISTRY.get_sample_value("paperline_dead_letters_open", {"queue": queue})


def oldest_age(stage: str) -> float | None:
    return REGISTRY.get_sample_value("paperline_oldest_age_seconds", {"stage": stage})


async def test_a_broker_that_does_not_answer_leaves_a_gap_and_no_error(world: World) -> None:
    await world.kept(dead_letter())
    world.broker.error = Retryable("timed out", dependency="broker")

    overview = await survey(world.ports)

    assert overview.queues is None
    assert [group.letters for group in overview.open_letters] == [1]


async def test_an_overview_shows_queues_and_replays_on_their_way(world: World) -> None:
    world.broker.queues = [QueueState(QUEUE, 3, 1, 2)]
    kept = await world.kept(dead_letter())
    await replay_letter(kept.letter_id, "olga", "Fixed.", world.ports)

    overview = await survey(world.ports)

    assert overview.queues == [QueueState(QUEUE, 3, 1, 2)]
    assert overview.running_replays == 1


async def test_the_gauge_of_open_letters_falls_when_they_are_gone(world: World) -> None:
    await world.kept(dead_letter())
    await world.kept(dead_letter(dead_reason="too_large"))

    await measure(world.ports)
    before = open_letters(QUEUE)
    world.letters.letters.clear()
    await measure(world.ports)

    assert before == 2
    assert not open_letters(QUEUE)


async def test_what_arrived_nowhere_has_one_label_whatever_a_client_wrote(world: World) -> None:
    for name in ("to.whom", "it.may.concern"):
        await world.kept(replace(dead_letter(), dead_queue="unroutable", origin_queue=name))

    await measure(world.ports)

    assert open_letters("unroutable") == 2
    assert open_letters("to.whom") is None


async def test_what_is_not_there_any_more_counts_zero(world: World) -> None:
    DOCUMENTS.labels("queued").set(7)
    OLDEST_AGE_SECONDS.labels("reading").set(900)
    world.documents.oldest = {"storing": 4.0}

    await measure(world.ports)

    assert REGISTRY.get_sample_value("paperline_documents", {"status": "queued"}) == 0
    assert oldest_age("reading") == 0
    assert oldest_age("storing") == 4


async def test_how_full_queues_are_is_not_told_while_nobody_knows(world: World) -> None:
    labels = {"queue": QUEUE, "state": "ready"}
    world.broker.queues = [QueueState(QUEUE, 3, 1, 2)]
    await measure(world.ports)
    known = REGISTRY.get_sample_value("paperline_queue_messages", labels)
    world.broker.error = Retryable("timed out", dependency="broker")

    await measure(world.ports)

    assert known == 3
    assert REGISTRY.get_sample_value("paperline_queue_messages", labels) is None


async def test_the_last_number_stands_while_the_broker_is_asked(world: World) -> None:
    labels = {"queue": QUEUE, "state": "ready"}
    world.broker.queues = [QueueState(QUEUE, 3, 1, 2)]
    await measure(world.ports)
    seen = list[float | None]()

    class Asked(FakeBroker):
        async def list_queues(self) -> list[QueueState] | None:
            seen.append(REGISTRY.get_sample_value("paperline_queue_messages", labels))
            return None

    await measure(replace(world.ports, broker=Asked()))

    assert seen == [3]
