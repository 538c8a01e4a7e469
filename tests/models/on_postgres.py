"""The same settings over PostgreSQL: what the fakes stand for has to do what they do.

Their tables are emptied for each play. The audit log is not, since nobody may: a play looks
for its own documents, letters and operations in it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from tests.broker.ingest_world import World, ingest_world
from tests.broker.monitor_world import monitor_service
from tests.broker.review_world import review_service
from tests.conformance.database import database
from tests.conformance.operating import Operating, over
from tests.conformance.reviewing import PLAN, Desk, MovedRows
from tests.models.documents import Intake
from tests.models.playing import Anew

AUDITED = "SELECT action FROM audit_log WHERE resource = $1"


class _Ingest:
    def __init__(self, world: World) -> None:
        self._world = world
        self.use = world.use
        self.accepted = world.accepted
        self.document = world.document
        self.timeline = world.timeline
        self.ended = world.ended

    async def audited(self, document_id: UUID) -> list[str]:
        rows = await self._world.pool.fetch(AUDITED, f"document/{document_id}")
        return [row["action"] for row in rows]


@asynccontextmanager
async def ingest() -> AsyncIterator[Anew[Intake]]:
    async with ingest_world(database()) as world:

        async def anew() -> Intake:
            # Documents do not know of each other.
            return _Ingest(world)

        yield anew


@asynccontextmanager
async def desk() -> AsyncIterator[Anew[Desk]]:
    async with review_service(database(), PLAN) as review:

        async def anew() -> Desk:
            await review.schema.owner.execute("TRUNCATE review_items CASCADE")
            return Desk(review.use, review.blobs, MovedRows(review.schema.owner))

        yield anew


@asynccontextmanager
async def monitor() -> AsyncIterator[Anew[Operating]]:
    async with monitor_service(database()) as service:

        async def anew() -> Operating:
            await service.schema.owner.execute("TRUNCATE dead_letters, operations CASCADE")
            return over(service)

        yield anew
