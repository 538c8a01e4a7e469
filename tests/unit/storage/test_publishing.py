"""The dated paths show a whole version or the one before, whatever becomes of its files."""

from uuid import uuid4

import pytest

from services.storage.handlers.publishing import repair_outputs
from services.storage.handlers.storing import finalise_documents, store_documents
from shared.observability.metrics import REGISTRY
from tests.unit.storage.world import DAY, World


@pytest.fixture
def world() -> World:
    return World()


async def test_a_lost_version_holds_up_no_other_document(world: World) -> None:
    lost, whole = world.order(), world.order()
    await store_documents([lost, whole], world.use)
    del world.blobs.objects[f"data/versions/{lost.body.document_id}/v1.json"]
    world.results.published.clear()

    before = _files_lost()

    repaired = await repair_outputs(world.use, older_than_s=30)

    assert repaired == 1
    assert world.results.published == {whole.body.document_id}
    assert list(world.results.current)[-1] == lost.body.document_id
    assert _files_lost() == before + 1


async def test_of_a_version_that_lacks_a_file_the_other_is_not_shown_either(
    world: World,
) -> None:
    document_id = uuid4()
    await store_documents([world.order(document_id)], world.use)
    await finalise_documents([world.decision(document_id)], world.use)
    world.results.published.clear()
    key = f"data/parquet/{DAY}/{document_id}.parquet"
    world.blobs.objects[key] = b"of the version before"
    del world.blobs.objects[f"data/versions/{document_id}/v2.json"]

    assert await repair_outputs(world.use, older_than_s=30) == 0

    assert world.blobs.objects[key] == b"of the version before"
    assert world.results.published == set()


async def test_a_version_that_goes_away_while_it_is_published_is_told_and_put_off(
    world: World,
) -> None:
    lost, whole = world.order(), world.order()
    copy_all, before = world.blobs.copy_all, _files_lost()

    async def gone_meanwhile(copies: dict[str, str]) -> set[str]:
        del world.blobs.objects[f"data/versions/{lost.body.document_id}/v1.parquet"]
        return await copy_all(copies)

    world.blobs.copy_all = gone_meanwhile  # type: ignore[method-assign, assignment] # a fault

    await store_documents([lost, whole], world.use)

    assert world.ledger.done == {lost.job_id, whole.job_id}
    assert world.results.published == {whole.body.document_id}
    assert _files_lost() == before + 1


async def test_what_is_published_is_what_was_kept_byte_for_byte(world: World) -> None:
    job = world.order()

    await store_documents([job], world.use)

    for suffix in ("json", "parquet"):
        kept = world.blobs.objects[f"data/versions/{job.body.document_id}/v1.{suffix}"]
        dated = f"data/{suffix}/{DAY}/{job.body.document_id}.{suffix}"
        assert world.blobs.objects[dated] == kept


def _files_lost() -> float:
    return REGISTRY.get_sample_value("paperline_result_files_lost_total") or 0.0
