"""The one screen an operator looks at first, and the metrics of this process."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Self

from fastapi import Response
from pydantic import BaseModel

from services.monitor.api.asking import Use
from services.monitor.api.groups import GroupView
from services.monitor.api.queue_shapes import ServiceView
from services.monitor.api.shapes import (
    DeadLettersView,
    OpenLettersView,
    PauseView,
    QueueView,
)
from services.monitor.domain.health import Overview
from services.monitor.handlers.surveying import measure, survey
from shared.observability.exposition import render
from shared.web.description import content
from shared.web.guard import guarded_router, needs

router = guarded_router()

OVERVIEW = needs("ops:overview:read")


class CheckView(BaseModel):
    name: str
    is_well: bool
    # What is wrong, where something is.
    detail: str


class OverviewView(BaseModel):
    # Null when the broker does not answer.
    queues: list[QueueView] | None
    dead_letters: DeadLettersView
    pauses: list[PauseView]
    documents: Mapping[str, int]
    running_replays: int
    # The largest five.
    groups: list[GroupView]
    services: list[ServiceView]
    # Per class, and per promise how many break it; null before the first check.
    levels: Mapping[str, Mapping[str, Any]] | None
    violations: Mapping[str, int] | None
    # The same questions every time.
    is_well: bool
    checks: list[CheckView]

    @classmethod
    def of(cls, overview: Overview) -> Self:
        groups = [OpenLettersView(**asdict(group)) for group in overview.open_letters]
        queues = overview.queues
        return cls(
            queues=None if queues is None else [QueueView(**asdict(one)) for one in queues],
            dead_letters=DeadLettersView(open=sum(one.letters for one in groups), by=groups),
            pauses=[PauseView(**asdict(pause)) for pause in overview.pauses],
            documents=overview.documents,
            running_replays=overview.running_replays,
            groups=[GroupView.of(one) for one in overview.groups],
            services=[ServiceView.of(one) for one in overview.workings.services],
            levels=overview.levels,
            violations=overview.violations,
            is_well=all(check.is_well for check in overview.checks),
            checks=[CheckView(**asdict(one)) for one in overview.checks],
        )


@router.get("/ops/v1/overview", openapi_extra=OVERVIEW)
async def show_overview(use: Use) -> OverviewView:
    """Everything at a glance: what waits, what died, what is paused, whether promises are kept,
    and the same questions every time with what is wrong."""
    return OverviewView.of(await survey(use))


@router.get(
    "/api/metrics",
    response_class=Response,
    responses={200: content("text/plain", schema={"type": "string"})},
    openapi_extra=OVERVIEW,
)
async def show_metrics(use: Use) -> Response:
    """This process's metrics in the text format, its gauges as of now."""
    await measure(use)
    text, content_type = render()
    return Response(text, media_type=content_type)
