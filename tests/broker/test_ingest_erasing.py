"""Erasing on a real PostgreSQL: durable, and in turn with who takes the same bytes in."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from services.ingest.domain.erasing import REPORTING
from services.ingest.handlers import delete_document
from services.ingest.handlers.erase import erase_content, erase_deleted
from services.ingest.handlers.sweep import measure_sweeps
from shared.contracts.identity import new_id
from shared.errors import Retryable
from shared.ledger.port import Unit
from shared.observability.metrics import REGISTRY
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world, received

OTHERS = [service for service in REPORTING if service != "ingest"]


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


async def deleted(world: World) -> UUID:
    document_id = await received(world)
    assert await delete_document(document_id, owner_id=None, actor="anna", use=world.use)
    return document_id


async def has_bytes(world: World) -> bool:
    return await world.use.blobs.size(builders.CONTENT_KEY) is not None


async def test_a_deletion_outlives_a_crash_before_anything_is_erased(world: World) -> None:
    await deleted(world)
    assert await has_bytes(world)

    first, second = await asyncio.gather(erase_deleted(world.use), erase_deleted(world.use))

    assert first + second == 1
    assert not await has_bytes(world)


async def test_what_could_not_be_erased_is_tried_again_later_and_later(world: World) -> None:
    await deleted(world)
    blobs = world.use.blobs
    blobs.away = True  # type: ignore[attr-defined] # those of the world are in memory

    waits = []
    for _ in range(3):
        assert await erase_deleted(world.use) == 1
        assert await erase_deleted(world.use) == 0
        waits.append(
            await world.pool.fetchval(
                "SELECT round(extract(epoch FROM next_try_at - now())) FROM erasures"
            )
        )
        await world.pool.execute("UPDATE erasures SET next_try_at = now()")

    assert waits == [5, 10, 20]
    blobs.away = False  # type: ignore[attr-defined] # the same
    assert await erase_deleted(world.use) == 1
    assert not await has_bytes(world)


@pytest.mark.parametrize("ours_first", [True, False])
async def test_a_tombstone_is_erasing_until_all_have_reported(
    world: World, ours_first: bool
) -> None:
    document_id = await deleted(world)
    at = (await world.document(document_id)).updated_at
    reports = [Told(builders.erased, 0, (("service", one),)) for one in OTHERS]

    if ours_first:
        await erase_deleted(world.use)
    for report in reports:
        assert (await world.document(document_id)).stage == "erasing"
        await world.record(report.about(document_id), report.about(document_id))
    if not ours_first:
        assert (await world.document(document_id)).stage == "erasing"
        await erase_deleted(world.use)

    document = await world.document(document_id)
    assert (document.status, document.stage, document.updated_at) == ("deleted", "done", at)
    assert await world.pool.fetchval("SELECT count(*) FROM erasures") == 0
    assert [kind for _, kind in await world.timeline(document_id)] == ["document.deleted"]


async def test_what_was_planned_before_a_service_reported_ends_without_it(
    world: World,
) -> None:
    document_id = await deleted(world)
    await world.pool.execute("UPDATE erasures SET awaited = array_remove(awaited, 'monitor')")
    reports = {one: Told(builders.erased, 0, (("service", one),)) for one in OTHERS}

    await world.record(reports.pop("monitor").about(document_id))
    await world.record(*(one.about(document_id) for one in reports.values()))
    assert (await world.document(document_id)).stage == "erasing"
    await erase_deleted(world.use)

    assert (await world.document(document_id)).stage == "done"


async def test_reports_and_erasing_do_not_dead_lock(world: World) -> None:
    ids = [await deleted(world) for _ in range(20)]
    reports = [
        Told(builders.erased, 0, (("service", one),)).about(document_id)
        for one in OTHERS
        for document_id in ids
    ]

    await asyncio.gather(
        *(world.record(*reports[at::4]) for at in range(4)),
        *(world.record(*reversed(reports[at::4])) for at in range(4)),
        erase_deleted(world.use),
        erase_deleted(world.use),
    )
    # A round leaves out what a report holds just then; the next one takes it.
    await erase_deleted(world.use)

    for document_id in ids:
        assert (await world.document(document_id)).stage == "done"


async def test_an_upload_between_the_note_and_the_erasing_keeps_its_bytes(world: World) -> None:
    await deleted(world)
    release = world.use.contents.release_content

    async def taken_in_meanwhile(unit: Unit, key: str) -> bool:
        noted = await release(unit, key)
        taken.append(asyncio.create_task(received(world)))
        return noted

    taken: list[asyncio.Task[UUID]] = []
    world.use.contents.release_content = taken_in_meanwhile  # type: ignore[method-assign, assignment] # the instant between
    lock = world.use.contents.is_erasable

    async def after_the_upload(unit: Unit, key: str) -> bool:
        await asyncio.wait(taken)
        return await lock(unit, key)

    world.use.contents.is_erasable = after_the_upload  # type: ignore[method-assign, assignment] # the same

    await erase_deleted(world.use)

    assert await has_bytes(world)
    assert (await world.document(taken[0].result())).status == "queued"


async def test_what_was_taken_in_and_deleted_since_is_erased_by_who_deleted_it_last(
    world: World,
) -> None:
    await deleted(world)
    async with world.use.ledger.unit() as unit:
        assert await world.use.contents.release_content(unit, builders.CONTENT_KEY)
    await deleted(world)

    async with world.use.ledger.unit() as unit:
        # Without a note of his own, whoever takes the bytes in now would not look for them.
        assert not await world.use.contents.is_erasable(unit, builders.CONTENT_KEY)
    while await erase_deleted(world.use):
        continue
    assert not await has_bytes(world)


async def test_an_upload_whose_bytes_were_just_erased_is_told_to_come_back(
    world: World,
) -> None:
    await deleted(world)
    async with world.use.ledger.unit() as unit:
        assert await world.use.contents.release_content(unit, builders.CONTENT_KEY)
    write = world.use.blobs.write

    async def erased_at_once(*args: object, **how: object) -> object:
        kept = await write(*args, **how)  # type: ignore[arg-type] # passed on as given
        # By one who dies before he can commit that he did.
        await world.use.blobs.delete(builders.CONTENT_KEY)
        return kept

    world.use.blobs.write = erased_at_once  # type: ignore[method-assign, assignment] # the instant between

    with pytest.raises(Retryable, match="erased"):
        await received(world)

    world.use.blobs.write = write  # type: ignore[method-assign] # as it was
    await received(world)
    assert await has_bytes(world)


async def test_a_content_that_another_document_has_is_not_erased(world: World) -> None:
    first, _ = await received(world), await received(world)
    await delete_document(first, owner_id=None, actor="anna", use=world.use)

    await erase_deleted(world.use)

    assert await has_bytes(world)
    assert not await erase_content(builders.CONTENT_KEY, world.use)


async def test_what_is_not_to_last_is_counted(world: World) -> None:
    stuck, fresh = await world.accepted(), await world.accepted()
    for one in (stuck, fresh):
        await world.record(Told(builders.started).about(one))
    await world.pool.execute(
        "UPDATE documents SET started_at = now() - interval '31 minutes',"
        " released_at = now() - interval '1 hour' WHERE document_id = $1",
        stuck,
    )
    async with world.use.ledger.unit() as unit:
        await world.use.erasures.plan_erasures(unit, {new_id(): ""})

    await measure_sweeps(world.use)

    assert REGISTRY.get_sample_value("paperline_documents_stuck") == 1
    assert REGISTRY.get_sample_value("paperline_erasures_open") == 1
