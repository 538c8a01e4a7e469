"""The four ways a handler says that a job did not simply succeed.

Handlers and adapters raise these and nothing else on purpose; `shared/bus/decision.py` is the
only place that turns them into what happens to the message. Any other exception is a bug.
"""


class Retryable(Exception):
    """It failed for a reason that may pass. Costs an attempt, unless a dependency is away."""

    def __init__(
        self, message: str, *, after_s: float | None = None, dependency: str | None = None
    ) -> None:
        super().__init__(message)
        self.after_s = after_s
        # Named when something everybody needs is away: then the consumer pauses, because
        # burning the attempts of every waiting document would cure nothing.
        self.dependency = dependency


class LostRace(Retryable):
    """Somebody else was quicker, as in a deadlock: the same again, at once, may well do."""


class Deferred(Exception):
    """Not now: it costs no attempt, and only the queue's patience bounds it."""

    def __init__(self, reason: str, *, after_s: float, at_most_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.after_s = after_s
        # Waits grow from the one to the other; None is as long as any deferral may be.
        self.at_most_s = at_most_s


class Rejected(Exception):
    """It will never work. The reason is a short code from the runbook's closed list."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Withdrawn(Exception):
    """Nobody wants it any more: the document was cancelled or deleted."""

    def __init__(self, reason: str = "cancelled") -> None:
        super().__init__(reason)
        self.reason = reason
