"""Failures with one cause, taken together, and what people say of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Said:
    """What people wrote down about a group. Version 0 is that nobody has yet."""

    fingerprint: str
    comment: str = ""
    owner: str | None = None
    # It alerts nobody until then.
    muted_until: datetime | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class FailureGroup:
    fingerprint: str
    letters: int
    first_at: datetime
    last_at: datetime
    # Of the newest of them.
    letter_id: UUID
    queue: str
    reason: str
    category: str
    exception: str
    type: str | None
    message: str
    said: Said
    muted: bool
    # How many came in each hour of the last day that had any.
    trend: Mapping[datetime, int]


class StaleGroup(ValueError):
    """Somebody else said something meanwhile."""

    def __init__(self, now: Said) -> None:
        super().__init__(f"version {now.version} is current")
        self.now = now


def resource_of(fingerprint: str) -> str:
    """How the audit log names a group."""
    return f"failure-group/{fingerprint}"
