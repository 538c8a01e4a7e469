"""A reading made while an engine was away: good enough for its own job, and for no other."""

from dataclasses import replace

import pytest

from tests import builders
from tests.fakes.ledger import FakeLedger
from tests.unit.extractor.world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.engine.answer = replace(world.engine.answer, engine="offline_fallback", degraded=True)
    return world


async def test_it_is_stored_and_says_what_it_is(world: World) -> None:
    await world.deliver()

    assert world.stored()[0].engine == "offline_fallback"
    assert world.extraction().degraded


async def test_the_same_content_is_read_anew_for_the_next_upload(world: World) -> None:
    await world.deliver()
    world.engine.answer = replace(world.engine.answer, engine="gemini", degraded=False)

    await world.deliver()
    await world.deliver()

    assert world.engine.calls == 2
    assert [one.cache_hit for one in world.stored()] == [False, False, True]
    assert not world.extraction().degraded


async def test_it_serves_others_where_the_configuration_says_so(world: World) -> None:
    world.terms = replace(world.terms, degraded_serves=True)
    await world.deliver()

    await world.deliver()

    assert world.engine.calls == 1
    assert [one.cache_hit for one in world.stored()] == [False, True]


async def test_its_own_job_goes_on_with_it_after_a_crash(world: World) -> None:
    job = builders.job(builders.extract_document())
    await world.deliver(job)
    # The commit was lost; what had been kept before was not.
    world.ledger = FakeLedger()

    await world.deliver(job)

    assert world.engine.calls == 1
    assert not world.stored()[0].cache_hit


async def test_its_document_is_read_anew_when_a_person_asks_for_it(world: World) -> None:
    first = builders.extract_document()
    await world.deliver(builders.job(first))
    world.engine.answer = replace(world.engine.answer, engine="gemini", degraded=False)
    again = builders.extract_document(
        document_id=first.document_id, force=True, replaces_version=1
    )

    await world.deliver(builders.job(again, run=1))

    assert world.stored()[-1].engine == "gemini"
    assert world.stored()[-1].replaces_version == 1
