"""The routes that tell of the service's own work: pace, reasons, how sure is how right."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Self

from fastapi import Query
from pydantic import BaseModel

from services.review.api.asking import Use
from services.review.domain.form import label_of
from services.review.domain.insight import (
    Bin,
    Corrected,
    Counted,
    Coverage,
    Pace,
    Passing,
    curve_of,
    error_of,
)
from shared.web.guard import guarded_router, needs

router = guarded_router()

READ = needs("review:items:read")
DAYS_MAX = 366
FIELDS_MAX = 50
Days = Annotated[int, Query(ge=1, le=DAYS_MAX)]


class CorrectedView(BaseModel):
    """How often a field was corrected, and how long such items took."""

    field: str
    # As the form calls the first of its kind.
    label: str
    corrections: int
    median_s: float
    p90_s: float

    @classmethod
    def of(cls, one: Corrected) -> Self:
        return cls(**asdict(one), label=label_of(one.field.replace("[]", ".0")))


class Stats(BaseModel):
    """Of the last days: seconds are those in which an item was in somebody's hands."""

    # What is left, and what of it is late.
    open: int
    overdue: int
    oldest_age_s: float
    today: int
    # Absent while nobody has decided anything.
    all: Pace | None
    reviewers: Sequence[Pace]
    fields: Sequence[CorrectedView]


class GateView(BaseModel):
    gate: str
    field: str | None
    label: str | None
    # How many items it held back, and how many it alone did.
    items: int
    alone: int

    @classmethod
    def of(cls, one: Counted) -> Self:
        # Members of a list are counted together, and called as the first of them is.
        path = one.field and one.field.replace("[]", ".0")
        return cls(**asdict(one), label=label_of(path) if path else None)


class WhyNot(BaseModel):
    enabled: bool
    threshold: float
    passing: Passing
    gates: Sequence[GateView]


class Calibration(BaseModel):
    """Of values that people confirmed or corrected."""

    values: int
    # How far sureness and truth lie apart; absent while there is nothing to go by.
    error: float | None
    bins: Sequence[Bin]
    curve: Sequence[Coverage]


@router.get("/v1/stats", openapi_extra=READ)
async def show_stats(use: Use, days: Days = 30) -> Stats:
    """How long decisions take, by reviewer and by the field that was corrected."""
    measured = await use.insight.measure_queue()
    paces = await use.insight.measure_decisions(days)
    everybody = next((one for one in paces if one.reviewer is None), None)
    return Stats(
        open=measured.open_items,
        overdue=measured.overdue_items,
        oldest_age_s=measured.oldest_age_s,
        today=everybody.today if everybody else 0,
        all=everybody,
        reviewers=[one for one in paces if one.reviewer is not None],
        fields=[
            CorrectedView.of(one)
            for one in await use.insight.measure_corrections(days, FIELDS_MAX)
        ],
    )


@router.get("/v1/straight-through", openapi_extra=READ)
async def why_not_automatic(
    use: Use,
    threshold: Annotated[float | None, Query(ge=0, le=1)] = None,
    days: Days = 30,
) -> WhyNot:
    """What stood against approving without a person; and what would have passed at another
    threshold, with what people made of it."""
    wanted = use.plan.review.straight_through
    asked = wanted.confidence_min if threshold is None else threshold
    return WhyNot(
        enabled=wanted.enabled,
        threshold=asked,
        passing=await use.insight.count_passing(days, asked),
        gates=[GateView.of(one) for one in await use.insight.count_gates(days)],
    )


@router.get("/v1/calibration", openapi_extra=READ)
async def show_calibration(use: Use, days: Days = 90) -> Calibration:
    """How right the machine was when it was how sure, by what people made of it."""
    bins = await use.insight.measure_calibration(days)
    return Calibration(
        values=sum(one.values for one in bins),
        error=error_of(bins),
        bins=bins,
        curve=curve_of(bins),
    )
