"""The routes of webhooks: where an owner wants to be told, and with which secret."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response

from services.ingest.api.asking import Use, owner_of
from services.ingest.api.paging import Asked, Paging
from services.ingest.api.webhook_shapes import (
    Rotation,
    WebhookChange,
    WebhookPage,
    WebhookRequest,
    WebhookView,
    WebhookWithSecret,
    webhook_view,
    webhook_with_secret,
)
from services.ingest.domain.addresses import Refused
from services.ingest.domain.webhooks import NewWebhook, Webhook, Wishes
from services.ingest.handlers.webhooks import (
    Seen,
    change_webhook,
    create_webhook,
    delete_webhook,
    rotate_secret,
    secret_of,
)
from services.ingest.ports import Ports
from shared.contracts.identity import new_id
from shared.web.etags import SeenVersion, etag
from shared.web.guard import Caller, CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

PATH = "/v1/webhooks"
OWN, MANAGE_ALL, SEE_ALL = "webhooks:own:manage", "webhooks:all:manage", "webhooks:all:read"
READ = needs("webhooks:own:read", SEE_ALL)
MANAGE = needs(OWN, MANAGE_ALL)
MANAGE_OWN = needs(OWN)

RECEIVING = """\
Tell this address of these events from now on.

Each delivery is a POST with `Paperline-Event`, `Paperline-Delivery` (the same at every attempt)
and `Paperline-Signature: t=<unix seconds>,v1=<hex>`. While a rotated secret overlaps there are
two `v1`. Any 2xx settles it; anything else is tried again for about a day, and 410 turns the
webhook off. A delivery may come more than once, and in any order. Verify it before you read it:

