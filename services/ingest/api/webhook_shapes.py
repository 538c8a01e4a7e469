"""What owners say about their webhooks, and what they are shown."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from services.ingest.domain.addresses import URL_CHARS_MAX
from services.ingest.domain.webhooks import (
    DESCRIPTION_CHARS_MAX,
    EVENTS,
    Attempt,
    Delivery,
    Webhook,
)

Event = Literal["document.ended", "document.finalised", "review.decided", "batch.completed"]
State = Literal["pending", "sending", "delivered", "failed"]

Url = Annotated[
    str,
    Field(
        max_length=URL_CHARS_MAX,
        description="https, port 443 or from 1024, a public address; redirects lead nowhere.",
        examples=["https://erp.example.com/hooks/paperline"],
    ),
]
Events = Annotated[list[Event], Field(min_length=1, max_length=len(EVENTS))]
# The one character that no text of the database holds.
Description = Annotated[str, Field(max_length=DESCRIPTION_CHARS_MAX, pattern=r"^[^\x00]*$")]


class WebhookRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: Url
    events: Events
    description: Description = ""
    enabled: StrictBool = True


class WebhookChange(BaseModel):
    """What is absent stays as it is. Turning it on forgets that it has failed."""

    model_config = ConfigDict(extra="forbid")

    url: Url | None = None
    events: Events | None = None
    description: Description | None = None
    enabled: StrictBool | None = None


class Rotation(BaseModel):
    model_config = ConfigDict(extra="forbid")

    overlap_s: Annotated[
        float | None,
        Field(
            ge=0,
            le=604_800,
            description="How long the old secret is signed with too; 0 when it has leaked.",
        ),
    ] = None


class WebhookView(BaseModel):
    webhook_id: UUID
    owner_id: str
    url: str
    events: list[str]
    description: str
    enabled: bool
    disabled_reason: Annotated[
        str | None,
        Field(description="gone (it answered 410) or failing (for days), if we turned it off."),
    ]
    failures: Annotated[int, Field(description="In a row.")]
    failing_since: datetime | None
    secret_overlap_until: datetime | None
    created_at: datetime
    updated_at: datetime
    links: dict[str, str]


class WebhookWithSecret(WebhookView):
    secret: Annotated[str, Field(description="Shown here and never again.")]


class WebhookPage(BaseModel):
    items: list[WebhookView]
    next: str | None


class DeliveryView(BaseModel):
    delivery_id: UUID
    webhook_id: UUID
    event: str
    state: State
    run: Annotated[int, Field(description="How often it was replayed.")]
    attempts: Annotated[int, Field(description="In this run.")]
    next_attempt_at: datetime | None
    created_at: datetime
    settled_at: datetime | None
    body: Annotated[str, Field(description="What every attempt sends, byte by byte.")]
    links: dict[str, str]


class AttemptView(BaseModel):
    run: int
    attempt: int
    at: datetime
    duration_s: float
    status_code: int | None
    error: str | None
    response: Annotated[str, Field(description="How the answer began.")]


class DeliveryDetail(DeliveryView):
    log: Annotated[list[AttemptView], Field(description="The latest first.")]


class DeliveryPage(BaseModel):
    items: list[DeliveryView]
    next: str | None


def webhook_view(webhook: Webhook) -> WebhookView:
    return WebhookView(**_webhook(webhook))


def webhook_with_secret(webhook: Webhook, secret: str) -> WebhookWithSecret:
    return WebhookWithSecret(**_webhook(webhook), secret=secret)


def delivery_view(delivery: Delivery) -> DeliveryView:
    return DeliveryView(**_delivery(delivery))


def delivery_detail(delivery: Delivery, attempts: Sequence[Attempt]) -> DeliveryDetail:
    log = [
        AttemptView(
            run=one.run,
            attempt=one.attempt,
            at=one.at,
            duration_s=one.duration_s,
            status_code=one.status_code,
            error=one.error,
            response=one.response,
        )
        for one in attempts
    ]
    return DeliveryDetail(**_delivery(delivery), log=log)


def _webhook(webhook: Webhook) -> dict[str, Any]:
    own = f"/v1/webhooks/{webhook.webhook_id}"
    return {
        "webhook_id": webhook.webhook_id,
        "owner_id": webhook.owner_id,
        "url": webhook.url,
        "events": list(webhook.events),
        "description": webhook.description,
        "enabled": webhook.enabled,
        "disabled_reason": webhook.disabled_reason,
        "failures": webhook.failures,
        "failing_since": webhook.failing_since,
        "secret_overlap_until": webhook.overlap_until,
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
        "links": {"self": own, "deliveries": f"{own}/deliveries", "test": f"{own}/test"},
    }


def _delivery(delivery: Delivery) -> dict[str, Any]:
    webhook = f"/v1/webhooks/{delivery.webhook_id}"
    own = f"{webhook}/deliveries/{delivery.delivery_id}"
    return {
        "delivery_id": delivery.delivery_id,
        "webhook_id": delivery.webhook_id,
        "event": delivery.event,
        "state": delivery.state,
        "run": delivery.run,
        "attempts": delivery.attempt,
        # While it is sent, it is due again only if its sender dies.
        "next_attempt_at": delivery.due_at if delivery.state == "pending" else None,
        "created_at": delivery.created_at,
        "settled_at": delivery.settled_at,
        "body": delivery.body,
        "links": {"self": own, "webhook": webhook, "replay": f"{own}/replay"},
    }
