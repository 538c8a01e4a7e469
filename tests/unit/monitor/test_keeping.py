"""Every dead letter is kept, once, and settles the replay whose failure it is."""

from services.monitor.domain.letters import LetterState
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.replaying import replay_letter
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
