"""Storing and finalising: one version per decision, files before the commit, paths after it."""

from uuid import uuid4

import pytest

from services.storage.handlers.publishing import repair_outputs
from services.storage.handlers.storing import finalise_documents, store_documents
from shared.bus.jobs import AlreadyHandled
from shared.contracts.body import Priority
from shared.contracts.facts import (
    DocumentFinalisedV1,
    DocumentStoredV1,
)
from shared.contracts.orders import OpenReviewV1
from shared.errors import Retryable, Withdrawn
from tests import builders
from tests.fakes.ledger import FakeLedger
from tests.unit.storage.world import DAY, World


@pytest.fixture
def world() -> World:
    return World()


async def test_a_result_is_written_published_announced_and_shown_to_a_person(
    world: World,
) -> None:
    job = world.order(priority=Priority.HIGH, due_at=builders.ACCEPTED_AT)
    document_id = job.body.document_id

    await store_documents([job], world.use)

    assert world.files() == {
        f"data/versions/{document_id}/v1.json",
        f"data/versions/{document_id}/v1.parquet",
        f"data/json/{DAY}/{document_id}.json",
        f"data/parquet/{DAY}/{document_id}.parquet",
    }
    review, stored = world.ledger.sent
    assert isinstance(review, OpenReviewV1)
    assert (review.document_id, review.result_version) == (document_id, 1)
    assert (review.priority, review.due_at) == (Priority.HIGH, builders.ACCEPTED_AT)
    assert isinstance(stored, DocumentStoredV1)
    assert stored.result_key == f"data/versions/{document_id}/v1.json"
    assert stored.cause_id == job.job_id
    assert stored.summary == builders.SUMMARY


async def test_a_batch_is_one_commit(world: World) -> None:
    jobs = [world.order() for _ in range(5)]

    await store_documents(jobs, world.use)

    assert world.ledger.done == {job.job_id for job in jobs}
    assert len(world.results.rows) == 5
    assert len(world.ledger.sent) == 10


async def test_a_duplicate_gets_no_files_and_is_shown_all_the_same(world: World) -> None:
    job = world.order(cache_hit=True)

    await store_documents([job], world.use)

    review, stored = world.ledger.sent
    assert not world.files()
    assert isinstance(review, OpenReviewV1)
    assert review.duplicate
    assert isinstance(stored, DocumentStoredV1)
    assert stored.duplicate
    assert stored.result_key == job.body.extraction_key


async def test_what_was_done_before_is_not_announced_again(world: World) -> None:
    first, second = world.order(), world.order()
    await store_documents([first], world.use)

    await store_documents([first, second], world.use)

    with pytest.raises(AlreadyHandled):
        await store_documents([first], world.use)
    assert len(world.ledger.sent) == 4


async def test_another_order_for_a_stored_document_changes_no_committed_file(
    world: World,
) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    key = f"data/versions/{document_id}/v1.json"
    world.blobs.objects[key] = b"as committed"

    await store_documents([world.order(document_id)], world.use)

    assert world.blobs.objects[key] == b"as committed"
    assert len(world.results.rows) == 1


async def test_nothing_is_committed_without_its_files(world: World) -> None:
    job = world.order()
    world.blobs.away = True

    with pytest.raises(Retryable):
        await store_documents([job], world.use)

    assert not world.results.rows
    assert world.ledger == FakeLedger()


async def test_a_missing_extraction_is_asked_for_again_until_its_document_is_withdrawn(
    world: World,
) -> None:
    # Erased with the document, whose withdrawal may come after the order to store it.
    job = world.order()
    world.blobs.objects.clear()

    with pytest.raises(Retryable, match="nothing lies under"):
        await store_documents([job], world.use)
    world.withdrawals.reasons[job.body.document_id] = "cancelled"

    with pytest.raises(Withdrawn):
        await store_documents([job], world.use)


