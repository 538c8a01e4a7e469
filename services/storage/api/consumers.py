"""The routes of the hand-over: who takes approved documents, batch by batch."""

import json
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Body, Depends, Path, Query, Request, Response

from services.storage.api.asking import (
    HAND_OVER,
    HAND_OVER_ALL,
    PAGE_MAX,
    Turned,
    Use,
    owner_of,
)
from services.storage.api.problems import told
from services.storage.api.shapes import (
    Acknowledgement,
    BatchView,
    ConsumerList,
    ConsumerView,
    ConsumerWanted,
    ReceiptPage,
    ReceiptView,
)
from services.storage.domain.exports import Place
from services.storage.domain.handover import CONSUMER_NAME, Consumer
from services.storage.handlers.handing_over import (
    acknowledge,
    find_consumer,
    next_batch,
    open_consumer,
    show_batch,
)
from shared.web.cursors import Cursors
from shared.web.guard import CurrentCaller, guarded_router
from shared.web.problems import Problem

router = guarded_router()

PATH = "/v1/consumers"
ONE = f"{PATH}/{{name}}"
COUNTED_MAX = 10_000
BATCH_MAX = 10_000
AGAIN_S = 10

Name = Annotated[str, Path(pattern=f"^{CONSUMER_NAME}$")]


async def _reached(name: Name, caller: CurrentCaller, use: Use) -> Consumer:
    with told():
        reach = owner_of(caller, HAND_OVER_ALL)
        return await find_consumer(caller.owner_id, name, use, reach)


# One that is this owner's, and whose documents this key may hand over.
Reached = Annotated[Consumer, Depends(_reached)]


@router.get(PATH, openapi_extra=HAND_OVER)
async def list_consumers(caller: CurrentCaller, use: Use) -> ConsumerList:
    """Those of this key's owner, by name; of everybody's documents for those who may hand them
    over."""
    found = await use.handovers.list_consumers(caller.owner_id, PAGE_MAX)
    reach = owner_of(caller, HAND_OVER_ALL)
    return ConsumerList(items=[ConsumerView.of(one) for one in found if one.is_within(reach)])


@router.put(
    ONE,
    responses={201: {"description": "It is new.", "model": ConsumerView}},
    openapi_extra=HAND_OVER,
)
async def put_consumer(
    name: Name,
    response: Response,
    caller: CurrentCaller,
    use: Use,
    wanted: Annotated[ConsumerWanted, Body()] = ConsumerWanted(),  # noqa: B008 -- frozen in effect
) -> ConsumerView:
    """A name under which approved documents are handed over, each version once. Twice is
    once."""
    if wanted.scope == "all" and HAND_OVER_ALL not in caller.permissions:
        raise Problem(
            HTTPStatus.FORBIDDEN, "forbidden", "This key hands over its own documents only."
        )
    of_owner = None if wanted.scope == "all" else caller.owner_id
    with told():
        consumer, is_new = await open_consumer(
            caller.owner_id, name, of_owner, use, from_now=wanted.start == "now"
        )
    if is_new:
        response.status_code = HTTPStatus.CREATED
    return ConsumerView.of(consumer)


@router.get(ONE, openapi_extra=HAND_OVER)
async def show_consumer(consumer: Reached, use: Use) -> ConsumerView:
    """The consumer, and how much waits for it."""
    waiting = await use.handovers.count_waiting(consumer, COUNTED_MAX)
    return ConsumerView.of(consumer, waiting)


@router.post(
    f"{ONE}/batches",
    response_model=BatchView,
    responses={204: {"description": "Everything that was approved has been handed over."}},
    openapi_extra=HAND_OVER,
)
async def give_batch(
    consumer: Reached,
    use: Use,
    limit: Annotated[int, Query(ge=1, le=BATCH_MAX)] = 100,
) -> object:
    """The next approved documents, in the order in which they were approved. Until the batch
    is acknowledged the same one is given again, whatever the limit."""
    limit = min(limit, use.limits.batch_max)
    with told():
        given = await next_batch(consumer.owner_id, consumer.name, limit, use)
    if given is None:
        headers = {"Retry-After": str(AGAIN_S)}
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)
    return BatchView.given(given, consumer.name)


@router.get(f"{ONE}/batches/{{batch_id}}", openapi_extra=HAND_OVER)
async def get_batch(consumer: Reached, batch_id: UUID, use: Use) -> BatchView:
    """A batch that was given, acknowledged or not, and what was in it."""
    with told():
        given = await show_batch(consumer.owner_id, consumer.name, batch_id, use)
    return BatchView.given(given, consumer.name)


@router.post(f"{ONE}/batches/{{batch_id}}/ack", openapi_extra=HAND_OVER)
async def ack_batch(
    consumer: Reached,
    batch_id: UUID,
    use: Use,
    acknowledgement: Annotated[Acknowledgement, Body()] = Acknowledgement(),  # noqa: B008
) -> ReceiptView:
    """It is put away; the receipt. Twice is once, and the receipt stays the first."""
    with told():
        receipt = await acknowledge(
            consumer.owner_id, consumer.name, batch_id, acknowledgement.sha256, use
        )
    return ReceiptView.of(receipt)


@router.get(f"{ONE}/receipts", openapi_extra=HAND_OVER)
async def list_receipts(
    consumer: Reached,
    request: Request,
    response: Response,
    use: Use,
    page: Turned,
) -> ReceiptPage:
    """What was acknowledged, newest first."""
    cursors: Cursors = request.app.state.cursors
    scope = json.dumps(["receipts", consumer.owner_id, consumer.name])
    before = Place(*cursors.decode(page.cursor, scope=scope)) if page.cursor else None
    found = await use.handovers.list_receipts(consumer, before, page.limit + 1)
    shown, following = found[: page.limit], None
    if len(found) > page.limit and (last := shown[-1]).acknowledged_at is not None:
        following = cursors.encode((last.acknowledged_at, last.batch_id), scope=scope)
        query = urlencode({"limit": page.limit, "cursor": following})
        response.headers["Link"] = f'<{PATH}/{consumer.name}/receipts?{query}>; rel="next"'
    return ReceiptPage(items=[ReceiptView.of(one) for one in shown], next=following)
