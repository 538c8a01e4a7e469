"""What the bus needs from a database, without knowing one.

The ledger provides it. Every method may raise Retryable with a dependency: then nothing was
settled and the broker will deliver again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from shared.bus.frames import Outgoing
from shared.bus.headers import Headers
from shared.bus.jobs import Job
from shared.contracts.body import Answer, Body, Fact
from shared.topology.queues import WorkQueue


@dataclass(frozen=True, slots=True)
class Burial:
    """One final failure: the letter, the mark, the fact and the answer are one commit."""

    queue: WorkQueue
    job_id: UUID
    run: int
    type: str
    body: bytes
    headers: Headers
    priority: int
    fact: Fact | None
    # For whoever asked in the headers to be answered.
    answer: Answer | None = None


class JobRecord(Protocol):
    """What has become of jobs, kept where a crash cannot reach it."""

    def now(self) -> datetime:
        """Database time."""

    async def is_finished(self, queue: WorkQueue, job: Job[Body]) -> bool:
        """Whether this job is done, or has failed in this run or a later one."""

    async def past_starts(
        self, queue: WorkQueue, job_ids: Collection[UUID]
    ) -> Mapping[UUID, int]:
        """How often each redelivered job has been started; the unrecorded first is 1."""

    async def count_starts(
        self, queue: WorkQueue, job_ids: Collection[UUID]
    ) -> Mapping[UUID, int]:
        """Count one more start of each redelivered job; the unrecorded first was number 1."""

    async def forget_starts(self, queue: WorkQueue, job_ids: Collection[UUID]) -> None:
        """These have ended: they are no suspects any more."""

    async def take_back_starts(self, queue: WorkQueue, job_ids: Collection[UUID]) -> None:
        """The process lived to see these end without an outcome: they do not count."""

    async def bury(self, burial: Burial) -> bool:
        """False when somebody has finished the job meanwhile, and nothing was written."""

    async def keep_for_later(self, message: Outgoing, *, after_s: float) -> None:
        """Owed, but not before then: what waits longer than the delay ladder reaches."""

    async def settle_replay(self, job: Job[Body], outcome: str) -> None:
        """Tell the operator how a replay ended that had nothing to commit of its own."""

    async def announce(self, facts: Sequence[Fact], *, cause: Job[Body]) -> None:
        """Facts about a delivery that did not succeed, in a commit of their own."""


@dataclass(frozen=True, slots=True)
class Pause:
    queue: str
    reason: str
    probe_due: bool


class PauseBoard(Protocol):
    """Which queues are paused, for all replicas of a service."""

    def paused(self, queue: str) -> Pause | None: ...

    async def pause(
        self, queue: str, *, reason: str, detail: str, probe_every_s: float
    ) -> None:
        """Raises nothing: without a database the pause holds for this process."""

    async def resume(self, queue: str, reason: str) -> None:
        """End the pause that has this reason; somebody else's stays."""

    async def claim_probe(self, queue: str) -> bool:
        """True for exactly one replica each time a probe is due."""

    async def next_change(self) -> None:
        """Returns when a pause may have begun, ended or come due."""