async def test_a_store_that_goes_away_after_the_commit_fails_no_job(world: World) -> None:
    job = world.order()
    copy_all = world.blobs.copy_all

    async def away_once(copies: dict[str, str]) -> set[str]:
        world.blobs.copy_all = copy_all  # type: ignore[method-assign] # once
        raise Retryable("away", dependency="blobs")

    world.blobs.copy_all = away_once  # type: ignore[method-assign, assignment] # a fault

    await store_documents([job], world.use)

    assert world.ledger.done == {job.job_id}
    assert world.published(job.body.document_id) is None

    assert await repair_outputs(world.use, older_than_s=30) == 1
    assert world.published(job.body.document_id) is not None
    assert await repair_outputs(world.use, older_than_s=30) == 0


async def test_what_a_reviewer_decided_becomes_the_current_version(world: World) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)

    await finalise_documents([world.decision(document_id, verdict="corrected")], world.use)

    finalised = world.ledger.sent[-1]
    assert isinstance(finalised, DocumentFinalisedV1)
    assert (finalised.result_version, finalised.verdict) == (2, "corrected")
    assert finalised.summary.total == "120.00"
    published = world.published(document_id)
    assert published is not None
    assert (published["version"], published["reviewer"]) == (2, "anna")
    assert f"data/versions/{document_id}/v1.json" in world.files()


async def test_a_decision_that_arrives_twice_makes_one_version(world: World) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)

    await finalise_documents([world.decision(document_id)], world.use)
    await finalise_documents([world.decision(document_id)], world.use)

    assert sorted(version for _, version in world.results.rows) == [1, 2]


async def test_an_older_decision_that_arrives_late_does_not_become_current(
    world: World,
) -> None:
    document_id = uuid4()
    newer = world.decision(document_id, total="2.00", review_revision=2)
    older = world.decision(document_id, total="1.00", review_revision=1)

    await finalise_documents([newer], world.use)
    await finalise_documents([older], world.use)

    published = world.published(document_id)
    assert published is not None
    assert published["version"] == 3


async def test_a_finalised_duplicate_has_files_of_its_own(world: World) -> None:
    job = world.order(cache_hit=True)
    await store_documents([job], world.use)

    await finalise_documents([world.decision(job.body.document_id)], world.use)

    assert world.published(job.body.document_id) is not None


async def test_a_document_that_is_read_anew_gets_another_version_and_keeps_the_first(
    world: World,
) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    key = f"data/versions/{document_id}/v1.json"
    first = world.blobs.objects[key]

    await store_documents([world.order(document_id, replaces_version=1)], world.use)
    await store_documents([world.order(document_id, replaces_version=1)], world.use)

    review, stored = world.ledger.sent[-2:]
    assert isinstance(review, OpenReviewV1)
    assert isinstance(stored, DocumentStoredV1)
    assert (review.result_version, stored.result_version) == (2, 2)
    assert stored.result_key == f"data/versions/{document_id}/v2.json"
    published = world.published(document_id)
    assert published is not None
    assert published["version"] == 2
    assert world.blobs.objects[key] == first
    assert sorted(version for _, version in world.results.rows) == [1, 2]


async def test_a_late_decision_over_the_reading_before_is_kept_and_never_current(
    world: World,
) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    await store_documents([world.order(document_id, replaces_version=1)], world.use)

    await finalise_documents([world.decision(document_id)], world.use)

    finalised = world.ledger.sent[-1]
    assert isinstance(finalised, DocumentFinalisedV1)
    assert (finalised.result_version, finalised.superseded) == (3, True)
    assert f"data/versions/{document_id}/v3.json" in world.files()
    published = world.published(document_id)
    assert published is not None
    assert published["version"] == 2


async def test_a_decision_over_the_reading_anew_is_current(world: World) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    await finalise_documents([world.decision(document_id)], world.use)
    await store_documents([world.order(document_id, replaces_version=2)], world.use)

    await finalise_documents(
        [world.decision(document_id, review_revision=1, result_version=3)], world.use
    )

    published = world.published(document_id)
    assert published is not None
    assert (published["version"], published["verdict"]) == (4, "approved")
