"""Ingest with an owner who wants to be told, and a sender whose courier is a fake."""

import json
from typing import Any
from uuid import UUID

from services.ingest.domain.webhooks import (
    EVENTS,
    Answer,
    Delivery,
    NewWebhook,
    Secrets,
)
from services.ingest.handlers import receive_document
from services.ingest.handlers.deliver import deliver
from services.ingest.handlers.record import record_facts
from services.ingest.ports.webhooks import Sending
from shared.contracts.body import DocumentFact
from shared.contracts.identity import new_id
from tests import builders
from tests.fakes.ledger import FakeUnit
from tests.fakes.webhooks import FakeCourier
from tests.unit.ingest.world import FakeUpload, World

URL = "https://erp.example.com/hook"
SECRETS = Secrets("a secret of the world")


class ToldWorld(World):
    """Acme with one endpoint that wants everything, and a sender."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__()
        self.courier = FakeCourier(*answers)
        self.sending = Sending(
            deliveries=self.webhooks,
            courier=self.courier,
            secrets=SECRETS,
            clock=self.clock,
            slots=4,
            attempts_max=3,
            poll_s=0.01,
        )

    async def endpoint(self, *events: str, owner_id: str = builders.OWNER) -> UUID:
        new = NewWebhook(new_id(), owner_id, URL, events or EVENTS)
        made = await self.webhooks.insert_webhook(FakeUnit(), new, webhooks_max=9)
        assert made is not None
        return made.webhook_id

    async def accepted(self) -> UUID:
        return (await receive_document(FakeUpload(), self.use)).document_id

    async def record(self, *facts: DocumentFact) -> None:
        await record_facts([builders.job(fact) for fact in facts], self.use)

    async def deliver_due(self) -> None:
        for one in await self.webhooks.claim_deliveries(limit=10):
            await deliver(one, self.sending, chance=lambda: 0.0)

    def said(self) -> list[tuple[str, dict[str, Any]]]:
        rows = self.webhooks.deliveries.values()
        return [(row.event, json.loads(row.body)["data"]) for row in rows]

    def only(self) -> Delivery:
        [row] = self.webhooks.deliveries.values()
        return row
