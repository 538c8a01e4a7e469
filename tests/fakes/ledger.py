"""A ledger in memory: marks, and what left with a commit. It passes for the real one in unit
tests because handlers see no more of it than `shared/ledger/port.py` promises.

`.sent` holds the bodies that left with a commit, in order; `.done` the ids of finished jobs.
A unit that ends with an error leaves no trace, as a rolled back transaction.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from shared.bus.jobs import AlreadyHandled, Job
from shared.contracts.body import Answer, Body
from shared.contracts.identity import new_id
from shared.ledger.port import Resend


@dataclass(frozen=True, slots=True)
class Sent:
    """One message as the outbox would hold it; it inherits the run of its cause."""

    body: Body
    job_id: UUID
    cause: Job[Body] | None

    @property
    def run(self) -> int:
        return self.cause.run if self.cause else 0


class FakeUnit:
    def __init__(self, jobs: Sequence[Job[Body]] = ()) -> None:
        self.jobs: Sequence[Job[Body]] = tuple(jobs)
        # In-memory adapters ignore it; nothing else may touch it.
        self.connection: object = object()
        self.messages: list[Sent] = []
        self.resent: list[Resend] = []
        self.answered: list[tuple[Job[Body], Answer]] = []

    def send(
        self, body: Body, *, cause: Job[Body] | None = None, job_id: UUID | None = None
    ) -> None:
        self.messages.append(Sent(body, job_id or new_id(), cause))

    def send_many(self, bodies: Sequence[Body], *, cause: Job[Body] | None = None) -> None:
        for body in bodies:
            self.send(body, cause=cause)

    def answer(self, answer: Answer, *, to: Job[Body]) -> None:
        if to.wants_answer:
            self.answered.append((to, answer))

    def resend(self, letter: Resend) -> None:
        self.resent.append(letter)


@dataclass(slots=True)
class FakeLedger:
    messages: list[Sent] = field(default_factory=list)
    done: set[UUID] = field(default_factory=set)
    resent: list[Resend] = field(default_factory=list)
    answered: list[tuple[Job[Body], Answer]] = field(default_factory=list)
    # Raised where the commit would be: a lost connection, say.
    error: Exception | None = None
    # Of those there are just now: nothing slow may be done in one.
    open_units: int = 0

    @property
    def sent(self) -> list[Body]:
        return [message.body for message in self.messages]

    @asynccontextmanager
    async def handling(self, *jobs: Job[Body]) -> AsyncIterator[FakeUnit]:
        waiting = {job.job_id: job for job in jobs if job.job_id not in self.done}
        if not waiting:
            raise AlreadyHandled
        async with self._committing(FakeUnit([*waiting.values()])) as unit:
            yield unit
        self.done |= waiting.keys()

    @asynccontextmanager
    async def unit(self) -> AsyncIterator[FakeUnit]:
        async with self._committing(FakeUnit()) as unit:
            yield unit

    def apart(self) -> AbstractAsyncContextManager[FakeUnit]:
        """What it leaves out, a transaction that can be told from a statement, is not here."""
        return self.unit()

    @asynccontextmanager
    async def _committing(self, unit: FakeUnit) -> AsyncIterator[FakeUnit]:
        self.open_units += 1
        try:
            yield unit
        finally:
            self.open_units -= 1
        if self.error is not None:
            raise self.error
        self.messages += unit.messages
        self.resent += unit.resent
        self.answered += unit.answered
