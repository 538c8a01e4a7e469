"""Nothing is lost or doubled, and when something is, the report names it."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from uuid import uuid4

import pytest

from services.monitor.handlers.conserving import report
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.watching import watch_facts
from shared.contracts.body import Body
from tests import builders
from tests.broker.monitor_world import Monitor, monitor_service
from tests.broker.told import Told, aged, began_long_ago, broken
from tests.unit.monitor.world import dead_letter


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


async def test_documents_that_went_their_way_contradict_nothing(monitor: Monitor) -> None:
    await began_long_ago(monitor)
    good, bad, busy = Told(monitor), Told(monitor), Told(monitor)
    await good.tell(good.accepted(), good.stored(), good.reviewed(), good.ended("completed"))
    await bad.tell(bad.accepted(), bad.failed(), bad.ended("failed"))
    await keep_letters([dead_letter(document_id=bad.document_id)], monitor.use)
    await busy.tell(busy.accepted())

    now = monitor.use.clock.now()
    found = await report(now - timedelta(days=30), now, monitor.use)

    assert await broken(monitor) == {}
    assert (found.sums.accepted, found.sums.ended, found.sums.in_flight) == (3, 2, 1)
    assert (found.sums.difference, found.audit) == (0, "intact")


Story = Callable[[Told], Sequence[Body]]
STORIES: dict[str, Story] = {
    "failed_without_letter": lambda t: (t.accepted(), t.failed()),
    "lost": lambda t: (t.accepted(), t.failed("lost")),
    "unreviewed": lambda t: (t.accepted(), t.stored()),
    "reviewed_twice": lambda t: (t.accepted(), t.stored(), t.reviewed(), t.reviewed()),
    "stored_twice": lambda t: (t.accepted(), t.stored(), t.stored(), t.reviewed()),
    "ended_differently": lambda t: (
        *(t.accepted(), t.stored(), t.reviewed()),
        *(t.ended("completed"), t.ended("cancelled")),
    ),
    "forgotten": lambda t: (t.accepted(),),
}


@pytest.mark.parametrize("invariant", STORIES)
async def test_what_is_lost_or_doubled_is_named(monitor: Monitor, invariant: str) -> None:
    await began_long_ago(monitor)
    good, story = Told(monitor), Told(monitor)
    await good.tell(good.accepted(), good.stored(), good.reviewed())
    await story.tell(*STORIES[invariant](story))
    await aged(monitor)

    assert await broken(monitor) == {invariant: [str(story.document_id)]}


async def test_an_end_without_a_beginning_breaks_the_sums_too(monitor: Monitor) -> None:
    await began_long_ago(monitor)
    stranger = Told(monitor)
    await stranger.tell(stranger.stored(), stranger.reviewed())

    assert await broken(monitor) == {
        "accepted_balances": [],
        "ended_unaccepted": [str(stranger.document_id)],
    }


async def test_a_replay_that_doubled_an_effect_is_named(monitor: Monitor) -> None:
    await began_long_ago(monitor)
    letter = await monitor.kept(dead_letter())
    job_id = uuid4()
    await monitor.schema.owner.execute(
        """INSERT INTO replays (replay_id, letter_id, queue, job_id, run, requested_by, reason,
                                state, outcome, settled_at, requested_at)
           SELECT gen_random_uuid(), $1, 'q', $2, n, 'o', 'r', 'settled', 'done', now(),
                  now() - interval '1 hour'
             FROM generate_series(1, 2) AS n""",
        letter.letter_id,
        job_id,
    )

    assert await broken(monitor) == {"replayed_twice": [str(job_id)]}


async def test_a_letter_that_waits_for_no_replay_is_named(monitor: Monitor) -> None:
    await began_long_ago(monitor)
    letter = await monitor.kept(dead_letter())
    await monitor.schema.owner.execute(
        """UPDATE dead_letters
              SET state = 'replaying', replay_id = gen_random_uuid(),
                  arrived_at = now() - interval '1 hour'"""
    )

    assert await broken(monitor) == {"replaying_without_replay": [str(letter.letter_id)]}


async def test_what_has_just_been_heard_of_is_not_held_against_anybody(
    monitor: Monitor,
) -> None:
    # Told long ago: the monitor was away, and what belongs to it comes after.
    await began_long_ago(monitor)
    failed, stored = Told(monitor), Told(monitor)
    await failed.tell(failed.accepted(), failed.failed())
    await stored.tell(stored.accepted(), stored.stored())

    assert await broken(monitor) == {}


async def test_what_was_lost_and_brought_to_an_end_since_is_none(monitor: Monitor) -> None:
    await began_long_ago(monitor)
    found_again = Told(monitor)
    await found_again.tell(found_again.accepted(), found_again.failed("lost"))
    await watch_facts([builders.job(found_again.stored(), run=1)], monitor.use)

    assert await broken(monitor) == {}


async def test_of_what_was_before_nothing_is_claimed(monitor: Monitor) -> None:
    stranger = Told(monitor)
    await stranger.tell(stranger.stored())

    assert await broken(monitor) == {}
