"""What a handler is given and what it gives back: jobs in, jobs out.

A new kind of job needs a contract, a row in the table of queues and a handler; nothing here
changes for it.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from shared.bus.headers import REPLAY, REPLY_TO, RUN, Headers, as_count
from shared.contracts.body import Body

B_co = TypeVar("B_co", bound=Body, covariant=True)
B_contra = TypeVar("B_contra", bound=Body, contravariant=True)


@dataclass(frozen=True, slots=True)
class Job(Generic[B_co]):
    """One delivery of one job, opened and validated."""

    body: B_co
    job_id: UUID
    queue: str
    attempt: int = 1
    priority: int = 3
    headers: Headers = field(default_factory=dict)
    # The W3C context of the span in which this delivery is handled.
    traceparent: str | None = None
    # Set shortly before the time limit, so that a handler can tidy up and give back.
    hurry: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def run(self) -> int:
        return as_count(self.headers, RUN)

    @property
    def replay_id(self) -> UUID | None:
        text = self.headers.get(REPLAY)
        return UUID(text) if text else None

    @property
    def wants_answer(self) -> bool:
        return REPLY_TO in self.headers


class AlreadyHandled(Exception):
    """Every job of this delivery has been finished before: there is nothing left to do."""


class JobHandler(Protocol[B_contra]):
    """Does one job. Returns when it is done, raises one of `shared.errors` when it is not."""

    async def __call__(self, job: Job[B_contra], /) -> None: ...


class BatchHandler(Protocol[B_contra]):
    """Does what has arrived, in one transaction: all of it or nothing."""

    async def __call__(self, jobs: Sequence[Job[B_contra]], /) -> None: ...


class JobDispatcher(Protocol):
    """Sends jobs and facts with the commit of a unit of work, never before and never without.

    `cause` is the job in whose name it is sent: the message inherits its run and its trace.
    """

    def send(
        self, body: Body, *, cause: Job[Body] | None = None, job_id: UUID | None = None
    ) -> None: ...

    def send_many(self, bodies: Sequence[Body], *, cause: Job[Body] | None = None) -> None: ...


Handler = JobHandler[Body] | BatchHandler[Body]
Wake = Callable[[], None]
