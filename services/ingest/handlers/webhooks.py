"""What owners do with their endpoints; each change stands in the audit log.

An endpoint is somebody's way out of here, so who pointed it where is written down in the same
commit. Its secret is told when it is made or rotated, and at no other time.
"""

from dataclasses import dataclass
from uuid import UUID

from services.ingest.domain.webhooks import (
    PING,
    Delivery,
    NewWebhook,
    Webhook,
    Wishes,
    written,
)
from services.ingest.ports import Ports
from shared.audit.chain import Entry, Json
from shared.contracts.identity import new_id


@dataclass(frozen=True, slots=True)
class Seen:
    """Which endpoint, as its ETag named it, and whose eyes it was seen with."""

    webhook_id: UUID
    revision: int
    # None reaches the endpoints of all.
    owner_id: str | None
    actor: str


async def create_webhook(new: NewWebhook, *, actor: str, use: Ports) -> Webhook | None:
    """None when its owner has as many as are allowed. Raises Refused for its URL."""
    use.webhook_rules.policy.target(new.url)
    async with use.ledger.unit() as unit:
        made = await use.webhooks.insert_webhook(
            unit, new, webhooks_max=use.webhook_rules.webhooks_max
        )
        if made is None:
            return None
        await use.trail.record(unit, _entry(actor, "webhook_created", made))
    return made


async def change_webhook(seen: Seen, wishes: Wishes, use: Ports) -> Webhook | None:
    """None when it is not there or has changed since. Raises Refused for its URL."""
    if wishes.url is not None:
        use.webhook_rules.policy.target(wishes.url)
    async with use.ledger.unit() as unit:
        changed = await use.webhooks.change_webhook(
            unit, seen.webhook_id, wishes, owner_id=seen.owner_id, revision=seen.revision
        )
        if changed is not None:
            await use.trail.record(unit, _entry(seen.actor, "webhook_changed", changed))
    return changed


async def rotate_secret(seen: Seen, overlap_s: float | None, use: Ports) -> Webhook | None:
    """None when it is not there, not the caller's own, or has changed since."""
    if seen.owner_id is None:
        return None
    async with use.ledger.unit() as unit:
        rotated = await use.webhooks.rotate_secret(
            unit,
            seen.webhook_id,
            owner_id=seen.owner_id,
            revision=seen.revision,
            overlap_s=use.webhook_rules.overlap_s if overlap_s is None else overlap_s,
        )
        if rotated is not None:
            await use.trail.record(unit, _entry(seen.actor, "webhook_secret_rotated", rotated))
    return rotated


async def delete_webhook(
    webhook_id: UUID, *, owner_id: str | None, actor: str, use: Ports
) -> bool:
    async with use.ledger.unit() as unit:
        deleted = await use.webhooks.delete_webhook(unit, webhook_id, owner_id=owner_id)
        if deleted:
            entry = Entry(actor, "webhook_deleted", f"webhook/{webhook_id}")
            await use.trail.record(unit, entry)
    return deleted


async def ping_webhook(webhook: Webhook, use: Ports) -> Delivery:
    fact_id = new_id()
    said = {"webhook_id": str(webhook.webhook_id)}
    body = written(PING, fact_id, use.clock.now(), said)
    return await use.delivery_log.insert_ping(webhook.webhook_id, PING, fact_id, body)


def secret_of(webhook: Webhook, use: Ports) -> str:
    """For the answers that tell it, once."""
    return use.webhook_rules.secrets.secret(webhook.webhook_id, webhook.secret_version)


def _entry(actor: str, action: str, webhook: Webhook) -> Entry:
    after: Json = {
        "url": webhook.url,
        "events": list(webhook.events),
        "enabled": webhook.enabled,
        "secret_version": webhook.secret_version,
    }
    return Entry(actor, action, f"webhook/{webhook.webhook_id}", after=after)
