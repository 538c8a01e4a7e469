"""What people send to change an item's values, and how its form is shown."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from services.review.domain.edits import HUMAN, Change
from services.review.domain.form import form_kind, label_of
from services.review.domain.items import ItemField
from services.review.domain.locks import candidates_of
from services.review.domain.rules import Rules
from services.review.domain.states import Standing, State
from services.review.domain.sums import Sums
from services.review.domain.twins import Twin
from services.review.handlers.forming import Look
from shared.contracts.extraction import Evidence, Finding
from shared.invoice.fields import Severity
from shared.values.typed import FormKind

CHANGES_MAX = 500
VALUE_CHARS_MAX = 10_000
BOXES_MAX = 20
Share = Annotated[float, Field(ge=0, le=1)]
Path = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.]{0,99}$")]


class Box(BaseModel):
    """Where on the page the person saw it: 1-based page, in 0..1 from the top left."""

    model_config = ConfigDict(extra="forbid")

    page: int = Field(ge=1, le=100_000)
    bbox: tuple[Share, Share, Share, Share]
    text: str = Field("", max_length=1000)


class ChangeView(BaseModel):
    """One change. A value may come as people write it: `1.234,56 €`, `3. März 2026`."""

    model_config = ConfigDict(extra="forbid")

    op: Literal["set", "confirm", "clear", "insert_line", "remove_line", "duplicate_line"]
    path: Path | None = Field(None, examples=["total"])
    value: Annotated[str, StringConstraints(max_length=VALUE_CHARS_MAX)] | None = Field(
        None, examples=["1.190,00 €"]
    )
    evidence: list[Box] | None = Field(None, max_length=BOXES_MAX)
    at: int | None = Field(None, ge=0, le=100_000, description="The place of a line, from 0.")

    @model_validator(mode="after")
    def _names_its_place(self) -> Self:
        if self.op.endswith("_line") and self.at is None:
            raise ValueError("a line's change needs `at`")
        if not self.op.endswith("_line") and self.path is None:
            raise ValueError("a value's change needs `path`")
        return self

    def change(self) -> Change:
        boxes = self.evidence
        return Change(
            op=self.op,
            path=self.path or "",
            value=self.value,
            evidence=None if boxes is None else [one.model_dump(mode="json") for one in boxes],
            at=self.at or 0,
        )


class ChangesView(BaseModel):
    model_config = ConfigDict(extra="forbid")

    changes: list[ChangeView] = Field(min_length=1, max_length=CHANGES_MAX)


class CandidateView(BaseModel):
    value: str
    raw: str | None
    source: str | None
    confidence: float


class FieldView(BaseModel):
    path: str
    label: str
    value: str | None
    raw: str | None
    kind: FormKind | None
    confidence: float
    status: str
    state: State
    # Somebody has to look at it before the invoice is approved.
    doubtful: bool
    required: bool
    reasons: list[str]
    source: str | None
    evidence: Sequence[Evidence]
    # The best first.
    candidates: list[CandidateView]
    locked: bool
    locked_by: str | None
    corrected_by: str | None
    # What was read where a person's value stands.
    machine_value: str | None

    @classmethod
    def of(cls, field: ItemField, standing: Standing, rules: Rules) -> Self:
        by_hand = field.source == HUMAN
        return cls(
            path=field.path,
            label=label_of(field.path),
            value=field.value,
            raw=field.raw,
            kind=form_kind(field.path),
            confidence=field.confidence,
            status=field.status,
            state=standing.state,
            doubtful=standing.doubtful,
            required=rules.required(field.path),
            reasons=list(standing.reasons),
            source=field.source,
            evidence=[Evidence.model_validate(one) for one in field.evidence],
            candidates=[_candidate(one) for one in candidates_of(field)],
            locked=field.locked_by is not None,
            locked_by=field.locked_by,
            corrected_by=field.locked_by if by_hand else None,
            machine_value=field.machine["value"] if field.machine else None,
        )


def _candidate(one: Any) -> CandidateView:  # noqa: ANN401 -- as the extraction names it
    return CandidateView(**{name: one.get(name) for name in CandidateView.model_fields})


class BlockerView(BaseModel):
    """What is to be said against the item. Only what is of severity `block` blocks."""

    code: str
    severity: Severity
    detail: str
    fields: list[str]
    pages: list[int]

    @classmethod
    def of(cls, one: Finding) -> Self:
        return cls(
            code=one.code,
            severity=one.severity,
            detail=one.detail,
            fields=list(one.touches),
            pages=list(one.pages),
        )


class TotalsView(BaseModel):
    """The sums below the tables, and what the invoice says less what they come to."""

    lines_net: str | None
    lines_difference: str | None
    taxes: str | None
    taxes_difference: str | None
    total_difference: str | None

    @classmethod
    def of(cls, sums: Sums) -> Self:
        return cls(**asdict(sums))


class TwinView(BaseModel):
    """Another invoice that looks like this one, and why. `exact`: of the same seller, number
    and year; such a one blocks unless it was rejected, or is the same file handed in later."""

    document_id: UUID
    filename: str
    invoice_number: str
    total: str | None
    date: str | None
    why: str
    exact: bool
    is_rejected: bool
    is_later_copy: bool
    # Its first page looks the same from afar.
    is_rescan: bool

    @classmethod
    def of(cls, twin: Twin) -> Self:
        return cls(**asdict(twin))


class FormView(BaseModel):
    """The form as it would be: nothing of it was kept."""

    fields: list[FieldView]
    blockers: list[BlockerView]
    totals: TotalsView
    twins: list[TwinView]


def formed(look: Look, rules: Rules) -> dict[str, Any]:
    """The part of an item's answer that is about its values."""
    return {
        "fields": [FieldView.of(one, look.standings[one.path], rules) for one in look.fields],
        "blockers": [BlockerView.of(one) for one in _worst_first(look.findings)],
        "totals": TotalsView.of(look.sums),
        "twins": [TwinView.of(one) for one in look.twins],
    }


def _worst_first(findings: Sequence[Finding]) -> list[Finding]:
    order = ("block", "warn", "info")
    return sorted(findings, key=lambda one: order.index(one.severity))
