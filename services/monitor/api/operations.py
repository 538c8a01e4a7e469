"""The routes of operations: look first, ask, steer, and follow each letter to its end."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from starlette.responses import StreamingResponse

from services.monitor.api.asking import Use
from services.monitor.api.operation_shapes import (
    ItemPage,
    ItemView,
    OperationPage,
    OperationView,
    OperationWish,
    Pacing,
    PreviewView,
)
from services.monitor.api.problems import told
from services.monitor.domain.operations import (
    ACTIVE,
    ItemOutcome,
    Kind,
    Operation,
    OperationState,
    resource_of,
)
from services.monitor.domain.steering import cancelled, paced, paused, resumed
from services.monitor.handlers.refusing import note_refusal
from services.monitor.handlers.requesting import (
    HOME,
    get_operation,
    preview_operation,
    request_operation,
)
from services.monitor.handlers.steering import Change, steer_operation
from services.monitor.ports import Ports
from services.monitor.ports.operations import Asked
from shared.web.cursors import CURSOR_CHARS_MAX, Cursors
from shared.web.description import event_stream, where_to_look
from shared.web.etags import SeenVersion, etag
from shared.web.gate import EVENT_STREAM
from shared.web.guard import Caller, CurrentCaller, guarded_router, is_still_known, needs
from shared.web.problems import Problem

router = guarded_router()

PATH = "/ops/v1/operations"
PERMISSION = {
    Kind.REPLAY: "dlq:messages:replay",
    Kind.ARCHIVE: "dlq:messages:archive",
    Kind.UNARCHIVE: "dlq:messages:archive",
    Kind.PURGE: "dlq:messages:purge",
}
VIEW = needs("dlq:messages:view")
OPERATE = needs(*sorted(set(PERMISSION.values())))
PAGE_MAX = 200
# The column is no wider.
POSITION_MAX = 2**31 - 1
LOOK_EVERY_S = 0.5
HEARTBEAT_EVERY = 30


@router.post(
    PATH,
    status_code=HTTPStatus.ACCEPTED,
    response_model=OperationView,
    responses={
        **where_to_look("the operation"),
        200: {"model": PreviewView, "description": "Of a dry run: what it would find."},
    },
    openapi_extra=OPERATE,
)
async def create_operation(
    asked: OperationWish,
    response: Response,
    use: Use,
    caller: CurrentCaller,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> OperationView | Response:
    """Over the letters that are there now, or were at `snapshot_before`: what arrives later is
    not swept in. An Idempotency-Key is required, and asks for it once. With `dry_run` nothing
    is done: it says what would be found, and what to beware of."""
    await _require(caller, asked.kind, HOME, asked.reason, use)
    selection = asked.selection(use.clock.now())
    if asked.dry_run:
        seen = await preview_operation(asked.kind, selection, use)
        return Response(
            PreviewView.of(asked.kind, seen).model_dump_json(), media_type="application/json"
        )
    if idempotency_key is None:
        raise Problem(
            HTTPStatus.BAD_REQUEST,
            "idempotency_key_required",
            "Send an Idempotency-Key: asked twice, an operation must not run twice.",
        )
    wish = asked.wish(selection, caller.owner_id, idempotency_key, use.limits)
    with told():
        operation, is_known = await request_operation(wish, use)
    response.headers["Location"] = f"{PATH}/{operation.operation_id}"
    response.headers["Retry-After"] = "1"
    if is_known:
        response.headers["Idempotency-Replayed"] = "true"
    return _shown(operation, response)


@router.get(PATH, openapi_extra=VIEW)
async def list_operations(
    request: Request,
    use: Use,
    state: OperationState | None = None,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
    cursor: Annotated[str | None, Query(max_length=CURSOR_CHARS_MAX)] = None,
) -> OperationPage:
    """Latest first."""
    cursors: Cursors = request.app.state.cursors
    scope = f"operations {state}"
    after = Asked(*cursors.decode(cursor, scope=scope)) if cursor else None
    found = await use.operations.list_operations(state=state, after=after, limit=limit + 1)
    page, following = found[:limit], None
    if len(found) > limit:
        following = cursors.encode((page[-1].requested_at, page[-1].operation_id), scope=scope)
    return OperationPage(operations=[OperationView.of(one) for one in page], next=following)


@router.get(f"{PATH}/{{operation_id}}", openapi_extra=VIEW)
async def show_operation(operation_id: UUID, use: Use, response: Response) -> OperationView:
    """How far it is."""
    with told():
        return _shown(await get_operation(operation_id, use), response)


@router.get(f"{PATH}/{{operation_id}}/items", openapi_extra=VIEW)
async def list_items(
    operation_id: UUID,
    use: Use,
    outcome: ItemOutcome | None = None,
    after: Annotated[int, Query(ge=0, le=POSITION_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
) -> ItemPage:
    """What became of each letter, in the order in which they go."""
    with told():
        await get_operation(operation_id, use)
    found = await use.operations.list_items(
        operation_id, outcome=outcome, after=after, limit=limit + 1
    )
    page = found[:limit]
    return ItemPage(
        items=[ItemView.of(one) for one in page],
        next_after=page[-1].position if len(found) > limit else None,
    )


@router.get(
    f"{PATH}/{{operation_id}}/events",
    response_class=Response,
    responses={
        200: event_stream(),
        204: {"description": "It has ended, and all was seen."},
    },
    openapi_extra=VIEW,
)
async def follow_operation(
    operation_id: UUID,
    request: Request,
    use: Use,
    last_event_id: Annotated[str | None, Header(max_length=100)] = None,
) -> Response:
    """Its state as server-sent events, whenever it moved, until it has ended and every letter
    has come to its end. Each event says all there is; Last-Event-ID resumes a stream without
    hearing the same again."""
    with told():
        operation = await get_operation(operation_id, use)
    seen = _seen(last_event_id, operation)
    if seen == operation.seq and _is_over(operation):
        # At which a browser stops asking.
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return StreamingResponse(
        _frames(operation_id, seen, request, use),
        media_type=EVENT_STREAM,
        headers={"X-Accel-Buffering": "no"},
    )


class Hands:
    """Who steers which operation, and what was seen of it."""

    def __init__(
        self,
        operation_id: UUID,
        seen: SeenVersion,
        use: Use,
        caller: CurrentCaller,
        response: Response,
    ) -> None:
        self._operation_id = operation_id
        self._seen = seen
        self._use = use
        self._caller = caller
        self._response = response

    async def turn(self, change: Change, action: str) -> OperationView:
        with told():
            before = await get_operation(self._operation_id, self._use)
            resource = resource_of(before.operation_id)
            await _require(self._caller, before.kind, resource, action, self._use)
            turned = await steer_operation(
                self._operation_id,
                self._seen,
                change,
                actor=self._caller.owner_id,
                action=f"operation_{action}",
                use=self._use,
            )
        return _shown(turned, self._response)


Held = Annotated[Hands, Depends()]


@router.post(f"{PATH}/{{operation_id}}/pause", openapi_extra=OPERATE)
async def pause(hands: Held) -> OperationView:
    """Nothing more is sent until it is resumed. What is on its way goes on."""
    return await hands.turn(paused, "paused")


@router.post(f"{PATH}/{{operation_id}}/resume", openapi_extra=OPERATE)
async def resume(hands: Held) -> OperationView:
    """Goes on where it stood."""
    return await hands.turn(resumed, "resumed")


@router.post(f"{PATH}/{{operation_id}}/cancel", openapi_extra=OPERATE)
async def cancel(hands: Held) -> OperationView:
    """Nothing more is sent, for good. What was sent stays sent and is followed to its end."""
    return await hands.turn(cancelled, "cancelled")


@router.patch(f"{PATH}/{{operation_id}}", openapi_extra=OPERATE)
async def change_pace(asked: Pacing, hands: Held, use: Use) -> OperationView:
    """Faster or slower, from the next step on."""
    fastest = use.limits.replay_rate_max
    rate = None if asked.rate_per_s is None else min(asked.rate_per_s, fastest)

    def change(operation: Operation) -> Operation:
        return paced(operation, rate, asked.in_flight_max)

    return await hands.turn(change, "paced")


async def _require(caller: Caller, kind: Kind, resource: str, reason: str, use: Ports) -> None:
    needed = PERMISSION[kind]
    if needed not in caller.permissions:
        await note_refusal(
            caller.owner_id, f"{kind}_refused", resource, reason, f"needs {needed}", use
        )
        raise Problem(
            HTTPStatus.FORBIDDEN, "forbidden", f"This key may not {kind} dead letters."
        )


def _shown(operation: Operation, response: Response) -> OperationView:
    response.headers["ETag"] = etag(operation.version)
    return OperationView.of(operation)


def _seen(last_event_id: str | None, operation: Operation) -> int:
    """What is none of its events was seen by nobody."""
    is_number = last_event_id and last_event_id.isascii() and last_event_id.isdigit()
    seen = int(last_event_id or 0) if is_number else 0
    return seen if seen <= operation.seq else 0


def _is_over(operation: Operation) -> bool:
    return operation.state not in ACTIVE and operation.in_flight == 0


async def _frames(
    operation_id: UUID, seen: int, request: Request, use: Ports
) -> AsyncIterator[str]:
    told_of, silences = seen, 0
    while await is_still_known(request):
        operation = await use.operations.find_operation(operation_id)
        if operation is None:
            return
        if operation.seq != told_of:
            told_of, silences = operation.seq, 0
            data = OperationView.of(operation).model_dump_json()
            yield f"id: {operation.seq}\nevent: {operation.state}\ndata: {data}\n\n"
            if _is_over(operation):
                return
        silences += 1
        if silences % HEARTBEAT_EVERY == 0:
            yield ": still here\n\n"
        await asyncio.sleep(LOOK_EVERY_S)
