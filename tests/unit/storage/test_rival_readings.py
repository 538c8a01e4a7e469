"""Two readings for the place of one version, and decisions that come between.

Each has a version of its own, and whoever goes by numbers sees the same one last."""

import json
from uuid import uuid4

import pytest

from services.storage.handlers.storing import finalise_documents, store_documents
from shared.contracts.facts import DocumentFinalisedV1, DocumentStoredV1
from shared.contracts.orders import OpenReviewV1
from shared.errors import Retryable
from tests.unit.storage.world import World


@pytest.fixture
def world() -> World:
    return World()


def total_of(world: World, key: str) -> object:
    return json.loads(world.blobs.objects[key])["fields"]["total"]["value"]


@pytest.mark.parametrize("replaces", [0, 1])
async def test_a_dead_letter_that_is_replayed_beside_a_reprocess_has_a_version_of_its_own(
    world: World, replaces: int
) -> None:
    document_id = uuid4()
    if replaces:
        await store_documents([world.order(document_id)], world.use)
    reprocessed = world.reading(document_id, "2.00", replaces)
    replayed = world.reading(document_id, "3.00", replaces)

    await store_documents([reprocessed], world.use)
    await store_documents([replayed], world.use)

    *_, review, stored = world.ledger.sent
    assert isinstance(review, OpenReviewV1)
    assert isinstance(stored, DocumentStoredV1)
    last = replaces + 2
    assert (review.result_version, stored.result_version) == (last, last)
    assert review.extraction_key == replayed.body.extraction_key
    files = f"data/versions/{document_id}/v{{}}.json"
    assert total_of(world, files.format(last - 1)) == "2.00"
    assert total_of(world, files.format(last)) == stored.summary.total == "3.00"
    published = world.published(document_id)
    assert published is not None
    assert published["version"] == last


async def test_two_readings_at_once_do_not_write_to_one_place(world: World) -> None:
    document_id = uuid4()
    jobs = [world.reading(document_id, f"{total}.00", 0) for total in (2, 3)]

    await store_documents(jobs, world.use)

    totals = {total_of(world, row.result_key) for row in world.results.rows.values()}
    assert totals == {"2.00", "3.00"}


async def test_a_reading_that_was_numbered_first_and_kept_last_changes_nothing(
    world: World,
) -> None:
    document_id = uuid4()
    died, other = (world.reading(document_id, f"{total}.00", 0) for total in (2, 3))
    world.blobs.away = True
    with pytest.raises(Retryable):
        await store_documents([died], world.use)
    world.blobs.away = False
    await store_documents([other], world.use)
    told = len(world.ledger.sent)

    await store_documents([died], world.use)

    assert len(world.ledger.sent) == told
    assert died.job_id in world.ledger.done
    assert {version for _, version in world.results.rows} == {1, 2}
    published = world.published(document_id)
    assert published is not None
    assert published["version"] == 2


async def test_a_decision_counts_while_the_reading_after_it_never_came(world: World) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    died = world.reading(document_id, "2.00", 1)
    world.blobs.away = True
    with pytest.raises(Retryable):
        await store_documents([died], world.use)
    world.blobs.away = False

    await finalise_documents([world.decision(document_id)], world.use)

    finalised = world.ledger.sent[-1]
    assert isinstance(finalised, DocumentFinalisedV1)
    assert (finalised.result_version, finalised.superseded) == (3, False)
    published = world.published(document_id)
    assert published is not None
    assert published["version"] == 3

    await store_documents([died], world.use)

    stored = world.ledger.sent[-1]
    assert isinstance(stored, DocumentStoredV1)
    # Whoever goes by numbers sees it after the decision.
    assert stored.result_version == 4
    published = world.published(document_id)
    assert published is not None
    assert published["version"] == 4


async def test_a_decision_that_comes_between_number_and_commit_is_seen_at_the_commit(
    world: World,
) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    reading = world.reading(document_id, "2.00", 1)
    put_all = world.blobs.put_all

    async def decided_meanwhile(items: dict[str, bytes]) -> None:
        world.blobs.put_all = put_all  # type: ignore[method-assign] # once
        await put_all(items)
        await finalise_documents([world.decision(document_id)], world.use)

    world.blobs.put_all = decided_meanwhile  # type: ignore[method-assign, assignment] # a fault

    with pytest.raises(Retryable, match="higher number"):
        await store_documents([reading], world.use)
    await store_documents([reading], world.use)

    stored = world.ledger.sent[-1]
    assert isinstance(stored, DocumentStoredV1)
    assert stored.result_version == 4


async def test_a_decision_that_a_later_one_has_outdone_is_superseded(world: World) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    older, newer = (world.decision(document_id, review_revision=one) for one in (1, 2))

    await finalise_documents([newer], world.use)
    await finalise_documents([older], world.use)

    told = [one for one in world.ledger.sent if isinstance(one, DocumentFinalisedV1)]
    assert [(one.result_version, one.superseded) for one in told] == [(3, False), (2, True)]
