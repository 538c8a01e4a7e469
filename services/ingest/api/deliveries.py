"""The routes of a webhook's log: what it was told, how each attempt went, tell it again."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response

from services.ingest.api.asking import Use
from services.ingest.api.paging import Asked, Paging
from services.ingest.api.webhook_shapes import (
    DeliveryDetail,
    DeliveryPage,
    DeliveryView,
    State,
    delivery_detail,
    delivery_view,
)
from services.ingest.api.webhooks import MANAGE, MANAGE_ALL, READ, SEE_ALL, find_webhook
from services.ingest.domain.webhooks import Delivery, Webhook
from services.ingest.handlers.webhooks import ping_webhook
from services.ingest.ports import Ports
from shared.web.description import where_to_look
from shared.web.guard import CurrentCaller, guarded_router
from shared.web.problems import Problem

router = guarded_router()

PATH = "/v1/webhooks/{webhook_id}/deliveries"
ATTEMPTS_MAX = 100


class AskedState(Asked):
    state: State | None = None


@router.post(
    "/v1/webhooks/{webhook_id}/test",
    status_code=HTTPStatus.ACCEPTED,
    responses=where_to_look("the delivery"),
    openapi_extra=MANAGE,
)
async def ping(
    webhook_id: UUID, response: Response, caller: CurrentCaller, use: Use
) -> DeliveryView:
    """Send it a `webhook.ping`, whatever events it asked for."""
    webhook = await find_webhook(webhook_id, caller, use, everybodys=MANAGE_ALL)
    _require_enabled(webhook)
    return _told(await ping_webhook(webhook, use), response)


@router.get(PATH, openapi_extra=READ)
async def list_deliveries(
    webhook_id: UUID,
    asked: Annotated[AskedState, Query()],
    request: Request,
    response: Response,
    caller: CurrentCaller,
    use: Use,
) -> DeliveryPage:
    """Newest first. `next` is the address of the following page, as in the Link header."""
    await find_webhook(webhook_id, caller, use, everybodys=SEE_ALL)
    paging = Paging(request, asked, scope=["deliveries", str(webhook_id)])
    found = await use.delivery_log.list_deliveries(
        webhook_id, paging.behind(), state=asked.state
    )
    shown, following = found[: asked.limit], None
    if len(found) > len(shown):
        last = shown[-1].created_at, shown[-1].delivery_id
        following = paging.following(last, response)
    return DeliveryPage(items=[delivery_view(one) for one in shown], next=following)


@router.get(f"{PATH}/{{delivery_id}}", openapi_extra=READ)
async def get_delivery(
    webhook_id: UUID, delivery_id: UUID, caller: CurrentCaller, use: Use
) -> DeliveryDetail:
    """With each of its attempts."""
    await find_webhook(webhook_id, caller, use, everybodys=SEE_ALL)
    found = await _find(webhook_id, delivery_id, use)
    attempts = await use.delivery_log.list_attempts(delivery_id, limit=ATTEMPTS_MAX)
    return delivery_detail(found, attempts)


@router.post(
    f"{PATH}/{{delivery_id}}/replay",
    status_code=HTTPStatus.ACCEPTED,
    responses=where_to_look("the delivery"),
    openapi_extra=MANAGE,
)
async def replay(
    webhook_id: UUID, delivery_id: UUID, response: Response, caller: CurrentCaller, use: Use
) -> DeliveryView:
    """The same delivery, with the same id and body, from its first attempt on."""
    webhook = await find_webhook(webhook_id, caller, use, everybodys=MANAGE_ALL)
    await _find(webhook_id, delivery_id, use)
    _require_enabled(webhook)
    again = await use.delivery_log.replay_delivery(webhook_id, delivery_id)
    if again is None:
        raise Problem(HTTPStatus.CONFLICT, "not_settled", "It is still on its way.")
    return _told(again, response)


async def _find(webhook_id: UUID, delivery_id: UUID, use: Ports) -> Delivery:
    found = await use.delivery_log.find_delivery(webhook_id, delivery_id)
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no_such_delivery", "There is no such delivery.")
    return found


def _require_enabled(webhook: Webhook) -> None:
    if not webhook.enabled:
        raise Problem(HTTPStatus.CONFLICT, "webhook_disabled", "Turn the webhook on first.")


def _told(delivery: Delivery, response: Response) -> DeliveryView:
    view = delivery_view(delivery)
    response.headers["Location"] = view.links["self"]
    response.headers["Retry-After"] = "1"
    return view
