"""Contents without a document, on a real PostgreSQL: erased in time, and no others are."""

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256

import pytest

from services.ingest.domain.erasing import SPARED_S, OrphanRules
from services.ingest.handlers import delete_document
from services.ingest.handlers.erase import erase_deleted, erase_orphans
from shared.blobs.keys import content_key
from shared.errors import Retryable
from shared.topology.queues import SUBMIT
from tests import builders
from tests.broker.ingest_world import World, ingest_world, received

RULES = OrphanRules(after_s=60, keys_max=10_000, sweep_every_s=900)
STRAY = b"%PDF-1.7\n% handed in by nobody\n%%EOF\n"
EXTRACTION = content_key(sha256(b"{}").hexdigest())


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


async def has_bytes(world: World) -> bool:
    return await world.use.blobs.size(builders.CONTENT_KEY) is not None


async def orphans(world: World) -> dict[str, bool]:
    """Those that are noted, and whether each is due."""
    rows = await world.pool.fetch("SELECT content_key, due_at <= now() AS due FROM orphans")
    return {row["content_key"]: row["due"] for row in rows}


async def age(world: World, by_s: float = 61) -> None:
    await world.pool.execute(
        "UPDATE orphans SET due_at = due_at - make_interval(secs => $1)", by_s
    )


async def test_only_what_no_document_has_is_noted_and_erased_in_time(world: World) -> None:
    await received(world)
    stray = content_key(sha256(STRAY).hexdigest())
    blobs: dict[str, bytes] = world.use.blobs.objects  # type: ignore[attr-defined] # in memory
    blobs |= {stray: STRAY, EXTRACTION: b"{}", "logs/one.log": b"%PDF-"}

    assert await erase_orphans(world.use, RULES) == 0
    assert await orphans(world) == {stray: False, EXTRACTION: False}
    await age(world)
    assert await erase_orphans(world.use, RULES) == 1

    assert {*blobs} == {builders.CONTENT_KEY, EXTRACTION, "logs/one.log"}
    assert await orphans(world) == {EXTRACTION: True}
    assert await erase_orphans(world.use, RULES) == 0


async def test_an_orphan_that_somebody_takes_in_is_none(world: World) -> None:
    world.use.blobs.objects[builders.CONTENT_KEY] = builders.PDF  # type: ignore[attr-defined] # in memory
    await erase_orphans(world.use, RULES)
    await age(world)
    await received(world)

    assert await erase_orphans(world.use, RULES) == 0

    assert await has_bytes(world)
    assert await orphans(world) == {}


async def test_an_upload_never_loses_its_bytes_to_a_sweep(world: World) -> None:
    for _ in range(25):
        world.use.blobs.objects[builders.CONTENT_KEY] = builders.PDF  # type: ignore[attr-defined] # in memory
        await world.use.orphans.spare_contents([builders.CONTENT_KEY], for_s=-1)
        erased, taken = await asyncio.gather(
            erase_orphans(world.use, RULES), received(world), return_exceptions=True
        )
        assert not isinstance(erased, BaseException)
        if isinstance(taken, Retryable):
            taken = await received(world)
        assert not isinstance(taken, BaseException)
        assert await has_bytes(world)
        await delete_document(taken, owner_id=None, actor="anna", use=world.use)
        await erase_deleted(world.use)


async def test_what_is_submitted_by_message_is_spared(world: World) -> None:
    await world.use.orphans.note_orphans([builders.CONTENT_KEY], after_s=60)

    await world.use.orphans.spare_contents([builders.CONTENT_KEY], for_s=SPARED_S)
    await world.use.orphans.spare_contents([builders.CONTENT_KEY], for_s=60)
    await age(world, SPARED_S - 60)

    assert await world.use.orphans.list_due_orphans(limit=10) == []
    await age(world, 120)
    assert await world.use.orphans.list_due_orphans(limit=10) == [builders.CONTENT_KEY]


async def test_while_submissions_are_paused_nothing_becomes_due(world: World) -> None:
    world.use.blobs.objects[builders.CONTENT_KEY] = builders.PDF  # type: ignore[attr-defined] # in memory
    await erase_orphans(world.use, RULES)
    await age(world)
    await world.pool.execute(
        "INSERT INTO pauses (queue, reason, detail, probe_every_s) VALUES ($1, '', '', 1)",
        SUBMIT.name,
    )

    assert await erase_orphans(world.use, RULES) == 0
    await world.pool.execute("DELETE FROM pauses")
    assert await erase_orphans(world.use, RULES) == 0

    assert await orphans(world) == {builders.CONTENT_KEY: False}


async def test_after_a_long_silence_everything_gets_its_whole_time(world: World) -> None:
    world.use.blobs.objects[builders.CONTENT_KEY] = builders.PDF  # type: ignore[attr-defined] # in memory
    await erase_orphans(world.use, RULES)
    await age(world)
    await world.pool.execute("UPDATE orphan_walk SET walked_at = now() - interval '2 hours'")

    assert await erase_orphans(world.use, RULES) == 0

    assert await has_bytes(world)


async def test_a_store_that_was_away_for_a_moment_gives_no_orphan_its_whole_time_again(
    world: World,
) -> None:
    blobs = world.use.blobs
    blobs.objects[builders.CONTENT_KEY] = builders.PDF  # type: ignore[attr-defined] # in memory
    await erase_orphans(world.use, RULES)
    blobs.away = True  # type: ignore[attr-defined] # the same
    with pytest.raises(Retryable):
        await erase_orphans(world.use, RULES)
    blobs.away = False  # type: ignore[attr-defined] # the same
    await age(world)

    assert await erase_orphans(world.use, RULES) == 1


async def test_a_walk_that_was_killed_is_taken_over_when_its_lease_ends(world: World) -> None:
    assert await world.use.orphans.claim_walk(lease_s=60, pause_s=60)
    assert await world.use.orphans.claim_walk(lease_s=60, pause_s=60) is None

    await world.pool.execute("UPDATE orphan_walk SET leased_until = now()")
    walk = await world.use.orphans.claim_walk(lease_s=60, pause_s=60)

    assert walk is not None
    await world.use.orphans.end_walk(17)
    again = await world.use.orphans.claim_walk(lease_s=60, pause_s=60)
    assert again is not None
    assert (again.folder, again.resumed) == (17, False)
