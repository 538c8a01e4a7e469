"""Facts of the system itself, not of documents: its processes, its queues, its promises."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from shared.contracts.body import Fact


class ConsumptionSteeredV1(Fact):
    """An operator wants a queue paused or taken from again; the service that owns it obeys."""

    type: ClassVar[str] = "consumption.steered"

    queue: str = Field(min_length=1, max_length=200)
    paused: bool
    asked_by: str = Field(min_length=1, max_length=200)
    detail: str = Field(min_length=1, max_length=1000)
    # A pause that somebody forgets ends by itself.
    ends_at: datetime | None = None


class ProcessReportedV1(Fact):
    """A process tells now and then that it is there, and how its service's ledger stands."""

    type: ClassVar[str] = "process.reported"

    service: str = Field(min_length=1, max_length=100)
    process_id: UUID
    build: str = Field(max_length=200)
    door: str = Field(max_length=20)
    started_at: datetime
    # From which it takes.
    queues: tuple[str, ...]
    outbox_unsent: int = Field(ge=0)
    outbox_oldest_age_s: float = Field(ge=0)
    outbox_parked: int = Field(ge=0)
    # What else its service has to say of itself: a breaker, a budget.
    conditions: Mapping[str, str]


class ServiceLevelTurned(Fact):
    """Of the documents of one class whose time is over, how many came to their end in it."""

    # By the name of its priority.
    level: str = Field(min_length=1, max_length=100)
    target_s: float = Field(gt=0)
    ratio_min: float = Field(ge=0, le=1)
    ratio: float = Field(ge=0, le=1)
    due: int = Field(ge=0)
    late: int = Field(ge=0)


class ServiceLevelBreachedV1(ServiceLevelTurned):
    """Told once, when it begins."""

    type: ClassVar[str] = "service_level.breached"


class ServiceLevelRestoredV1(ServiceLevelTurned):
    type: ClassVar[str] = "service_level.restored"
