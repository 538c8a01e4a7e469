"""Obey operators: pause a queue of this service until a time, or take from it again.

What was said last counts, whenever it arrives. A person outranks the machine: a pause by hand
stands in the place of one that probes, and resuming ends whichever there is. If its cause is
still there, the next deliveries will pause the queue again by themselves.
"""

from collections.abc import Collection, Sequence

from shared.bus.jobs import Job, Wake
from shared.clock import Clock
from shared.contracts.facts import ConsumptionPausedV1, ConsumptionResumedV1
from shared.contracts.processes import ConsumptionSteeredV1
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.postgres import PostgresUnit

NOTE_STEERING = statement(__file__, "note_steering")
PAUSE_BY_HAND = statement(__file__, "pause_by_hand")
RESUME_BY_HAND = statement(__file__, "resume_by_hand")

OPERATOR = "operator"


class Steering:
    def __init__(
        self, pool: Pool, clock: Clock, queues: Collection[str], *, wake: Wake
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._queues = frozenset(queues)
        self._wake = wake

    async def obey(self, jobs: Sequence[Job[ConsumptionSteeredV1]]) -> None:
        latest = {
            job.body.queue: job
            for job in sorted(jobs, key=lambda job: job.job_id)
            if job.body.queue in self._queues
        }
        if not latest:
            return
        async with self._pool.transaction() as connection:
            unit = PostgresUnit(connection, (), self._clock)
            for queue in sorted(latest):
                await self._steer(unit, latest[queue])
            await unit.flush()
        self._wake()

    async def _steer(self, unit: PostgresUnit, job: Job[ConsumptionSteeredV1]) -> None:
        queue, connection = job.body.queue, unit.connection
        if not await connection.fetchval(NOTE_STEERING, queue, job.job_id):
            return
        if job.body.paused:
            detail = f"{job.body.asked_by}: {job.body.detail}"
            before = await connection.fetchval(
                PAUSE_BY_HAND, queue, OPERATOR, detail, job.body.ends_at
            )
            paused = ConsumptionPausedV1(
                queue=queue, reason=OPERATOR, detail=detail, ends_at=job.body.ends_at
            )
            self._told_over(unit, queue, before, job)
            unit.send(paused, cause=job)
        elif reason := await connection.fetchval(RESUME_BY_HAND, queue):
            unit.send(ConsumptionResumedV1(queue=queue, reason=reason), cause=job)

    def _told_over(
        self, unit: PostgresUnit, queue: str, before: str | None, job: Job[ConsumptionSteeredV1]
    ) -> None:
        # Whoever counts pauses by their reason would otherwise keep that one for ever.
        if before not in (None, OPERATOR):
            unit.send(ConsumptionResumedV1(queue=queue, reason=str(before)), cause=job)
