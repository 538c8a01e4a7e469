"""The bus without a broker: what was published, recorded and paused, to be looked at.

`InMemoryJobRecord` behaves, and passes the conformance suite of the real one; the others are
told what to answer.
"""

import asyncio
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.bus.answering import answer_message
from shared.bus.connection import Link
from shared.bus.frames import Outgoing
from shared.bus.jobs import Job
from shared.bus.ports import Burial, Pause
from shared.bus.publisher import Outcome, Publisher
from shared.clock import Clock
from shared.contracts.body import Body, Fact
from shared.errors import Retryable
from shared.ledger.postgres import replay_settled
from shared.ledger.rows import OutboxRow, row_for
from shared.topology.queues import DEAD, WorkQueue
from tests.fakes.clock import FakeClock


def no_link() -> Link:
    """For what wants a connection and must not use it."""
    return Link("amqp://nobody.invalid", purpose="test", name="test")


class FakePublisher(Publisher):
    """Confirms everything, unless `outcomes` holds what to say next."""

    def __init__(self) -> None:
        super().__init__(no_link(), app_id="test")
        self.published: list[Outgoing] = []
        self.outcomes: deque[Outcome] = deque()

    async def publish(self, messages: Sequence[Outgoing]) -> list[Outcome]:
        self.published += messages
        return [
            self.outcomes.popleft() if self.outcomes else Outcome.CONFIRMED for _ in messages
        ]


@dataclass(frozen=True, slots=True)
class Mark:
    outcome: str
    run: int


class InMemoryJobRecord:
    """Marks, starts and an outbox in memory. `away` is raised instead of doing anything."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or FakeClock()
        self.away: Retryable | None = None
        self.marks: dict[tuple[str, UUID], Mark] = {}
        self.starts: dict[tuple[str, UUID], int] = {}
        self.outbox: list[OutboxRow] = []
        # With the seconds after which each is owed.
        self.later: list[tuple[float, OutboxRow]] = []

    def mark_done(self, queue: WorkQueue, job: Job[Body]) -> bool:
        """As the commit of a handler does. False when somebody had finished it before."""
        return self._mark(queue, job.job_id, Mark("done", job.run))

    def now(self) -> datetime:
        return self.clock.now()

    async def is_finished(self, queue: WorkQueue, job: Job[Body]) -> bool:
        self._require_present()
        mark = self.marks.get((queue.name, job.job_id))
        return mark is not None and (mark.outcome == "done" or mark.run >= job.run)

    async def past_starts(
        self, queue: WorkQueue, job_ids: Collection[UUID]
    ) -> Mapping[UUID, int]:
        self._require_present()
        return {job_id: self.starts.get((queue.name, job_id), 1) for job_id in job_ids}

    async def count_starts(
        self, queue: WorkQueue, job_ids: Collection[UUID]
    ) -> Mapping[UUID, int]:
        self._require_present()
        for job_id in set(job_ids):
            # The first start went unrecorded.
            self.starts[queue.name, job_id] = self.starts.get((queue.name, job_id), 1) + 1
        return {job_id: self.starts[queue.name, job_id] for job_id in job_ids}

    async def forget_starts(self, queue: WorkQueue, job_ids: Collection[UUID]) -> None:
        self._require_present()
        for job_id in job_ids:
            self.starts.pop((queue.name, job_id), None)

    async def take_back_starts(self, queue: WorkQueue, job_ids: Collection[UUID]) -> None:
        self._require_present()
        for job_id in set(job_ids):
            self.starts[queue.name, job_id] = self.starts.get((queue.name, job_id), 1) - 1

    async def bury(self, burial: Burial) -> bool:
        self._require_present()
        queue = burial.queue
        if not self._mark(queue, burial.job_id, Mark("failed", burial.run)):
            return False
        self.outbox.append(_letter(burial))
        if burial.fact is not None:
            cause: Job[Body] = Job(
                burial.fact,
                burial.job_id,
                burial.queue.name,
                headers=burial.headers,
                traceparent=burial.headers.get("traceparent"),
            )
            self._write(burial.fact, cause)
        if burial.answer is not None:
            answer = answer_message(burial.answer, burial.headers, now=self.now())
            self.outbox.append(OutboxRow.of(answer))
        return True

    async def keep_for_later(self, message: Outgoing, *, after_s: float) -> None:
        self._require_present()
        self.later.append((after_s, OutboxRow.of(message)))

    async def settle_replay(self, job: Job[Body], outcome: str) -> None:
        self._require_present()
        self._write(replay_settled(job, outcome), job)

    async def announce(self, facts: Sequence[Fact], *, cause: Job[Body]) -> None:
        self._require_present()
        for fact in facts:
            self._write(fact, cause)

    def _mark(self, queue: WorkQueue, job_id: UUID, mark: Mark) -> bool:
        before = self.marks.get((queue.name, job_id))
        if before is not None and (before.outcome == "done" or before.run >= mark.run):
            return False
        self.marks[queue.name, job_id] = mark
        return True

    def _write(self, fact: Fact, cause: Job[Body]) -> None:
        self.outbox.append(row_for(fact, cause=cause, job_id=None, created_at=self.now()))

    def _require_present(self) -> None:
        if self.away is not None:
            raise self.away


@dataclass(frozen=True, slots=True)
class Asked:
    queue: str
    reason: str
    detail: str
    probe_every_s: float


class FakePauseBoard:
    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.resumed: list[str] = []
        self.pauses: dict[str, Pause] = {}
        self.grants_probes = True
        self._changed = asyncio.Event()

    def paused(self, queue: str) -> Pause | None:
        return self.pauses.get(queue)

    async def pause(
        self, queue: str, *, reason: str, detail: str, probe_every_s: float
    ) -> None:
        self.asked.append(Asked(queue, reason, detail, probe_every_s))
        self.pauses[queue] = Pause(queue, reason, probe_due=False)
        self.tell()

    async def resume(self, queue: str, reason: str) -> None:
        if queue in self.pauses and self.pauses[queue].reason != reason:
            return
        self.resumed.append(queue)
        self.pauses.pop(queue, None)
        self.tell()

    async def claim_probe(self, _queue: str) -> bool:
        return self.grants_probes

    async def next_change(self) -> None:
        await self._changed.wait()

    def tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _letter(burial: Burial) -> OutboxRow:
    return OutboxRow(
        priority=burial.priority,
        exchange=DEAD,
        routing_key=burial.queue.name,
        type=burial.type,
        headers=burial.headers,
        body=burial.body,
    )
