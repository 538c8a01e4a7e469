"""Nothing is lost or doubled, and when something is, the report names it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from services.monitor.handlers.conserving import report
from services.monitor.handlers.duties import perform
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.promising import check_levels
from services.monitor.handlers.snapshotting import keep_snapshots
from services.monitor.handlers.watching import watch_facts
from shared.contracts import facts
from shared.contracts.body import Body
from shared.contracts.identity import new_id
from shared.ledger.port import Unit
from tests import builders
from tests.broker.monitor_world import Monitor, monitor_service
from tests.unit.monitor.world import dead_letter

# Longer ago than any grace, and within what is looked at.
AGO = timedelta(hours=60)


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


class Told:
    """What services tell of one document, accepted long enough ago."""

    def __init__(self, monitor: Monitor, **given: Any) -> None:  # noqa: ANN401 -- fields
        self.document_id = uuid4()
        self._monitor = monitor
        accepted_at = monitor.use.clock.now() - AGO
        self._known = {
            "document_id": self.document_id,
            "owner_id": "acme",
            "accepted_at": accepted_at,
            **given,
        }

    def accepted(self) -> Body:
        return facts.DocumentAcceptedV1.model_validate(
            {**self._known, "sha256": "a" * 64, "media_type": "image/png", "size_bytes": 1}
        )

    def stored(self) -> Body:
        return facts.DocumentStoredV1.model_validate(
            {
                **self._known,
                "result_version": 1,
                "result_key": "k",
                "engine": "offline",
                "confidence": 1,
            }
        )

    def reviewed(self) -> Body:
        return facts.ReviewOpenedV1.model_validate({**self._known, "confidence": 1})

    def failed(self) -> Body:
        return facts.DocumentFailedV1.model_validate(
            {**self._known, "stage": "extract", "reason": "unreadable", "attempts": 1}
        )

    def waiting(self) -> Body:
        return facts.DocumentWaitingV1.model_validate(
            {**self._known, "stage": "extract", "reason": "the provider", "attempt": 1}
        )

    def ended(self, status: str) -> Body:
        return facts.DocumentEndedV1.model_validate({**self._known, "status": status})

    async def tell(self, *told: Body, after: timedelta = timedelta(seconds=1)) -> None:
        at = self._known["accepted_at"] + after
        jobs = [builders.job(one, job_id=_at(at.timestamp())) for one in told]
        await watch_facts(jobs, self._monitor.use)


def _at(seconds: float) -> UUID:
    return UUID(int=int(seconds * 1000) << 80 | new_id().int & ((1 << 80) - 1))


async def began_long_ago(monitor: Monitor) -> None:
    await monitor.schema.owner.execute(
        "UPDATE conservation_began SET at = now() - interval '30 days'"
    )


async def aged(monitor: Monitor) -> None:
    """Nothing has been heard of any document since."""
    await monitor.schema.owner.execute(
        "UPDATE documents_seen SET moved_at = now() - interval '59 hours'"
    )


async def broken(monitor: Monitor) -> dict[str, list[str]]:
    now = monitor.use.clock.now()
    found = await report(now - timedelta(days=30), now, monitor.use)
    assert found.holds is not any(one.total for one in found.violations)
    return {
        one.invariant: [offender.subject for offender in one.offenders]
        for one in found.violations
        if one.total
    }


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


async def test_of_what_was_before_nothing_is_claimed(monitor: Monitor) -> None:
    stranger = Told(monitor)
    await stranger.tell(stranger.stored())

    assert await broken(monitor) == {}


async def test_late_is_who_came_to_no_end_in_time(monitor: Monitor) -> None:
    recent = {"accepted_at": monitor.use.clock.now() - timedelta(hours=2)}
    quick, slow, lost, excused = (Told(monitor, **recent) for _ in range(4))
    await quick.tell(quick.accepted(), quick.stored())
    await slow.tell(slow.accepted(), slow.stored(), after=timedelta(minutes=6))
    await lost.tell(lost.accepted())
    await excused.tell(excused.accepted(), excused.waiting())

    async with monitor.use.ledger.unit() as unit:
        levels = await monitor.use.numbers.measure_levels(unit, monitor.use.terms)

    [normal] = [one for one in levels if one.priority == 3]
    assert (normal.due, normal.late, normal.excused) == (4, 3, 1)
    assert sum(one.due for one in levels) == 4


async def test_of_many_monitors_one_does_a_duty(monitor: Monitor) -> None:
    done = await asyncio.gather(*(check_levels(monitor.use) for _ in range(6)))
    again = await asyncio.gather(*(check_levels(monitor.use) for _ in range(6)))

    assert (sum(done), sum(again)) == (1, 0)


async def test_a_duty_that_was_cut_off_was_not_done(monitor: Monitor) -> None:
    async def dies(unit: Unit, before: Any) -> Any:  # noqa: ANN401 -- a result
        unit.send(Told(monitor).accepted())
        raise ValueError("in the middle")

    async def works(unit: Unit, before: Any) -> Any:  # noqa: ANN401 -- a result
        return {**before, "done": True}

    with pytest.raises(ValueError, match="in the middle"):
        await perform("a duty", 300, dies, monitor.use)
    assert await monitor.schema.outbox() == []

    assert await perform("a duty", 300, works, monitor.use)
    assert not await perform("a duty", 300, works, monitor.use)


async def test_an_hour_is_counted_and_kept(monitor: Monitor) -> None:
    hour = timedelta(hours=1)
    told = Told(monitor, accepted_at=monitor.use.clock.now() - hour)
    await told.tell(told.accepted(), told.stored())

    assert await keep_snapshots(monitor.use)

    last = monitor.use.clock.now().replace(minute=0, second=0, microsecond=0) - hour
    numbers = {
        one.name
        for place in (last, last - hour)
        for one in await monitor.use.numbers.count_hour(place)
        if one.value
    }
    assert "accepted" in numbers
    assert await monitor.use.facts.forget_facts(1, 10) == 0
