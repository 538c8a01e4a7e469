"""Ingest with endpoints in a real PostgreSQL, and senders that reach receivers on loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from services.ingest.adapters.courier import HttpCourier
from services.ingest.adapters.deliveries import PostgresDeliveries
from services.ingest.domain.addresses import Policy, networks_of
from services.ingest.domain.webhooks import (
    EVENTS,
    Answer,
    Delivery,
    NewWebhook,
    Notice,
    Secrets,
    Settlement,
    Webhook,
)
from services.ingest.handlers.deliver import deliver
from services.ingest.ports.webhooks import Behind, Sending
from shared.contracts.identity import new_id
from tests import builders
from tests.broker.ingest_world import Told, World

STORED, FINALISED = Told(builders.stored), Told(builders.finalised)
DECIDED = Told(builders.review_decided)
OK, RETRIED = Settlement("delivered"), Settlement("retried", 60.0)
ANSWER = Answer(0.1, 200)
SECRETS = Secrets("a secret of the world")


class Hooks:
    def __init__(self, world: World) -> None:
        self.world = world
        self.pool, self.use = world.pool, world.use
        self.deliveries = self.sender()

    def sender(
        self, *, at_once: int = 4, lease_s: float = 60, failing_s: float = 3600
    ) -> PostgresDeliveries:
        return PostgresDeliveries(
            self.pool, at_once=at_once, lease_s=lease_s, failing_s=failing_s
        )

    async def endpoint(
        self, url: str = "https://erp.example.com/", *events: str, owner: str = builders.OWNER
    ) -> Webhook:
        new = NewWebhook(new_id(), owner, url, events or EVENTS)
        async with self.use.ledger.unit() as unit:
            made = await self.use.webhooks.insert_webhook(unit, new, webhooks_max=100)
        assert made is not None
        return made

    async def notify(self, count: int, owner: str = builders.OWNER) -> None:
        notices = [Notice(owner, "document.ended", uuid4(), "{}") for _ in range(count)]
        async with self.use.ledger.unit() as unit:
            await self.use.webhooks.insert_notices(unit, notices)

    async def log(self, webhook: Webhook) -> list[Delivery]:
        return await self.use.delivery_log.list_deliveries(
            webhook.webhook_id, Behind(1000), state=None
        )

    async def now_is(self, webhook: Webhook) -> Webhook:
        found = await self.use.webhooks.find_webhook(webhook.webhook_id, owner_id=None)
        assert found is not None
        return found

    async def sooner(self, by_s: float) -> None:
        """As if so much time had passed, for everything that waits."""
        await self.pool.execute(
            "UPDATE webhook_deliveries SET due_at = due_at - make_interval(secs => $1)", by_s
        )

    async def count(self, table: str) -> int:
        return int(await self.pool.fetchval(f"SELECT count(*) FROM {table}"))


async def emptied(world: World) -> Hooks:
    """A sender takes whatever is due: nothing of the test before may be."""
    await world.pool.execute("TRUNCATE webhooks, webhook_deliveries, webhook_attempts")
    return Hooks(world)


class Sender:
    """A sending process of its own, towards receivers on loopback."""

    def __init__(self, world: Hooks, timeout_s: float) -> None:
        self.courier = HttpCourier(
            Policy(allowed=networks_of("127.0.0.0/8"), plain_http=True), timeout_s=timeout_s
        )
        self.sending = Sending(
            world.sender(at_once=2), self.courier, SECRETS, world.use.clock, 8, 3, 0.05
        )

    async def deliver_due(self) -> None:
        for one in await self.sending.deliveries.claim_deliveries(limit=10):
            await deliver(one, self.sending, chance=lambda: 0.0)


@asynccontextmanager
async def sender(world: Hooks, timeout_s: float = 2) -> AsyncIterator[Sender]:
    one = Sender(world, timeout_s)
    try:
        yield one
    finally:
        await one.courier.close()
