"""The routes of what was promised: levels of service, and the proof that nothing is lost."""

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from fastapi import Query, Response
from pydantic import BaseModel

from services.monitor.api.asking import Use
from services.monitor.api.moments import Moment
from services.monitor.domain.conservation import PROMISES, Conservation, Violation
from services.monitor.domain.duties import LEVELS
from services.monitor.handlers.conserving import report
from shared.web.description import content
from shared.web.guard import guarded_router, needs

router = guarded_router()

VIEW = needs("ops:overview:read")
PROVE = needs("audit:all:read")
MONTH = timedelta(days=31)
# What a spreadsheet would take for a formula.
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


class LevelView(BaseModel):
    name: str
    target_s: float
    due: int
    late: int
    # Late, and told meanwhile to wait for a provider.
    excused: int
    ratio_min: float
    ratio_of_all: float
    ratio: float
    is_breached: bool


class LevelsView(BaseModel):
    # Null before the first check.
    checked_at: datetime | None
    levels: list[LevelView]


class OffenderView(BaseModel):
    subject: str
    detail: str


class ViolationView(BaseModel):
    invariant: str
    promise: str
    total: int
    # At most a hundred of them.
    offenders: list[OffenderView]

    @classmethod
    def of(cls, found: Violation) -> Self:
        return cls(
            invariant=found.invariant,
            promise=PROMISES[found.invariant],
            total=found.total,
            offenders=[
                OffenderView(subject=one.subject, detail=one.detail) for one in found.offenders
            ],
        )


class ConservationView(BaseModel):
    """Of the documents that were accepted in the period."""

    holds: bool
    since: datetime
    until: datetime
    # Of documents before that not every fact was kept.
    began_at: datetime
    taken_at: datetime
    accepted: int
    in_flight: int
    ended: int
    difference: int
    by_status: Mapping[str, int]
    violations: list[ViolationView]
    # `intact`, or what is wrong with the monitor's own audit log.
    audit: str | None

    @classmethod
    def of(cls, found: Conservation) -> Self:
        sums = found.sums
        return cls(
            holds=found.holds,
            since=found.period.since,
            until=found.period.until,
            began_at=found.began_at,
            taken_at=found.taken_at,
            accepted=sums.accepted,
            in_flight=sums.in_flight,
            ended=sums.ended,
            difference=sums.difference,
            by_status=sums.by_status,
            violations=[ViolationView.of(one) for one in found.violations],
            audit=found.audit,
        )


@router.get("/ops/v1/service-levels", openapi_extra=VIEW)
async def show_levels(use: Use) -> LevelsView:
    """Per class: of the documents whose time was over in the last day, how many were late."""
    for done in await use.duties.list_duties():
        if done.name == LEVELS:
            levels = [LevelView(name=name, **told) for name, told in done.result.items()]
            return LevelsView(checked_at=done.done_at, levels=levels)
    return LevelsView(checked_at=None, levels=[])


@router.get(
    "/ops/v1/conservation",
    response_model=ConservationView,
    responses={
        200: {
            "description": "The report; with `format=csv` as a table.",
            **content("text/csv", schema={"type": "string"}),
        }
    },
    openapi_extra=PROVE,
)
async def prove_conservation(
    use: Use,
    since: Moment | None = None,
    until: Moment | None = None,
    format: Annotated[Literal["json", "csv"], Query()] = "json",
) -> ConservationView | Response:
    """That nothing was lost or doubled, of the documents accepted in a period (the last month),
    from what the services told: sums that must agree, each promise with what breaks it by name,
    and whether the audit log is still the one that was written."""
    end = until or use.clock.now()
    view = ConservationView.of(await report(since or end - MONTH, end, use))
    if format == "json":
        return view
    return Response(
        _table(view),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="conservation.csv"'},
    )


def _table(view: ConservationView) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("section", "name", "value", "subject", "detail"))
    for row in _rows(view):
        writer.writerow([_harmless(cell) for cell in row])
    return text.getvalue()


def _rows(view: ConservationView) -> Iterator[tuple[Any, ...]]:
    for name in ("holds", "since", "until", "began_at", "taken_at", "audit"):
        value = getattr(view, name)
        told = value.isoformat() if isinstance(value, datetime) else value
        yield ("report", name, told, "", "")
    for name in ("accepted", "in_flight", "ended", "difference"):
        yield ("sums", name, getattr(view, name), "", "")
    for status, count in sorted(view.by_status.items()):
        yield ("by_status", status, count, "", "")
    for found in view.violations:
        yield ("promises", found.invariant, found.total, "", found.promise)
        for one in found.offenders:
            yield ("offenders", found.invariant, "", one.subject, one.detail)


def _harmless(cell: object) -> object:
    is_formula = isinstance(cell, str) and cell.startswith(FORMULAS)
    return f"'{cell}" if is_formula else cell
