"""What happens to a message after its handler returned or raised.

Pure, and the only place that decides. The consumer carries the decision out; metrics, logs
and headers are named after it. To change what an error means, change this file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.bus.jobs import AlreadyHandled
from shared.contracts.envelope import Unacceptable, Undecodable
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from shared.topology.queues import WorkQueue

DEFERRAL_GROWTH = 1.5
DEFERRAL_S_MAX = 300.0
DEFERRAL_JITTER = 0.1
# A dependency that is away pauses the queue; this only spaces the few that were in hand.
DEPENDENCY_AFTER_S = 1.0
NEWER_VERSION_AFTER_S = 30.0
NEWER_VERSION_PATIENCE_S = 3600.0

Uniform = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Standing:
    """How often and since when this job has been tried, in its present run."""

    attempt: int
    deferrals: int
    since: datetime
    now: datetime

    def waited_longer_than(self, seconds: float) -> bool:
        return self.now - self.since >= timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class Done:
    outcome: str = "done"  # done | already_applied | withdrawn


@dataclass(frozen=True, slots=True)
class Wait:
    delay_s: float
    attempt: int
    deferrals: int
    reason: str
    # The dependency that is away, when waiting alone would only bring the next failure.
    pause: str | None = None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    reason: str
    category: str  # undecodable | rejected | exhausted | expired | bug | poison


Decision = Done | Wait | DeadLetter


class Poisonous(Exception):
    """The message has been started more often than processes may die of one."""


def decide(  # noqa: C901, PLR0911 -- a table: one row of outcomes per case
    error: Exception | None, *, standing: Standing, queue: WorkQueue, uniform: Uniform
) -> Decision:
    match error:
        case None:
            return Done()
        case AlreadyHandled():
            return Done("already_applied")
        case Withdrawn():
            return Done("withdrawn")
        case Undecodable():
            return DeadLetter("undecodable", "undecodable")
        case Poisonous():
            return DeadLetter("poison", "poison")
        case Unacceptable(reason="unknown_version"):
            return _newer_version(standing, uniform)
        case Unacceptable() | Rejected():
            return DeadLetter(error.reason, "rejected")
        case Deferred():
            return _deferred(error, standing, queue, uniform)
        case Retryable(dependency=str(away)):
            wait_s = _deferral_s(error.after_s or DEPENDENCY_AFTER_S, standing, uniform)
            return Wait(wait_s, standing.attempt, standing.deferrals + 1, str(error), away)
        case Retryable():
            return _retry(error, standing, queue, uniform)
        case _:
            # Retries do not cure logic; a replay after the fix is one click.
            return DeadLetter("bug", "bug")


def _retry(
    error: Retryable, standing: Standing, queue: WorkQueue, uniform: Uniform
) -> Decision:
    if standing.attempt >= queue.attempts_max:
        return DeadLetter("attempts_exhausted", "exhausted")
    backoff_s = queue.backoff_base_s * 2.0 ** (standing.attempt - 1)
    backoff_s += uniform() * backoff_s / 2
    # The server's own hint is a floor: jitter and backoff may only lengthen it.
    return Wait(
        max(backoff_s, error.after_s or 0.0),
        standing.attempt + 1,
        standing.deferrals,
        str(error),
    )


def _deferred(
    error: Deferred, standing: Standing, queue: WorkQueue, uniform: Uniform
) -> Decision:
    # Deferrals cost no attempt, so only the patience of the queue bounds them.
    if standing.waited_longer_than(queue.patience_s):
        return DeadLetter("expired", "expired")
    wait_s = _deferral_s(error.after_s, standing, uniform, error.at_most_s)
    return Wait(wait_s, standing.attempt, standing.deferrals + 1, error.reason)


def _newer_version(standing: Standing, uniform: Uniform) -> Decision:
    # A rolling deploy: somebody newer will take it soon, or the deploy went wrong.
    if standing.waited_longer_than(NEWER_VERSION_PATIENCE_S):
        return DeadLetter("unknown_version", "rejected")
    wait_s = _deferral_s(NEWER_VERSION_AFTER_S, standing, uniform)
    return Wait(wait_s, standing.attempt, standing.deferrals + 1, "newer version")


def _deferral_s(
    after_s: float, standing: Standing, uniform: Uniform, at_most_s: float | None = None
) -> float:
    # The exponent is capped where the result is: 1.5 to the thousandth is no float any more.
    grown = after_s * DEFERRAL_GROWTH ** min(standing.deferrals, 40)
    wait_s = max(after_s, min(DEFERRAL_S_MAX, at_most_s or DEFERRAL_S_MAX, grown))
    return wait_s * (1 + DEFERRAL_JITTER * uniform())
