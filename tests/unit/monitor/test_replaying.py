"""A replay sends the same job back to one queue, once, in somebody's name."""

from uuid import uuid4

import pytest

from services.monitor.domain.letters import LetterState
from services.monitor.domain.replays import AlreadyReplaying, NoSuchLetter, NotReplayable
from services.monitor.handlers.replaying import replay_letter, view_payload
from services.monitor.handlers.watching import watch_facts
from shared.bus.headers import DEAD_HEADERS
from shared.bus.jobs import Job
from shared.contracts.facts import ReplaySettledV1
from shared.contracts.identity import new_id
from tests import builders
from tests.unit.monitor.world import QUEUE, World, dead_letter, garbage


async def test_the_same_body_goes_back_to_the_failed_queue_in_the_next_run(
    world: World,
) -> None:
    letter = dead_letter(run=1)
    kept = await world.kept(letter)

    replay = await replay_letter(kept.letter_id, "olga", "Fixed.", world.ports)

    [sent] = world.ledger.resent
    assert (sent.queue, sent.body, sent.run, sent.priority) == (QUEUE, letter.body, 2, 4)
    assert sent.replay_id == replay.replay_id
    assert not sent.headers.keys() & DEAD_HEADERS
    assert "traceparent" in sent.headers
    [entry] = world.trail.entries
    assert (entry.actor, entry.action, entry.reason) == ("olga", "letter_replayed", "Fixed.")


async def test_a_second_click_finds_the_replay_on_its_way(world: World) -> None:
    kept = await world.kept(dead_letter())
    replay = await replay_letter(kept.letter_id, "olga", "Fixed.", world.ports)

    with pytest.raises(AlreadyReplaying) as caught:
        await replay_letter(kept.letter_id, "olga", "Fixed.", world.ports)

    assert caught.value.letter.replay_id == replay.replay_id
    assert len(world.ledger.resent) == 1


@pytest.mark.parametrize("outcome", ["done", "already_applied", "withdrawn"])
async def test_a_replay_that_ended_well_resolves_its_letter_for_good(
    world: World, outcome: str
) -> None:
    kept = await world.kept(dead_letter())
    replay = await replay_letter(kept.letter_id, "olga", "Fixed.", world.ports)
    told = ReplaySettledV1.model_validate(
        {
            "replay_id": replay.replay_id,
            "job_id": replay.job_id,
            "run": replay.run,
            "queue": replay.queue,
            "outcome": outcome,
        }
    )

    await watch_facts([builders.job(told)], world.ports)

    letter = await world.letter(kept.letter_id)
    assert (letter.state, letter.outcome) == (LetterState.RESOLVED, outcome)
    assert world.replays.replays[replay.replay_id].state == "settled"
    with pytest.raises(NotReplayable, match="replayed before"):
        await replay_letter(kept.letter_id, "olga", "Again.", world.ports)


async def test_the_first_end_that_is_told_is_the_end(world: World) -> None:
    kept = await world.kept(dead_letter())
    replay = await replay_letter(kept.letter_id, "olga", "Fixed.", world.ports)
    facts: list[Job[ReplaySettledV1]] = [
        builders.job(
            ReplaySettledV1(
                replay_id=replay.replay_id,
                job_id=replay.job_id,
                run=1,
                queue=QUEUE,
                outcome="done",
            )
        )
    ]
    await watch_facts(facts, world.ports)

    await world.kept(dead_letter(run=7, replay=str(replay.replay_id)))

    assert (await world.letter(kept.letter_id)).outcome == "done"


async def test_what_cannot_be_read_cannot_be_replayed(world: World) -> None:
    kept = await world.kept(garbage())

    with pytest.raises(NotReplayable, match="cannot be read"):
        await replay_letter(kept.letter_id, "olga", "Try.", world.ports)

    assert world.ledger.resent == []


async def test_a_letter_for_a_queue_that_is_none_is_not_sent_into_the_void(
    world: World,
) -> None:
    kept = await world.kept(dead_letter(queue="nobody.home"))

    with pytest.raises(NotReplayable, match=r"nobody\.home"):
        await replay_letter(kept.letter_id, "olga", "Try.", world.ports)


async def test_an_unknown_letter_is_not_replayed(world: World) -> None:
    with pytest.raises(NoSuchLetter):
        await replay_letter(uuid4(), "olga", "Try.", world.ports)


async def test_every_look_at_a_payload_is_on_record(world: World) -> None:
    letter = dead_letter(job_id=new_id())
    kept = await world.kept(letter)

    _, body = await view_payload(kept.letter_id, "olga", world.ports)

    assert body == letter.body
    [entry] = world.trail.entries
    assert (entry.actor, entry.action) == ("olga", "payload_viewed")
    assert str(kept.letter_id) in entry.resource
