"""Every dead letter is kept, once, and settles the replay whose failure it is."""

from dataclasses import replace
from uuid import uuid4

import pytest

from services.monitor.domain.letters import LetterState
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.watching import watch_facts
from shared.contracts.body import DocumentFact
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from tests import builders
from tests.fakes.clock import NOON
from tests.unit.monitor.world import World, dead_letter, garbage


async def test_a_letter_delivered_twice_is_one_letter(world: World) -> None:
    letter = dead_letter()

    await keep_letters([letter, letter], world.ports)
    await keep_letters([letter], world.ports)

    [kept] = world.letters.all
    assert kept.state is LetterState.OPEN
    assert world.letters.bodies[kept.letter_id] == letter.body


async def test_garbage_is_kept_beside_the_letters_it_came_with(world: World) -> None:
    await keep_letters([dead_letter(), garbage(), dead_letter()], world.ports)

    assert len(world.letters.all) == 3
    assert garbage().body in world.letters.bodies.values()


async def test_a_replay_that_fails_again_leaves_one_open_letter(world: World) -> None:
    first = await world.kept(dead_letter())
    assert first.job_id is not None
    replay = await replay_letter(first.letter_id, "olga", "Fixed.", world.ports)

    again = await world.kept(
        dead_letter(job_id=first.job_id, run=1, replay=str(replay.replay_id))
    )

    assert (await world.letter(first.letter_id)).state is LetterState.REFAILED
    assert again.state is LetterState.OPEN
    assert world.replays.replays[replay.replay_id].outcome == "refailed"


async def test_a_letter_of_a_replay_nobody_here_started_is_simply_kept(world: World) -> None:
    await keep_letters([dead_letter(run=1, replay="no id at all")], world.ports)

    assert [one.state for one in world.letters.all] == [LetterState.OPEN]


async def test_a_letter_that_comes_after_its_document_was_deleted_is_let_go(
    world: World,
) -> None:
    document_id = uuid4()
    await watch_facts([builders.job(builders.deleted(document_id=document_id))], world.ports)
    late, other, odd = dead_letter(document_id=document_id), dead_letter(), garbage()

    await keep_letters([late, other, odd], world.ports)

    assert sorted(world.letters.bodies.values()) == sorted([other.body, odd.body])


async def test_a_letter_of_a_cancelled_document_is_kept(world: World) -> None:
    document_id = uuid4()
    await watch_facts([builders.job(builders.cancelled(document_id=document_id))], world.ports)

    await keep_letters([dead_letter(document_id=document_id)], world.ports)

    assert len(world.letters.all) == 1


@pytest.mark.parametrize("fact", [builders.deleted(), builders.erased()], ids=lambda f: f.type)
async def test_a_letter_without_which_an_erasing_would_not_end_is_kept(
    world: World, fact: DocumentFact
) -> None:
    deleted = builders.job(builders.deleted(document_id=fact.document_id))
    body = encode(fact, job_id=new_id(), created_at=NOON, traceparent=None)
    letter = replace(dead_letter(queue="storage.withdraw"), body=body)
    await watch_facts([deleted], world.ports)

    await keep_letters([letter], world.ports)
    await watch_facts([deleted], world.ports)

    [kept] = world.letters.all
    assert (kept.document_id, kept.type) == (fact.document_id, fact.type)
