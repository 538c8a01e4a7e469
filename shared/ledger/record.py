"""What has become of jobs, for the bus: finished ones, suspects and final failures."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from shared.bus.frames import Outgoing
from shared.bus.jobs import Job, Wake
from shared.bus.ports import Burial
from shared.clock import Clock
from shared.contracts.body import Body, Fact
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.postgres import PostgresUnit, replay_settled
from shared.ledger.rows import OutboxRow, columns
from shared.ledger.together import Together, Turn
from shared.topology.queues import DEAD, WorkQueue

COUNT_STARTS = statement(__file__, "count_starts")
FORGET_STARTS = statement(__file__, "forget_starts")
INSERT_LATER = statement(__file__, "insert_later")
IS_FINISHED = statement(__file__, "is_finished")
MARK_FAILED = statement(__file__, "mark_failed")
PAST_STARTS = statement(__file__, "past_starts")
TAKE_BACK_STARTS = statement(__file__, "take_back_starts")


# By which consumer, which job, in which run.
_Asked = tuple[str, UUID, int]


class PostgresJobRecord:
    def __init__(self, pool: Pool, clock: Clock, *, wake: Wake) -> None:
        self._pool = pool
        self._clock = clock
        self._wake = wake
        self._finished: Together[_Asked, bool] = Together(or_each_alone=True)

    def now(self) -> datetime:
        return self._clock.now()

    async def is_finished(self, queue: WorkQueue, job: Job[Body]) -> bool:
        """What comes at the same time is looked up at once."""
        return await self._finished((queue.name, job.job_id, job.run), self._are_finished)

    async def _are_finished(self, turn: Turn[_Asked]) -> Sequence[bool]:
        asked = zip(*await turn.take(), strict=True)
        rows = await self._pool.fetch(IS_FINISHED, *map(list, asked))
        return [row["is_finished"] for row in rows]

    async def past_starts(
        self, queue: WorkQueue, job_ids: Collection[UUID]
    ) -> Mapping[UUID, int]:
        rows = await self._pool.fetch(PAST_STARTS, queue.name, list(job_ids))
        return dict.fromkeys(job_ids, 1) | {row["job_id"]: row["starts"] for row in rows}

    async def count_starts(
        self, queue: WorkQueue, job_ids: Collection[UUID]
    ) -> Mapping[UUID, int]:
        rows = await self._pool.fetch(COUNT_STARTS, queue.name, sorted(set(job_ids)))
        return {row["job_id"]: row["starts"] for row in rows}

    async def forget_starts(self, queue: WorkQueue, job_ids: Collection[UUID]) -> None:
        await self._pool.execute(FORGET_STARTS, queue.name, sorted(set(job_ids)))

    async def take_back_starts(self, queue: WorkQueue, job_ids: Collection[UUID]) -> None:
        await self._pool.execute(TAKE_BACK_STARTS, queue.name, sorted(set(job_ids)))

    async def bury(self, burial: Burial) -> bool:
        queue = burial.queue
        async with self._pool.transaction() as connection:
            # Also where nothing marks what is done: what comes again, because the connection
            # was lost before the acknowledgement, would be a second letter and a second fact.
            if not await connection.fetchval(
                MARK_FAILED, queue.name, burial.job_id, burial.run
            ):
                return False
            unit = PostgresUnit(connection, (), self._clock)
            unit.add(
                OutboxRow(
                    priority=burial.priority,
                    exchange=DEAD,
                    routing_key=queue.name,
                    type=burial.type,
                    headers=burial.headers,
                    body=burial.body,
                )
            )
            if burial.fact is not None:
                unit.send(burial.fact, cause=_cause(burial, burial.fact))
            if burial.answer is not None:
                unit.answer(burial.answer, to=_cause(burial, burial.answer))
            await unit.flush()
        self._wake()
        return True

    async def keep_for_later(self, message: Outgoing, *, after_s: float) -> None:
        await self._pool.execute(INSERT_LATER, [after_s], *columns([OutboxRow.of(message)]))

    async def settle_replay(self, job: Job[Body], outcome: str) -> None:
        await self.announce([replay_settled(job, outcome)], cause=job)

    async def announce(self, facts: Sequence[Fact], *, cause: Job[Body]) -> None:
        if not facts:
            return
        async with self._pool.transaction() as connection:
            unit = PostgresUnit(connection, (), self._clock)
            unit.send_many(facts, cause=cause)
            await unit.flush()
        self._wake()


def _cause(burial: Burial, told: Body) -> Job[Body]:
    """The failed job, as far as telling of it needs to know it: even of an unreadable body."""
    return Job(
        body=told,
        job_id=burial.job_id,
        queue=burial.queue.name,
        headers=burial.headers,
        traceparent=burial.headers.get("traceparent"),
    )
