"""Telling owners over HTTP: where they want to be told, what they are told, who carries it.

What is written when a document moves takes the open unit of work, so that a delivery and what
it tells of are one commit. Sending it is apart from that, and may happen twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from services.ingest.domain.addresses import Policy
from services.ingest.domain.webhooks import (
    Answer,
    Attempt,
    Claimed,
    Delivery,
    NewWebhook,
    Notice,
    Secrets,
    Settlement,
    Webhook,
    Wishes,
)
from shared.clock import Clock
from shared.ledger.port import Unit


@dataclass(frozen=True, slots=True)
class WebhookRules:
    """What every endpoint is held to."""

    policy: Policy
    secrets: Secrets
    webhooks_max: int
    overlap_s: float


@dataclass(frozen=True, slots=True)
class Behind:
    """Where a page begins: next to this position; None where the list begins."""

    limit: int
    at: datetime | None = None
    id: UUID | None = None


class Webhooks(Protocol):
    """`owner_id` None sees the endpoints of all; somebody else's are as absent as none."""

    async def insert_notices(self, unit: Unit, notices: Sequence[Notice]) -> None:
        """One delivery for each endpoint that wants one; repeated notices make none."""

    async def insert_webhook(
        self, unit: Unit, webhook: NewWebhook, *, webhooks_max: int
    ) -> Webhook | None:
        """None when its owner has as many as are allowed."""

    async def list_webhooks(self, owner_id: str | None, page: Behind) -> list[Webhook]:
        """Oldest first."""

    async def find_webhook(
        self, webhook_id: UUID, *, owner_id: str | None
    ) -> Webhook | None: ...

    async def change_webhook(
        self,
        unit: Unit,
        webhook_id: UUID,
        wishes: Wishes,
        *,
        owner_id: str | None,
        revision: int,
    ) -> Webhook | None:
        """None when it is not there, or not as it was at this revision."""

    async def rotate_secret(
        self, unit: Unit, webhook_id: UUID, *, owner_id: str, revision: int, overlap_s: float
    ) -> Webhook | None: ...

    async def delete_webhook(
        self, unit: Unit, webhook_id: UUID, *, owner_id: str | None
    ) -> bool: ...


class DeliveryLog(Protocol):
    """What endpoints were told; whether the asker may see the endpoint is known by now."""

    async def list_deliveries(
        self, webhook_id: UUID, page: Behind, *, state: str | None
    ) -> list[Delivery]:
        """Newest first."""

    async def find_delivery(self, webhook_id: UUID, delivery_id: UUID) -> Delivery | None: ...

    async def list_attempts(self, delivery_id: UUID, *, limit: int) -> list[Attempt]: ...

    async def replay_delivery(self, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
        """None while it is still under way."""

    async def insert_ping(
        self, webhook_id: UUID, event: str, fact_id: UUID, body: str
    ) -> Delivery: ...


class Deliveries(Protocol):
    """The sender's side: each delivery is in one sender's hands at a time."""

    async def claim_deliveries(self, *, limit: int) -> list[Claimed]: ...

    async def settle(self, claimed: Claimed, answer: Answer, settlement: Settlement) -> bool:
        """False when the lease has gone to somebody else meanwhile."""

    async def oldest_due(self) -> float:
        """The seconds for which something could have been sent and was not."""


class Courier(Protocol):
    async def carry(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Never raises for what the other side does, and always comes back in time."""


@dataclass(frozen=True, slots=True)
class Sending:
    """What the sender needs."""

    deliveries: Deliveries
    courier: Courier
    secrets: Secrets
    clock: Clock
    # Deliveries under way at a time in this process.
    slots: int
    attempts_max: int
    poll_s: float
