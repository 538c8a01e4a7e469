"""The ledger in PostgreSQL: mark, state and messages are one commit or none.

The mark comes first. Two copies of a job that race meet at it: the second waits for the
first's commit, gets no row back and rolls back before it has done anything.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from uuid import UUID

from shared.bus.answering import answer_message
from shared.bus.headers import DEAD_HEADERS, DEFERRALS, REPLAY, RUN, SINCE
from shared.bus.jobs import AlreadyHandled, Job, Wake
from shared.clock import Clock
from shared.contracts.body import Answer, Body
from shared.contracts.envelope import decode, with_attempt
from shared.contracts.facts import ReplaySettledV1
from shared.database.pool import Connection, Pool
from shared.database.statements import statement
from shared.failpoints import failpoint
from shared.ledger.port import Resend, Unit
from shared.ledger.rows import OutboxRow, columns, row_for
from shared.topology.queues import JOBS

INSERT_OUTBOX = statement(__file__, "insert_outbox")
MARK_DONE = statement(__file__, "mark_done")

# What a replay leaves behind: the facts of the failure, and the waits of the run before.
_LEFT_BEHIND = DEAD_HEADERS | {SINCE, DEFERRALS}


class PostgresUnit:
    """Collects what is sent and writes it with one statement before the commit."""

    def __init__(self, connection: Connection, jobs: Sequence[Job[Body]], clock: Clock) -> None:
        self.connection = connection
        self.jobs = jobs
        self._clock = clock
        self._rows: list[OutboxRow] = []

    @property
    def owes(self) -> bool:
        return bool(self._rows)

    def send(
        self, body: Body, *, cause: Job[Body] | None = None, job_id: UUID | None = None
    ) -> None:
        cause = cause or (self.jobs[0] if len(self.jobs) == 1 else None)
        self._rows.append(
            row_for(body, cause=cause, job_id=job_id, created_at=self._clock.now())
        )

    def send_many(self, bodies: Sequence[Body], *, cause: Job[Body] | None = None) -> None:
        for body in bodies:
            self.send(body, cause=cause)

    def answer(self, answer: Answer, *, to: Job[Body]) -> None:
        if to.wants_answer:
            message = answer_message(answer, to.headers, now=self._clock.now())
            self._rows.append(OutboxRow.of(message))

    def resend(self, letter: Resend) -> None:
        headers = {k: v for k, v in letter.headers.items() if k not in _LEFT_BEHIND}
        headers |= {RUN: str(letter.run), REPLAY: str(letter.replay_id)}
        self._rows.append(
            OutboxRow(
                priority=letter.priority,
                exchange=JOBS,
                routing_key=letter.queue,
                type=decode(letter.body).header.type,
                headers=headers,
                body=with_attempt(letter.body, 1),
            )
        )

    def add(self, row: OutboxRow) -> None:
        """A message that is complete already, as a dead letter is."""
        self._rows.append(row)

    async def flush(self) -> None:
        if self._rows:
            await self.connection.execute(INSERT_OUTBOX, *columns(self._rows))


class PostgresLedger:
    def __init__(self, pool: Pool, clock: Clock, *, wake: Wake) -> None:
        self._pool = pool
        self._clock = clock
        # The relay of this process need not wait for its next look.
        self._wake = wake

    def handling(self, *jobs: Job[Body]) -> AbstractAsyncContextManager[Unit]:
        return self._open(jobs)

    def unit(self) -> AbstractAsyncContextManager[Unit]:
        return self._open(())

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[Unit]:
        async with self._pool.acquire() as connection:
            unit = PostgresUnit(connection, (), self._clock)
            yield unit
            await unit.flush()
        if unit.owes:
            self._wake()

    @asynccontextmanager
    async def _open(self, jobs: Sequence[Job[Body]]) -> AsyncIterator[PostgresUnit]:
        async with self._pool.transaction() as connection:
            fresh = await mark_done(connection, jobs)
            unit = PostgresUnit(connection, fresh, self._clock)
            yield unit
            settle_replays(unit, jobs, fresh)
            await unit.flush()
            await failpoint("unit.before_commit")
        await failpoint("unit.after_commit")
        if unit.owes:
            self._wake()


async def mark_done(connection: Connection, jobs: Sequence[Job[Body]]) -> Sequence[Job[Body]]:
    """The jobs that were not done before, now marked. Raises AlreadyHandled without any."""
    if not jobs:
        return ()
    # In key order: two batches with jobs in common must not wait for each other crosswise.
    by_id = {job.job_id: job for job in sorted(jobs, key=lambda job: job.job_id)}
    runs = [job.run for job in by_id.values()]
    rows = await connection.fetch(MARK_DONE, jobs[0].queue, list(by_id), runs)
    fresh = {row["job_id"] for row in rows}
    if not fresh:
        raise AlreadyHandled
    return [job for job in jobs if job.job_id in fresh]


def settle_replays(unit: Unit, jobs: Sequence[Job[Body]], fresh: Sequence[Job[Body]]) -> None:
    done = {job.job_id for job in fresh}
    for job in jobs:
        if job.replay_id is not None:
            outcome = "done" if job.job_id in done else "already_applied"
            unit.send(replay_settled(job, outcome), cause=job)


def replay_settled(job: Job[Body], outcome: str) -> ReplaySettledV1:
    if job.replay_id is None:
        raise ValueError("this job is no replay")
    return ReplaySettledV1.model_validate(
        {
            "replay_id": job.replay_id,
            "job_id": job.job_id,
            "run": job.run,
            "queue": job.queue,
            "outcome": outcome,
        }
    )
