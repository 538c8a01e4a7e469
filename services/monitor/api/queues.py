"""The routes of queues and workers: what waits, who takes it, and stopping it for a while."""

from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Response

from services.monitor.api.asking import Use
from services.monitor.api.problems import told
from services.monitor.api.queue_shapes import (
    PauseRequest,
    QueueLookView,
    ResumeRequest,
    SteerView,
    WorkingsView,
)
from services.monitor.domain.queues import NoSuchQueue
from services.monitor.handlers.pausing import Steer, steer_queue
from services.monitor.handlers.surveying import look_at_queues
from shared.web.description import where_to_look
from shared.web.guard import CurrentCaller, guarded_router, needs

router = guarded_router()

VIEW = needs("ops:overview:read")
PAUSE = needs("queues:all:pause")
PATH = "/ops/v1/queues"
QueueName = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[a-z_.-]+$")]


@router.get(PATH, openapi_extra=VIEW)
async def list_queues(use: Use) -> WorkingsView:
    """Every work queue with what waits in it and who takes it, and every service with what it
    owes. Without the broker's management API the rates and what is unacknowledged are null."""
    return WorkingsView.of(await look_at_queues(use))


@router.get(f"{PATH}/{{queue}}", openapi_extra=VIEW)
async def show_queue(queue: QueueName, use: Use) -> QueueLookView:
    """One of them."""
    workings = await look_at_queues(use)
    with told():
        for look in workings.queues:
            if look.name == queue:
                return QueueLookView.of(look)
        raise NoSuchQueue(queue)


@router.post(
    f"{PATH}/{{queue}}/pause",
    status_code=HTTPStatus.ACCEPTED,
    responses=where_to_look("the queue"),
    openapi_extra=PAUSE,
)
async def pause_queue(
    queue: QueueName, asked: PauseRequest, use: Use, caller: CurrentCaller, response: Response
) -> SteerView:
    """No replica takes from it until the time is over or somebody resumes it. What is in hand
    is finished; what waits goes on waiting."""
    ends_at = use.clock.now() + timedelta(seconds=asked.for_s)
    with told():
        await steer_queue(Steer(queue, True, caller.owner_id, asked.reason, ends_at), use)
    return _asked(SteerView.of(queue, "pause", ends_at), response)


@router.post(
    f"{PATH}/{{queue}}/resume",
    status_code=HTTPStatus.ACCEPTED,
    responses=where_to_look("the queue"),
    openapi_extra=PAUSE,
)
async def resume_queue(
    queue: QueueName, asked: ResumeRequest, use: Use, caller: CurrentCaller, response: Response
) -> SteerView:
    """Whatever it was paused for, by hand or by itself. If the cause is still there, it pauses
    again by itself."""
    with told():
        await steer_queue(Steer(queue, False, caller.owner_id, asked.reason), use)
    return _asked(SteerView.of(queue, "resume", None), response)


def _asked(view: SteerView, response: Response) -> SteerView:
    response.headers["Location"] = f"{PATH}/{view.queue}"
    response.headers["Retry-After"] = "1"
    return view
