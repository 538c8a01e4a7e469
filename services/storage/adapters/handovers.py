"""What is handed over to consumers, in PostgreSQL. One method per file in `sql/`."""

from collections.abc import Sequence
from dataclasses import fields
from uuid import UUID

from services.storage.domain.exports import Place
from services.storage.domain.handover import Approval, Batch, Consumer
from services.storage.domain.listed import Listed
from shared.contracts.identity import new_id
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

NOTE_APPROVED = statement(__file__, "note_approved")
APPROVE_MISSING = statement(__file__, "approve_missing")
LOCK_HEAD = statement(__file__, "lock_head")
NUMBER_APPROVALS = statement(__file__, "number_approvals")
OPEN_CONSUMER = statement(__file__, "open_consumer")
COUNT_CONSUMERS = statement(__file__, "count_consumers")
FIND_CONSUMER = statement(__file__, "find_consumer")
LIST_CONSUMERS = statement(__file__, "list_consumers")
COUNT_WAITING = statement(__file__, "count_waiting")
LOCK_CONSUMER = statement(__file__, "lock_consumer")
GIVE_AGAIN = statement(__file__, "give_again")
LIST_WAITING = statement(__file__, "list_waiting")
LIST_WAITING_OF = statement(__file__, "list_waiting_of")
OPEN_BATCH = statement(__file__, "open_batch")
FIND_BATCH = statement(__file__, "find_batch")
LIST_ITEMS = statement(__file__, "list_items")
ACKNOWLEDGE_BATCH = statement(__file__, "acknowledge_batch")
LIST_RECEIPTS = statement(__file__, "list_receipts")


class PostgresHandovers:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def note_approved(self, unit: Unit, entries: Sequence[Listed]) -> None:
        if entries:
            await unit.connection.execute(
                NOTE_APPROVED,
                [one.document_id for one in entries],
                [one.version for one in entries],
                [one.owner_id for one in entries],
                [one.verdict for one in entries],
            )

    async def approve_missing(self, unit: Unit, limit: int) -> int:
        return len(await unit.connection.fetch(APPROVE_MISSING, limit))

    async def number_approvals(self, unit: Unit, limit: int) -> int:
        await self.lock_head(unit)
        return int(await unit.connection.fetchval(NUMBER_APPROVALS, limit))

    async def lock_head(self, unit: Unit) -> None:
        await unit.connection.execute(LOCK_HEAD)

    async def open_consumer(
        self, unit: Unit, *, owner_id: str, name: str, of_owner: str | None, from_now: bool
    ) -> Consumer | None:
        told = (new_id(), owner_id, name, of_owner, from_now)
        return _consumer(await unit.connection.fetchrow(OPEN_CONSUMER, *told))

    async def count_consumers(self, unit: Unit, owner_id: str) -> int:
        return int(await unit.connection.fetchval(COUNT_CONSUMERS, owner_id))

    async def find_consumer(self, owner_id: str, name: str) -> Consumer | None:
        return _consumer(await self._pool.fetchrow(FIND_CONSUMER, owner_id, name))

    async def list_consumers(self, owner_id: str, limit: int) -> list[Consumer]:
        rows = await self._pool.fetch(LIST_CONSUMERS, owner_id, limit)
        return [Consumer(**row) for row in rows]

    async def count_waiting(self, consumer: Consumer, limit: int) -> int:
        counted = (consumer.position, consumer.of_owner, limit)
        return int(await self._pool.fetchval(COUNT_WAITING, *counted))

    async def lock_consumer(self, unit: Unit, owner_id: str, name: str) -> Consumer | None:
        return _consumer(await unit.connection.fetchrow(LOCK_CONSUMER, owner_id, name))

    async def give_again(self, unit: Unit, consumer: Consumer) -> Batch | None:
        return _batch(await unit.connection.fetchrow(GIVE_AGAIN, consumer.consumer_id))

    async def list_waiting(self, unit: Unit, consumer: Consumer, limit: int) -> list[Approval]:
        if consumer.of_owner is not None:
            return await self.list_waiting_of(unit, consumer, consumer.of_owner, limit)
        rows = await unit.connection.fetch(LIST_WAITING, consumer.position, limit)
        return [Approval(**row) for row in rows]

    async def list_waiting_of(
        self, unit: Unit, consumer: Consumer, owner_id: str, limit: int
    ) -> list[Approval]:
        asked = (consumer.position, limit, owner_id)
        rows = await unit.connection.fetch(LIST_WAITING_OF, *asked)
        return [Approval(**row) for row in rows]

    async def open_batch(
        self, unit: Unit, consumer: Consumer, items: Sequence[Approval], sha256: str
    ) -> Batch:
        row = await unit.connection.fetchrow(
            OPEN_BATCH,
            new_id(),
            consumer.consumer_id,
            [one.position for one in items],
            [one.document_id for one in items],
            [one.version for one in items],
            sha256,
        )
        return _given(row)

    async def find_batch(self, unit: Unit, consumer: Consumer, batch_id: UUID) -> Batch | None:
        asked = (consumer.consumer_id, batch_id)
        return _batch(await unit.connection.fetchrow(FIND_BATCH, *asked))

    async def list_items(self, unit: Unit, batch: Batch) -> list[Approval]:
        rows = await unit.connection.fetch(LIST_ITEMS, batch.batch_id)
        return [Approval(**row) for row in rows]

    async def acknowledge_batch(self, unit: Unit, batch: Batch, by: str) -> Batch | None:
        told = (batch.consumer_id, batch.batch_id, by)
        return _batch(await unit.connection.fetchrow(ACKNOWLEDGE_BATCH, *told))

    async def list_receipts(
        self, consumer: Consumer, before: Place | None, limit: int
    ) -> list[Batch]:
        place = (before.accepted_at, before.document_id) if before else (None, None)
        rows = await self._pool.fetch(LIST_RECEIPTS, consumer.consumer_id, *place, limit)
        return [_given(row) for row in rows]


_BATCH = tuple(field.name for field in fields(Batch))


def _consumer(row: Row | None) -> Consumer | None:
    return Consumer(**row) if row else None


def _batch(row: Row | None) -> Batch | None:
    return _given(row) if row else None


def _given(row: Row) -> Batch:
    return Batch(**{name: row[name] for name in _BATCH})
