"""What is withdrawn is not kept, and what was kept of it is taken back."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest

from services.storage.domain.layout import Layout
from services.storage.handlers.storing import finalise_documents, store_documents
from services.storage.handlers.withdrawing import withdraw_documents
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
)
from shared.errors import Withdrawn
from tests import builders
from tests.unit.storage.world import World


@pytest.fixture
def world() -> World:
    return World()


async def test_a_withdrawn_document_is_not_stored(world: World) -> None:
    job = world.order()
    await withdraw_documents(
        [builders.job(builders.cancelled(document_id=job.body.document_id))], world.use
    )

    with pytest.raises(Withdrawn):
        await store_documents([job], world.use)

    assert not world.files()
    assert not world.ledger.sent


async def test_the_commit_asks_again_whether_a_document_was_withdrawn(world: World) -> None:
    job = world.order()
    find_stored = world.results.find_stored

    async def cancelled_meanwhile(unit: object, versions: object) -> set[tuple[UUID, int]]:
        world.withdrawals.reasons[job.body.document_id] = "cancelled"
        return await find_stored(unit, versions)  # type: ignore[arg-type] # passed on as given

    world.results.find_stored = cancelled_meanwhile  # type: ignore[method-assign] # the instant between

    with pytest.raises(Withdrawn):
        await store_documents([job], world.use)

    assert not world.results.rows
    assert not world.ledger.done
    assert not world.files()


@pytest.mark.parametrize("fact", [builders.cancelled, builders.deleted])
async def test_a_result_that_was_kept_too_early_is_taken_back(
    world: World, fact: Callable[..., DocumentCancelledV1 | DocumentDeletedV1]
) -> None:
    job, other = world.order(), world.order()
    await store_documents([job, other], world.use)
    await finalise_documents([world.decision(job.body.document_id)], world.use)

    for _ in range(2):
        withdrawal = fact(document_id=job.body.document_id)
        await withdraw_documents([builders.job(withdrawal)], world.use)

    assert not [key for key in world.files() if str(job.body.document_id) in key]
    assert job.body.extraction_key not in world.blobs.objects
    assert other.body.extraction_key in world.blobs.objects
    assert {document_id for document_id, _ in world.results.rows} == {other.body.document_id}
    assert world.published(other.body.document_id) is not None


async def test_a_document_leaves_the_place_of_those_who_knew_no_templates(world: World) -> None:
    job = world.order()
    await store_documents([job], world.use)
    elsewhere = Layout(json="data/of/{accepted_at:%Y-%m-%d}/{document_id}.json")
    deleted = builders.job(builders.deleted(document_id=job.body.document_id))

    await withdraw_documents([deleted], replace(world.use, layout=elsewhere))

    assert not [key for key in world.files() if str(job.body.document_id) in key]


async def test_files_of_a_killed_attempt_are_taken_back_with_its_withdrawal(
    world: World,
) -> None:
    job = world.order()
    await withdraw_documents(
        [builders.job(builders.cancelled(document_id=job.body.document_id))], world.use
    )
    world.blobs.objects[f"data/versions/{job.body.document_id}/v1.json"] = b"{}"

    with pytest.raises(Withdrawn):
        await store_documents([job], world.use)

    assert not world.files()


async def test_what_was_read_of_a_withdrawn_document_is_taken_back_too(world: World) -> None:
    job = world.order()
    decision = world.decision(job.body.document_id)
    deleted = builders.deleted(document_id=job.body.document_id)
    await withdraw_documents([builders.job(deleted)], world.use)

    with pytest.raises(Withdrawn):
        await store_documents([job], world.use)
    with pytest.raises(Withdrawn):
        await finalise_documents([decision], world.use)

    assert not world.blobs.objects


async def test_each_deletion_is_reported_later_and_in_its_own_name(world: World) -> None:
    job = world.order()
    deleted = builders.job(builders.deleted(document_id=job.body.document_id), run=2)
    cancelled = builders.job(builders.cancelled())
    await store_documents([job], world.use)
    told = len(world.ledger.sent)

    await withdraw_documents([deleted, cancelled], world.use)

    # The file of its day may still hold it.
    assert len(world.ledger.sent) == told
    [erasing] = world.erasures.awaited.values()
    report, cause = erasing.fact(), erasing.cause()
    assert (report.document_id, report.service) == (job.body.document_id, "storage")
    assert (report.cause_id, cause.job_id, cause.run) == (deleted.job_id, deleted.job_id, 2)
    assert report.priority == deleted.body.priority


async def test_words_that_the_extractor_kept_too_late_are_erased_by_whoever_hears_next(
    world: World,
) -> None:
    job = world.order()
    document_id = job.body.document_id
    words = f"words/{document_id}/{'a' * 64}.json"
    await withdraw_documents(
        [builders.job(builders.deleted(document_id=document_id))], world.use
    )
    world.blobs.objects[words] = b"{}"

    with pytest.raises(Withdrawn):
        await store_documents([job], world.use)

    assert words not in world.blobs.objects
