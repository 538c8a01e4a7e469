"""What a handler sees of the ledger: a transaction that marks, keeps and sends as one.

Slow work happens before it; inside it there are rows and nothing else.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from shared.bus.headers import Headers
from shared.bus.jobs import Job, JobDispatcher
from shared.contracts.body import Answer, Body

# For so long it is known what is done. Whoever sends a job again must do so within it.
MARKS_KEPT_DAYS = 45


@dataclass(frozen=True, slots=True)
class Resend:
    """A dead letter on its way back to the one queue where it failed."""

    queue: str
    body: bytes
    headers: Headers
    priority: int
    run: int
    replay_id: UUID


class Unit(JobDispatcher, Protocol):
    """One open transaction. What is sent through it leaves with its commit."""

    @property
    def connection(self) -> Any:  # noqa: ANN401 -- what it is, only adapters know
        """The database connection of the transaction, for adapters only."""

    @property
    def jobs(self) -> Sequence[Job[Body]]:
        """Those of the jobs given to `handling` that nobody had finished yet."""

    def answer(self, answer: Answer, *, to: Job[Body]) -> None:
        """For whoever handed the job in; nothing is sent where nobody asked."""

    def resend(self, letter: Resend) -> None:
        """The same body and job id as attempt 1 of the given run, to the failed queue only."""


class Ledger(Protocol):
    def handling(self, *jobs: Job[Body]) -> AbstractAsyncContextManager[Unit]:
        """Mark the jobs as done, first of all. Raises AlreadyHandled when none is left."""

    def unit(self) -> AbstractAsyncContextManager[Unit]:
        """A transaction without a job behind it: an HTTP request, a timer."""

    def apart(self) -> AbstractAsyncContextManager[Unit]:
        """The same without a transaction: each statement is a commit of its own, and what is
        sent leaves with the last of them, when the block ends well. For whoever only looks,
        changes one thing, or sends something after a look; it spares BEGIN and COMMIT."""