```python
import hashlib, hmac, time

def verify(secret: str, signature: str, body: bytes, now: float | None = None) -> bool:
    parts = [part.partition("=")[::2] for part in signature.split(",")]
    moment = next((value for name, value in parts if name == "t" and value.isdigit()), "0")
    told = moment.encode() + b"." + body
    seal = hmac.new(secret.encode(), told, hashlib.sha256).hexdigest()
    fresh = abs((time.time() if now is None else now) - int(moment)) <= 300
    return fresh and any(hmac.compare_digest(v, seal) for name, v in parts if name == "v1")
```
"""


@router.post(
    PATH, status_code=HTTPStatus.CREATED, description=RECEIVING, openapi_extra=MANAGE_OWN
)
async def create(
    asked: WebhookRequest, response: Response, caller: CurrentCaller, use: Use
) -> WebhookWithSecret:
    new = NewWebhook(
        new_id(),
        caller.owner_id,
        asked.url,
        list(dict.fromkeys(asked.events)),
        asked.description,
        asked.enabled,
    )
    try:
        made = await create_webhook(new, actor=caller.owner_id, use=use)
    except Refused as refused:
        raise _bad_url(refused) from refused
    if made is None:
        raise Problem(
            HTTPStatus.CONFLICT,
            "too_many_webhooks",
            f"At most {use.webhook_rules.webhooks_max} webhooks of one owner.",
        )
    response.headers["Location"] = f"{PATH}/{made.webhook_id}"
    response.headers["ETag"] = etag(made.revision)
    return webhook_with_secret(made, secret_of(made, use))


@router.get(PATH, openapi_extra=READ)
async def list_webhooks(
    asked: Annotated[Asked, Query()],
    request: Request,
    response: Response,
    caller: CurrentCaller,
    use: Use,
) -> WebhookPage:
    """Oldest first. `next` is the address of the following page, as in the Link header."""
    owner_id = owner_of(caller, SEE_ALL)
    paging = Paging(request, asked, scope=["webhooks", owner_id])
    found = await use.webhooks.list_webhooks(owner_id, paging.behind())
    shown, following = found[: asked.limit], None
    if len(found) > len(shown):
        last = shown[-1].created_at, shown[-1].webhook_id
        following = paging.following(last, response)
    return WebhookPage(items=[webhook_view(one) for one in shown], next=following)


@router.get(f"{PATH}/{{webhook_id}}", openapi_extra=READ)
async def get_webhook(
    webhook_id: UUID, response: Response, caller: CurrentCaller, use: Use
) -> WebhookView:
    """Its ETag is what a change must name."""
    found = await find_webhook(webhook_id, caller, use, everybodys=SEE_ALL)
    response.headers["ETag"] = etag(found.revision)
    return webhook_view(found)


@router.patch(f"{PATH}/{{webhook_id}}", openapi_extra=MANAGE)
async def change(
    webhook_id: UUID,
    asked: WebhookChange,
    version: SeenVersion,
    response: Response,
    caller: CurrentCaller,
    use: Use,
) -> WebhookView:
    """Needs If-Match. What is on its way goes to the new address."""
    owner_id = owner_of(caller, MANAGE_ALL)
    seen = Seen(webhook_id, version, owner_id, caller.owner_id)
    events = None if asked.events is None else list(dict.fromkeys(asked.events))
    wishes = Wishes(asked.url, events, asked.description, asked.enabled)
    try:
        changed = await change_webhook(seen, wishes, use)
    except Refused as refused:
        raise _bad_url(refused) from refused
    if changed is None:
        raise await _stale(webhook_id, caller, use, everybodys=MANAGE_ALL)
    response.headers["ETag"] = etag(changed.revision)
    return webhook_view(changed)


@router.post(f"{PATH}/{{webhook_id}}/rotate", openapi_extra=MANAGE_OWN)
async def rotate(
    webhook_id: UUID,
    asked: Rotation,
    version: SeenVersion,
    response: Response,
    caller: CurrentCaller,
    use: Use,
) -> WebhookWithSecret:
    """A new secret. Needs If-Match, and is for the owner alone."""
    seen = Seen(webhook_id, version, caller.owner_id, caller.owner_id)
    rotated = await rotate_secret(seen, asked.overlap_s, use)
    if rotated is None:
        raise await _stale(webhook_id, caller, use)
    response.headers["ETag"] = etag(rotated.revision)
    return webhook_with_secret(rotated, secret_of(rotated, use))


@router.delete(
    f"{PATH}/{{webhook_id}}", status_code=HTTPStatus.NO_CONTENT, openapi_extra=MANAGE
)
async def delete(webhook_id: UUID, caller: CurrentCaller, use: Use) -> Response:
    """It is told nothing more, and what it was told is forgotten."""
    owner_id = owner_of(caller, MANAGE_ALL)
    actor = caller.owner_id
    if not await delete_webhook(webhook_id, owner_id=owner_id, actor=actor, use=use):
        raise _no_such_webhook()
    return Response(status_code=HTTPStatus.NO_CONTENT)


async def find_webhook(
    webhook_id: UUID, caller: Caller, use: Ports, *, everybodys: str | None = None
) -> Webhook:
    """Raises the problem of who does not get it. Without `everybodys` it must be their own."""
    owner_id = caller.owner_id if everybodys is None else owner_of(caller, everybodys)
    found = await use.webhooks.find_webhook(webhook_id, owner_id=owner_id)
    if found is None:
        # Somebody else's is as absent as one that never was.
        raise _no_such_webhook()
    return found


async def _stale(
    webhook_id: UUID, caller: Caller, use: Ports, *, everybodys: str | None = None
) -> Problem:
    now = await find_webhook(webhook_id, caller, use, everybodys=everybodys)
    return Problem(
        HTTPStatus.PRECONDITION_FAILED,
        "stale_version",
        "It has changed since: look again.",
        headers={"ETag": etag(now.revision)},
    )


def _bad_url(refused: Refused) -> Problem:
    errors = [{"pointer": "/body/url", "detail": str(refused)}]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=errors)


def _no_such_webhook() -> Problem:
    return Problem(HTTPStatus.NOT_FOUND, "no_such_webhook", "There is no such webhook.")
