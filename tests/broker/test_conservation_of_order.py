"""Nobody is forgotten or waits out of turn; when somebody does, the report names him."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.watching import watch_facts
from tests.broker.monitor_world import Monitor, monitor_service
from tests.broker.told import Told, began_long_ago, broken
from tests.unit.monitor.world import dead_letter


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


async def test_a_replay_that_nobody_hears_of_is_named(monitor: Monitor) -> None:
    await began_long_ago(monitor)
    letter = await monitor.kept(dead_letter())
    await replay_letter(letter.letter_id, "olga", "Fixed.", monitor.use)
    assert await broken(monitor) == {}

    await monitor.schema.owner.execute(
        "UPDATE replays SET requested_at = now() - interval '50 hours'"
    )

    assert await broken(monitor) == {"replay_unheard": [str(letter.letter_id)]}
    await monitor.schema.owner.execute(
        "INSERT INTO queue_pauses (queue, reason, paused, told_by) VALUES ($1, 'operator', "
        "true, gen_random_uuid())",
        letter.origin_queue,
    )
    assert await broken(monitor) == {}


async def test_messages_that_wait_for_a_person_are_named(monitor: Monitor) -> None:
    reported = """
        INSERT INTO processes_seen (
               process_id, service, build, door, queues, started_at, outbox_unsent,
               outbox_oldest_age_s, outbox_parked, conditions, said_at)
        SELECT gen_random_uuid(), service, 'b', 'all', '{}', now(), 0, 0, parked, '{}',
               now() - age
          FROM (VALUES ('ingest', 2, interval '1 second'), ('ingest', 2, interval '0'),
                       ('review', 0, interval '0'), ('storage', 7, interval '1 hour'))
               AS told (service, parked, age)"""
    await monitor.schema.owner.execute(reported)

    assert await broken(monitor) == {"parked": ["ingest"]}


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    "story", ["behind", "few", "in_hand", "among_urgent", "told_to_wait", "held"]
)
async def test_urgent_work_that_did_not_overtake_is_named(monitor: Monitor, story: str) -> None:
    await began_long_ago(monitor)
    urgent = Told(monitor, priority=5, owner_id="hurry")
    begun_after = MINUTE / 20 if story == "in_hand" else MINUTE / 3
    crowd = [Told(monitor) for _ in range(20 if story == "few" else 30)]
    jobs = [job for one in crowd for job in one.jobs(one.accepted(), after=-MINUTE)]
    hurried: list[Told] = []
    if story == "among_urgent":
        hurried = [Told(monitor, priority=5, owner_id="others") for _ in range(100)]
    if story == "held":
        hurried = [Told(monitor, priority=5, owner_id="hurry")]
        hurried[0].accepted_before(urgent)
    # Nobody kept these waiting, or they would be named themselves.
    jobs += [job for one in hurried for job in one.jobs(one.accepted(), after=begun_after)]
    crowd += hurried
    jobs += [job for one in crowd for job in one.jobs(one.started(), after=begun_after)]
    if story == "told_to_wait":
        jobs += urgent.jobs(urgent.waiting(), after=MINUTE / 2)
    jobs += urgent.jobs(urgent.accepted(), after=timedelta())
    jobs += urgent.jobs(urgent.started(), after=MINUTE)
    await watch_facts(jobs, monitor.use)
    # When it was told, and not all of it now.
    await monitor.schema.owner.execute("UPDATE document_facts SET heard_at = said_at")

    named = [str(urgent.document_id)]
    assert await broken(monitor) == (
        {"urgent_stood_behind": named} if story == "behind" else {}
    )


BEGUN = """
    INSERT INTO documents_seen (
           document_id, owner_id, accepted_at, status, run, rank, priority)
    SELECT gen_random_uuid(), 'others', now() - interval '59 hours' + n * interval '1 second',
           'processing', 0, 20, $2
      FROM generate_series(1, $1::integer) AS n"""


@pytest.mark.parametrize(
    ("begun", "priority", "excuse", "is_named"),
    [
        (300, 5, "", True),
        # As many as may be let go before its turn, and a few that are in hand.
        (230, 5, "", False),
        (2_300, 4, "", True),
        (2_100, 4, "", False),
        (300, 5, "told", False),
        (300, 5, "sibling", False),
        (300, 5, "young", False),
    ],
)
async def test_what_waits_longest_and_has_no_turn_is_named(
    monitor: Monitor, begun: int, priority: int, excuse: str, is_named: bool
) -> None:
    await began_long_ago(monitor)
    oldest = Told(monitor)
    await oldest.tell(oldest.accepted(), *([oldest.waiting()] if excuse == "told" else []))
    if excuse == "sibling":
        sibling = Told(monitor)
        await sibling.tell(sibling.accepted(), sibling.started())
    if excuse != "young":
        await monitor.schema.owner.execute(
            "UPDATE documents_seen SET moved_at = now() - interval '1 hour'"
        )
    await monitor.schema.owner.execute(BEGUN, begun, priority)

    named = (await broken(monitor)).get("starved")
    assert named == ([str(oldest.document_id)] if is_named else None)
