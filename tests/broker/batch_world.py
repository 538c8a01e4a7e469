"""Batches on a schema of their own, and what a test asks of them."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID

from services.ingest.domain.batches import Batch, Reference, Wish
from services.ingest.handlers.batches import receive_references
from services.ingest.handlers.release import release_documents
from shared.contracts.body import Body, Priority
from shared.contracts.envelope import decode
from shared.contracts.facts import BatchCompletedV1
from shared.contracts.orders import ExtractDocumentV1
from shared.database.pool import Connection, Pool
from tests import builders
from tests.broker.ingest_world import World, ingest_world

B = TypeVar("B", bound=Body)

KNOWN = Reference(builders.CONTENT_KEY, "a.pdf")
URGENT = Reference(builders.CONTENT_KEY, "urgent.pdf", Wish(Priority.URGENT))
UNKNOWN = Reference("sha256/00/" + "0" * 64, "unknown.pdf")

# Not what the handlers count: what has left for the broker and has not ended.
SENT_AND_OPEN = (
    "SELECT count(*) FROM batch_members JOIN documents USING (document_id)"
    " WHERE rank < 90 AND released_at IS NOT NULL"
)


class BatchWorld:
    def __init__(self, world: World) -> None:
        self.world = world
        self.use = world.use
        self.pool = world.pool

    async def batch(self, *items: Reference, key: str | None = None) -> UUID:
        return (await receive_references(builders.OWNER, items, key, self.use)).batch_id

    async def standing(self, batch_id: UUID) -> Batch:
        found = await self.use.batches.find_batch(batch_id, owner_id=builders.OWNER)
        assert found is not None
        return found

    async def stages(self, batch_id: UUID) -> dict[str, int]:
        members = await self.use.batches.list_members(batch_id)
        return dict(Counter(member.stage for member in members))

    async def bodies(self, kind: type[B]) -> list[B]:
        rows = await self.pool.fetch(
            "SELECT body FROM outbox WHERE type = $1 ORDER BY id", kind.type
        )
        return [kind.model_validate(decode(row["body"]).body) for row in rows]

    async def orders(self) -> list[ExtractDocumentV1]:
        return await self.bodies(ExtractDocumentV1)

    async def ordered(self) -> list[UUID]:
        return [order.document_id for order in await self.orders()]

    async def completed(self) -> list[BatchCompletedV1]:
        return await self.bodies(BatchCompletedV1)

    async def release_all(self) -> None:
        while await release_documents(self.use):
            continue

    async def sent_and_open(self) -> int:
        return int(await self.pool.fetchval(SENT_AND_OPEN))


@asynccontextmanager
async def batch_world(database_url: str, *, window: int = 1000) -> AsyncIterator[BatchWorld]:
    """Its owner has handed in one content, which references can name."""
    async with ingest_world(database_url, window=window) as world:
        await world.accepted()
        yield BatchWorld(world)


class CountingPool(Pool):
    """Counts what is asked of the database, whoever asks and in whatever transaction."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool._pool, pool._settings, pool._on_wait)
        # What one has at hand the other gives back: both are closed as one.
        self._at_hand = pool._at_hand
        self.asked = 0

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[Connection]:
        async with super().acquire() as connection:
            counting: Any = _Counting(connection, self)
            yield counting


class _Counting:
    def __init__(self, connection: Connection, pool: CountingPool) -> None:
        self._connection = connection
        self._pool = pool

    def __getattr__(self, name: str) -> object:
        if name in ("fetch", "fetchrow", "fetchval", "execute", "executemany"):
            self._pool.asked += 1
        return getattr(self._connection, name)
