"""Queues and workers as clients read them, and how a pause is asked for."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from services.monitor.api.shapes import PauseView, Reason
from services.monitor.domain.processes import ServiceState
from services.monitor.domain.queues import Health, QueueLook, Workings

HOUR_S = 3_600
DAY_S = 86_400
Asked = Literal["pause", "resume"]


class PauseRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Reason = Field(examples=["The provider is about to be moved."])
    for_s: Annotated[int, Field(strict=True, ge=10, le=7 * DAY_S)] = Field(
        HOUR_S, description="Then it ends by itself."
    )


class ResumeRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Reason = Field(examples=["The provider is back."])


class SteerView(BaseModel):
    """What was asked of the service that owns the queue; the queue shows when it is so."""

    queue: str
    asked: Asked
    ends_at: datetime | None
    links: dict[str, str]

    @classmethod
    def of(cls, queue: str, asked: Asked, ends_at: datetime | None) -> Self:
        links = {"queue": f"/ops/v1/queues/{queue}"}
        return cls(queue=queue, asked=asked, ends_at=ends_at, links=links)


class QueueLookView(BaseModel):
    name: str
    service: str
    health: Health
    # Null when the broker does not answer.
    ready: int | None
    consumers: int | None
    consumers_expected: int
    # Null without the broker's management API.
    unacked: int | None
    in_per_s: float | None
    out_per_s: float | None
    oldest_age_s: float | None
    dead_ready: int | None
    dead_open: int
    pausable: bool
    pauses: list[PauseView]
    links: dict[str, str]

    @classmethod
    def of(cls, look: QueueLook) -> Self:
        home = f"/ops/v1/queues/{look.name}"
        links = {"self": home, "dead_letters": f"/ops/v1/dead-letters?queue={look.name}"}
        if look.pausable:
            links |= {"pause": f"{home}/pause", "resume": f"{home}/resume"}
        plain = cls.model_fields.keys() - {"pauses", "links"}
        return cls(
            **{name: getattr(look, name) for name in plain},
            pauses=[PauseView(**asdict(one)) for one in look.pauses],
            links=links,
        )


class ServiceView(BaseModel):
    service: str
    processes: int
    builds: Mapping[str, int]
    said_at: datetime
    silent_s: float
    outbox_unsent: int
    outbox_oldest_age_s: float
    # Could be routed nowhere or were too large: a person has to look.
    outbox_parked: int
    # What the service says of itself, such as its breaker and its rate budget.
    conditions: Mapping[str, str]

    @classmethod
    def of(cls, state: ServiceState) -> Self:
        return cls(**asdict(state))


class WorkingsView(BaseModel):
    broker_answers: bool
    queues: list[QueueLookView]
    services: list[ServiceView]
    unroutable_ready: int | None
    unroutable_open: int

    @classmethod
    def of(cls, workings: Workings) -> Self:
        return cls(
            broker_answers=workings.broker_answers,
            queues=[QueueLookView.of(one) for one in workings.queues],
            services=[ServiceView.of(one) for one in workings.services],
            unroutable_ready=workings.unroutable_ready,
            unroutable_open=workings.unroutable_open,
        )
