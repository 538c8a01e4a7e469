"""Operations as clients ask for them and read them."""

import hashlib
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    model_validator,
)

from services.monitor.api.moments import Moment
from services.monitor.api.shapes import NO_ZERO, LetterView, Reason
from services.monitor.domain.operations import (
    RATE_MIN_PER_S,
    Item,
    ItemOutcome,
    Kind,
    Operation,
    OperationState,
    Pace,
    Preview,
    Selection,
    Wish,
)
from services.monitor.ports import Limits

IDS_MAX = 10_000
RATE_PER_S = 50.0
Rate = Annotated[float, Field(strict=True, ge=RATE_MIN_PER_S, le=1_000_000)]
IN_FLIGHT = 1_000
IN_FLIGHT_MAX = 100_000
Code = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_ZERO)]


class Selector(BaseModel):
    """Which letters: everything that is named must hold. At least one thing is."""

    # A misspelt filter must not select everything.
    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[UUID], Field(min_length=1, max_length=IDS_MAX)] | None = None
    fingerprint: Code | None = None
    queue: Code | None = Field(None, description="Where they failed.")
    reason: Code | None = None
    category: Code | None = None
    type: Code | None = None
    owner_id: Code | None = None
    document_id: UUID | None = None
    arrived_after: Moment | None = None
    all: Literal[True] | None = Field(
        None, description="For every letter there is; nothing else may be named then."
    )

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        named = [name for name, value in self if name != "all" and value is not None]
        if bool(named) == bool(self.all):
            raise ValueError('name what is meant, or say "all": true')
        return self


class OperationWish(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Kind = Kind.REPLAY
    selector: Selector
    reason: Reason = Field(examples=["The provider is back."])
    snapshot_before: Moment | None = Field(
        None, description="Of a dry run: mean the letters that it saw."
    )
    rate_per_s: Rate = RATE_PER_S
    in_flight_max: int = Field(IN_FLIGHT, strict=True, ge=1, le=IN_FLIGHT_MAX)
    canary: int = Field(
        0,
        strict=True,
        ge=0,
        le=10_000,
        description="Send so many, then pause for somebody to look.",
    )
    letters_max: int | None = Field(None, strict=True, ge=1)
    dry_run: StrictBool = False

    def selection(self, now: datetime) -> Selection:
        asked = self.selector
        named = asked.model_dump(exclude={"all", "ids"})
        return Selection(
            arrived_before=min(self.snapshot_before or now, now),
            ids=tuple(asked.ids) if asked.ids else None,
            **named,
        )

    def wish(self, selection: Selection, by: str, key: str, limits: Limits) -> Wish:
        most = limits.operation_letters_max
        return Wish(
            kind=self.kind,
            selection=selection,
            pace=Pace(
                rate_per_s=min(self.rate_per_s, limits.replay_rate_max),
                in_flight_max=self.in_flight_max,
                canary=self.canary if self.kind is Kind.REPLAY else 0,
            ),
            reason=self.reason,
            requested_by=by,
            letters_max=min(self.letters_max or most, most),
            key=key,
            digest=hashlib.sha256(self.model_dump_json().encode()).hexdigest(),
        )


class Pacing(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rate_per_s: Rate | None = None
    in_flight_max: int | None = Field(None, strict=True, ge=1, le=IN_FLIGHT_MAX)


class OperationView(BaseModel):
    operation_id: UUID
    kind: Kind
    state: OperationState
    selector: dict[str, Any]
    arrived_before: datetime
    reason: str
    requested_by: str
    letters_max: int
    rate_per_s: float
    in_flight_max: int
    canary: int
    paused_because: str | None
    # Steps in a row that came to nothing, and why: it goes on trying, and then waits for you.
    failures: int
    error: str | None
    error_at: datetime | None
    # Until it is prepared, `total` still grows.
    prepared: bool
    total: int
    sent: int
    in_flight: int
    # Of what was sent: how it ended.
    done: int
    already_applied: int
    withdrawn: int
    refailed: int
    skipped: int
    # Archived, taken back out, or purged.
    applied: int
    progress: int
    eta_s: float | None
    version: int
    requested_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    links: dict[str, str]

    @classmethod
    def of(cls, operation: Operation) -> Self:
        home = f"/ops/v1/operations/{operation.operation_id}"
        known = {
            name: getattr(operation, name)
            for name in cls.model_fields.keys() - {"links", "selector", "eta_s"}
        }
        named = {k: v for k, v in operation.selector.items() if v is not None}
        left = operation.total - operation.taken
        running = operation.state is OperationState.RUNNING
        return cls(
            **known,
            selector=named,
            eta_s=left / operation.rate_per_s if running else None,
            links={"self": home, "items": f"{home}/items", "events": f"{home}/events"},
        )


class OperationPage(BaseModel):
    operations: list[OperationView]
    # Pass it back as `cursor`; absent on the last page.
    next: str | None


class ItemView(BaseModel):
    position: int
    letter_id: UUID
    outcome: ItemOutcome
    # Of what was skipped: why.
    detail: str | None
    replay_id: UUID | None
    settled_at: datetime | None

    @classmethod
    def of(cls, item: Item) -> Self:
        return cls(**asdict(item))


class ItemPage(BaseModel):
    items: list[ItemView]
    # Pass it back as `after`; absent on the last page.
    next_after: int | None


class FoundView(BaseModel):
    queue: str
    reason: str
    type: str | None
    letters: int
    unreplayable: int
    already_ended: int


class PreviewView(BaseModel):
    """What an operation would find."""

    letters: int
    by: list[FoundView]
    warnings: list[str]
    sample: list[LetterView]
    # Send it back with the real thing, to mean the same letters.
    snapshot_before: datetime

    @classmethod
    def of(cls, kind: Kind, seen: Preview) -> Self:
        return cls(
            letters=seen.letters,
            by=[FoundView(**asdict(one)) for one in seen.found],
            warnings=_warnings(kind, seen),
            sample=[LetterView.of(letter) for letter in seen.sample],
            snapshot_before=seen.arrived_before,
        )


def _warnings(kind: Kind, seen: Preview) -> list[str]:
    if kind is Kind.PURGE:
        return [f"{seen.letters} letters would be gone for good."] if seen.letters else []
    if kind is not Kind.REPLAY:
        return []
    unreplayable = sum(one.unreplayable for one in seen.found)
    ended = sum(one.already_ended for one in seen.found)
    told = {
        "cannot be sent back and would be skipped": unreplayable,
        "are of documents that have ended since: what is done stays done": ended,
    }
    return [f"{letters} {what}." for what, letters in told.items() if letters]
