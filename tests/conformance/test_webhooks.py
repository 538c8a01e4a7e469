"""Webhooks: the memory of unit tests and the rows agree on who is told, and how often."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from services.ingest.adapters.deliveries import PostgresDeliveries
from services.ingest.adapters.webhooks import PostgresDeliveryLog, PostgresWebhooks
from services.ingest.domain.webhooks import (
    Answer,
    NewWebhook,
    Notice,
    Settlement,
    Webhook,
    Wishes,
)
from services.ingest.ports.webhooks import Behind, Deliveries, DeliveryLog, Webhooks
from shared.audit import MIGRATIONS
from shared.contracts.identity import new_id
from shared.ledger.port import Ledger
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.webhooks import InMemoryWebhooks

ENDED, DECIDED = "document.ended", "review.decided"


@dataclass(frozen=True, slots=True)
class Told:
    webhooks: Webhooks
    log: DeliveryLog
    deliveries: Deliveries
    ledger: Ledger

    async def endpoint(self, *events: str, owner: str = "acme") -> Webhook:
        new = NewWebhook(new_id(), owner, "https://erp.example.com/", events or (ENDED,))
        async with self.ledger.unit() as unit:
            made = await self.webhooks.insert_webhook(unit, new, webhooks_max=2)
        assert made is not None
        return made

    async def notify(self, fact_id: UUID, event: str = ENDED) -> None:
        async with self.ledger.unit() as unit:
            await self.webhooks.insert_notices(unit, [Notice("acme", event, fact_id, "{}")])

    async def change(self, webhook: Webhook, wishes: Wishes) -> Webhook | None:
        async with self.ledger.unit() as unit:
            return await self.webhooks.change_webhook(
                unit, webhook.webhook_id, wishes, owner_id="acme", revision=webhook.revision
            )

    async def states(self, webhook: Webhook) -> list[str]:
        rows = await self.log.list_deliveries(webhook.webhook_id, Behind(50), state=None)
        return [row.state for row in rows]


@pytest.fixture(params=["memory", "postgres"])
async def told(request: pytest.FixtureRequest) -> AsyncIterator[Told]:
    if request.param == "memory":
        memory = InMemoryWebhooks(FakeClock())
        yield Told(memory, memory, memory, FakeLedger())
        return
    async with service_schema(database(), "ingest", [MIGRATIONS]) as schema:
        deliveries = PostgresDeliveries(schema.pool, at_once=9, lease_s=60, failing_s=3600)
        log = PostgresDeliveryLog(schema.pool)
        yield Told(PostgresWebhooks(schema.pool), log, deliveries, schema.ledger)


async def test_a_notice_is_one_delivery_for_each_who_wants_it(told: Told) -> None:
    wants, other = await told.endpoint(ENDED, DECIDED), await told.endpoint(DECIDED)
    stranger = await told.endpoint(owner="globex")
    fact_id = uuid4()

    for _ in range(2):
        await told.notify(fact_id)
    await told.notify(fact_id, DECIDED)

    assert [len(await told.states(one)) for one in (wants, other, stranger)] == [2, 1, 0]


async def test_an_owner_has_no_more_webhooks_than_allowed(told: Told) -> None:
    for _ in range(2):
        await told.endpoint()

    with pytest.raises(AssertionError):
        await told.endpoint()
    await told.endpoint(owner="globex")


async def test_a_webhook_is_changed_as_it_was_seen_or_not_at_all(told: Told) -> None:
    webhook = await told.endpoint()

    changed = await told.change(webhook, Wishes(description="the ERP", enabled=False))

    assert changed is not None
    assert (changed.url, changed.description, changed.enabled) == (
        webhook.url,
        "the ERP",
        False,
    )
    assert await told.change(webhook, Wishes(enabled=True)) is None
    await told.notify(uuid4())
    assert await told.states(webhook) == []


async def test_a_delivery_is_in_one_hand_until_it_is_settled(told: Told) -> None:
    webhook = await told.endpoint()
    await told.notify(uuid4())

    [claimed] = await told.deliveries.claim_deliveries(limit=5)

    assert (claimed.attempt, claimed.run) == (1, 0)
    assert await told.deliveries.claim_deliveries(limit=5) == []
    assert await told.states(webhook) == ["sending"]
    key = webhook.webhook_id, claimed.delivery_id
    assert await told.log.replay_delivery(*key) is None
    settled = [
        await told.deliveries.settle(claimed, Answer(0.1, 200), Settlement("delivered"))
        for _ in range(2)
    ]
    assert settled == [True, False]
    assert await told.states(webhook) == ["delivered"]
    [attempt] = await told.log.list_attempts(claimed.delivery_id, limit=5)
    assert (attempt.attempt, attempt.status_code) == (1, 200)


async def test_what_is_replayed_begins_a_run(told: Told) -> None:
    webhook = await told.endpoint()
    await told.notify(uuid4())
    [claimed] = await told.deliveries.claim_deliveries(limit=5)
    await told.deliveries.settle(claimed, Answer(0.1, 500), Settlement("given_up"))

    again = await told.log.replay_delivery(webhook.webhook_id, claimed.delivery_id)

    assert again is not None
    assert (again.state, again.run, again.attempt, again.settled_at) == ("pending", 1, 0, None)
    [once_more] = await told.deliveries.claim_deliveries(limit=5)
    assert (once_more.run, once_more.attempt) == (1, 1)


async def test_who_is_gone_is_turned_off_and_may_come_back(told: Told) -> None:
    webhook = await told.endpoint()
    for _ in range(2):
        await told.notify(uuid4())
    [claimed] = await told.deliveries.claim_deliveries(limit=1)

    await told.deliveries.settle(claimed, Answer(0.1, 410), Settlement("gone"))

    found = await told.webhooks.find_webhook(webhook.webhook_id, owner_id="acme")
    assert found is not None
    assert (found.enabled, found.disabled_reason, found.failures) == (False, "gone", 1)
    assert found.revision > webhook.revision
    assert await told.deliveries.claim_deliveries(limit=5) == []
    healed = await told.change(found, Wishes(enabled=True))
    assert healed is not None
    assert (healed.disabled_reason, healed.failures, healed.failing_since) == (None, 0, None)
    assert len(await told.deliveries.claim_deliveries(limit=5)) == 1


async def test_a_deleted_webhook_is_not_there_any_more(told: Told) -> None:
    webhook = await told.endpoint()

    async with told.ledger.unit() as unit:
        gone = [
            await told.webhooks.delete_webhook(unit, webhook.webhook_id, owner_id=owner)
            for owner in ("globex", "acme", "acme")
        ]

    assert gone == [False, True, False]
    assert await told.webhooks.list_webhooks(None, Behind(9)) == []
