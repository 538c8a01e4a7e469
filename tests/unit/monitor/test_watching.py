"""Facts come in any order and more than once; the picture they give is the same."""

import random
from uuid import uuid4

import pytest

from services.monitor.handlers.watching import watch_facts
from shared.bus.jobs import Job
from shared.contracts.body import Body
from shared.contracts.facts import (
    ConsumptionPausedV1,
    ConsumptionResumedV1,
    DocumentErasedV1,
)
from shared.contracts.identity import new_id
from shared.observability.metrics import REGISTRY
from tests import builders
from tests.unit.monitor.world import QUEUE, World, dead_letter


def processed(status: str) -> float:
    return REGISTRY.get_sample_value("documents_processed_total", {"status": status}) or 0.0


@pytest.mark.parametrize("seed", range(10))
async def test_a_document_ends_the_same_whatever_the_order_of_its_facts(
    world: World, seed: int
) -> None:
    about = {"document_id": uuid4()}
    jobs: list[Job[Body]] = [
        builders.job(builders.accepted(**about)),
        builders.job(builders.started(**about)),
        builders.job(builders.extracted(**about)),
        builders.job(builders.progressed(**about)),
        builders.job(builders.stored(**about)),
        builders.job(builders.ended(**about)),
        builders.job(builders.review_opened(**about)),
    ]
    random.Random(seed).shuffle(jobs)
    before = processed("completed")

    await watch_facts(jobs[:3], world.ports)
    await watch_facts(jobs[3:], world.ports)
    await watch_facts(jobs, world.ports)

    assert await world.documents.count_documents() == {"completed": 1}
    assert processed("completed") == before + 1


@pytest.mark.parametrize("seed", range(5))
async def test_a_cancel_outdoes_the_result_that_was_told_before_the_stages_knew(
    world: World, seed: int
) -> None:
    about = {"document_id": uuid4()}
    jobs: list[Job[Body]] = [
        builders.job(builders.extracted(**about)),
        builders.job(builders.stored(**about)),
        builders.job(builders.cancelled(**about)),
        builders.job(builders.ended(status="cancelled", **about)),
    ]
    random.Random(seed).shuffle(jobs)

    for job in jobs:
        await watch_facts([job], world.ports)
    await watch_facts(jobs, world.ports)

    assert await world.documents.count_documents() == {"cancelled": 1}


async def test_a_replay_reopens_a_failed_document_and_a_late_failure_does_not_close_it(
    world: World,
) -> None:
    about = {"document_id": uuid4()}
    await watch_facts([builders.job(builders.failed(**about))], world.ports)

    await watch_facts([builders.job(builders.started(**about), run=1)], world.ports)
    await watch_facts([builders.job(builders.failed(**about))], world.ports)

    assert await world.documents.count_documents() == {"processing": 1}


async def test_a_cache_hit_ends_as_a_duplicate(world: World) -> None:
    await watch_facts([builders.job(builders.stored(duplicate=True))], world.ports)

    assert await world.documents.count_documents() == {"duplicate": 1}


async def test_the_later_of_two_facts_about_a_pause_is_believed(world: World) -> None:
    earlier, later = sorted((new_id(), new_id()))
    paused = builders.job(ConsumptionPausedV1(queue=QUEUE, reason="postgres"), job_id=earlier)
    resumed = builders.job(ConsumptionResumedV1(queue=QUEUE, reason="postgres"), job_id=later)

    await watch_facts([resumed], world.ports)
    await watch_facts([paused], world.ports)

    assert await world.pauses.list_pauses() == []


async def test_a_paused_queue_is_shown_with_its_reason(world: World) -> None:
    fact = ConsumptionPausedV1(queue=QUEUE, reason="breaker_open")

    await watch_facts([builders.job(fact)], world.ports)

    [pause] = await world.pauses.list_pauses()
    assert (pause.queue, pause.reason) == (QUEUE, "breaker_open")


async def test_a_deletion_takes_the_letters_and_is_reported(world: World) -> None:
    letter = await world.kept(dead_letter())
    other = await world.kept(dead_letter())
    deletion = builders.job(builders.deleted(document_id=letter.document_id))

    await watch_facts([deletion], world.ports)

    assert world.letters.all == [other]
    [report] = world.ledger.sent
    assert isinstance(report, DocumentErasedV1)
    assert (report.document_id, report.service) == (letter.document_id, "monitor")
    assert report.cause_id == deletion.job_id
    [entry] = world.trail.entries
    assert (entry.action, entry.resource) == (
        "letter_erased",
        f"dead-letter/{letter.letter_id}",
    )


async def test_a_deletion_without_a_letter_is_reported_all_the_same(world: World) -> None:
    await watch_facts([builders.job(builders.deleted())], world.ports)

    assert [type(one) for one in world.ledger.sent] == [DocumentErasedV1]
    assert not world.trail.entries


async def test_a_cancel_takes_no_letter_and_reports_nothing(world: World) -> None:
    letter = await world.kept(dead_letter())

    await watch_facts(
        [builders.job(builders.cancelled(document_id=letter.document_id))], world.ports
    )

    assert world.letters.all == [letter]
    assert not world.ledger.sent


@pytest.mark.parametrize("seed", range(5))
async def test_what_is_deleted_stays_so_whichever_run_is_told_of(
    world: World, seed: int
) -> None:
    about = {"document_id": uuid4()}
    jobs: list[Job[Body]] = [
        builders.job(builders.started(**about)),
        builders.job(builders.deleted(**about)),
        builders.job(builders.started(**about), run=1),
        builders.job(builders.stored(**about), run=1),
    ]
    random.Random(seed).shuffle(jobs)

    for job in jobs:
        await watch_facts([job], world.ports)
    await watch_facts(jobs, world.ports)

    assert await world.documents.count_documents() == {"deleted": 1}
