"""Endpoints and what they were told, in PostgreSQL. One method per file in `sql/`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from services.ingest.domain.webhooks import (
    Attempt,
    Delivery,
    NewWebhook,
    Notice,
    Webhook,
    Wishes,
)
from services.ingest.ports.webhooks import Behind
from shared.contracts.identity import new_id
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

INSERT_NOTICES = statement(__file__, "insert_notices")
AWAIT_WEBHOOKS_OF = statement(__file__, "await_webhooks_of")
INSERT_WEBHOOK = statement(__file__, "insert_webhook")
LIST_WEBHOOKS = statement(__file__, "list_webhooks")
FIND_WEBHOOK = statement(__file__, "find_webhook")
CHANGE_WEBHOOK = statement(__file__, "change_webhook")
ROTATE_SECRET = statement(__file__, "rotate_secret")
DELETE_WEBHOOK = statement(__file__, "delete_webhook")
LIST_DELIVERIES = statement(__file__, "list_deliveries")
LIST_DELIVERIES_IN_STATE = statement(__file__, "list_deliveries_in_state")
FIND_DELIVERY = statement(__file__, "find_delivery")
LIST_ATTEMPTS = statement(__file__, "list_attempts")
REPLAY_DELIVERY = statement(__file__, "replay_delivery")
INSERT_PING = statement(__file__, "insert_ping")

# Lists begin behind a position that no row reaches.
_FIRST = datetime(1, 1, 1, tzinfo=UTC), UUID(int=0)
_LAST = datetime(9999, 12, 31, tzinfo=UTC), UUID(int=2**128 - 1)


class PostgresWebhooks:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def insert_notices(self, unit: Unit, notices: Sequence[Notice]) -> None:
        rows = [(one.owner_id, one.event, one.fact_id, one.body) for one in notices]
        columns = [list(column) for column in zip(*rows, strict=True)]
        await unit.connection.execute(INSERT_NOTICES, *columns)

    async def insert_webhook(
        self, unit: Unit, webhook: NewWebhook, *, webhooks_max: int
    ) -> Webhook | None:
        await self.await_webhooks_of(unit, webhook.owner_id)
        row = await unit.connection.fetchrow(
            INSERT_WEBHOOK,
            webhook.webhook_id,
            webhook.owner_id,
            webhook.url,
            list(webhook.events),
            webhook.description,
            webhook.enabled,
            webhooks_max,
        )
        return _webhook(row)

    async def await_webhooks_of(self, unit: Unit, owner_id: str) -> None:
        # A statement of its own: the count after it must see what the last holder committed.
        await unit.connection.execute(AWAIT_WEBHOOKS_OF, owner_id)

    async def list_webhooks(self, owner_id: str | None, page: Behind) -> list[Webhook]:
        at, behind = page.at or _FIRST[0], page.id or _FIRST[1]
        rows = await self._pool.fetch(LIST_WEBHOOKS, owner_id, at, behind, page.limit)
        return [Webhook(*row) for row in rows]

    async def find_webhook(self, webhook_id: UUID, *, owner_id: str | None) -> Webhook | None:
        return _webhook(await self._pool.fetchrow(FIND_WEBHOOK, webhook_id, owner_id))

    async def change_webhook(
        self,
        unit: Unit,
        webhook_id: UUID,
        wishes: Wishes,
        *,
        owner_id: str | None,
        revision: int,
    ) -> Webhook | None:
        row = await unit.connection.fetchrow(
            CHANGE_WEBHOOK,
            webhook_id,
            owner_id,
            revision,
            wishes.url,
            None if wishes.events is None else list(wishes.events),
            wishes.description,
            wishes.enabled,
        )
        return _webhook(row)

    async def rotate_secret(
        self, unit: Unit, webhook_id: UUID, *, owner_id: str, revision: int, overlap_s: float
    ) -> Webhook | None:
        asked = (webhook_id, owner_id, revision, overlap_s)
        return _webhook(await unit.connection.fetchrow(ROTATE_SECRET, *asked))

    async def delete_webhook(
        self, unit: Unit, webhook_id: UUID, *, owner_id: str | None
    ) -> bool:
        return bool(await unit.connection.fetchval(DELETE_WEBHOOK, webhook_id, owner_id))


class PostgresDeliveryLog:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def list_deliveries(
        self, webhook_id: UUID, page: Behind, *, state: str | None
    ) -> list[Delivery]:
        at, behind = page.at or _LAST[0], page.id or _LAST[1]
        asked = (webhook_id, at, behind, page.limit)
        if state is not None:
            return await self.list_deliveries_in_state(*asked, state)
        return [Delivery(*row) for row in await self._pool.fetch(LIST_DELIVERIES, *asked)]

    async def list_deliveries_in_state(self, *asked: object) -> list[Delivery]:
        rows = await self._pool.fetch(LIST_DELIVERIES_IN_STATE, *asked)
        return [Delivery(*row) for row in rows]

    async def find_delivery(self, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
        return _delivery(await self._pool.fetchrow(FIND_DELIVERY, webhook_id, delivery_id))

    async def list_attempts(self, delivery_id: UUID, *, limit: int) -> list[Attempt]:
        rows = await self._pool.fetch(LIST_ATTEMPTS, delivery_id, limit)
        return [Attempt(*row) for row in rows]

    async def replay_delivery(self, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
        return _delivery(await self._pool.fetchrow(REPLAY_DELIVERY, webhook_id, delivery_id))

    async def insert_ping(
        self, webhook_id: UUID, event: str, fact_id: UUID, body: str
    ) -> Delivery:
        asked = (new_id(), webhook_id, event, fact_id, body)
        return Delivery(*(await self._pool.fetchrow(INSERT_PING, *asked) or ()))


def _webhook(row: Any) -> Webhook | None:  # noqa: ANN401 -- asyncpg's record has no types
    return None if row is None else Webhook(*row)


def _delivery(row: Any) -> Delivery | None:  # noqa: ANN401
    return None if row is None else Delivery(*row)
