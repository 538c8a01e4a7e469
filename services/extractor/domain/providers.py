"""What a provider's call ends with when it ends without a reading.

Three kinds of endings, because three different things follow. `Away` and `Throttled` are about
the provider: nothing is known about the document, whoever guards the provider is told, and the
document waits or goes on without it. `Misconfigured` is about us: an operator has to act, and
no document may pay for it. `NoReading` is about this document: the provider is well, asking
again would cost money and change nothing, so the other engines' reading goes on and carries
the finding along.
"""

from typing import Literal

from services.extractor.domain.reading import Finding, Usage

AwayReason = Literal["timeout", "connection", "server_error", "garbled_transport"]
Misconfiguration = Literal["key", "model", "account", "schema"]


class Away(Exception):
    """The provider failed: five of these in a row open the breaker."""

    def __init__(self, reason: AwayReason, *, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.after_s = after_s

    @property
    def spend_unknown(self) -> bool:
        """It may have done the work, and will bill it, though we never saw the answer."""
        return self.reason in ("timeout", "garbled_transport")


class Throttled(Exception):
    """A quota is used up: not a failure, and asking before `after_s` prolongs it."""

    def __init__(self, *, after_s: float | None = None, per_day: bool = False) -> None:
        super().__init__("per_day" if per_day else "per_minute")
        # None when the provider gave no hint.
        self.after_s = after_s
        self.per_day = per_day


class Misconfigured(Exception):
    """Every document would fail alike until somebody changes the settings."""

    def __init__(self, reason: Misconfiguration) -> None:
        super().__init__(reason)
        self.reason = reason


class NoReading(Exception):
    """Answered, and nothing in it can be used. It was paid for all the same."""

    def __init__(self, finding: Finding, usage: tuple[Usage, ...] = ()) -> None:
        super().__init__(f"{finding.code}: {finding.detail}")
        self.finding = finding
        self.usage = usage


class Refused(NoReading):
    """The model will not read this document: `model_refused`, a person has to."""


class Garbled(NoReading):
    """Cut off, empty or not what was asked for, twice: `model_unreadable`."""


class Unsuitable(NoReading):
    """The provider does not take this document: `model_cannot_take`."""


NotAskedReason = Literal["outage", "credentials", "day_quota", "cost_ceiling"]


class NotAsked(Exception):
    """It is away for longer than documents wait, or too dear: this one goes on without it.

    Raised by whoever guards the calls, never by an engine, which lets it pass.
    """

    def __init__(self, reason: NotAskedReason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail

    @property
    def finding(self) -> Finding:
        """What a person is told about the reading that there is instead."""
        code = "cost_ceiling" if self.reason == "cost_ceiling" else "engine_away"
        return Finding(code, "warn", self.detail or self.reason)
