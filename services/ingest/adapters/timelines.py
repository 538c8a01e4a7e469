"""The timelines of all watched documents, in one query of PostgreSQL."""

from collections.abc import Mapping
from uuid import UUID

from services.ingest.domain.documents import Event
from shared.database.pool import Pool
from shared.database.statements import statement

LIST_NEW_EVENTS = statement(__file__, "list_new_events")


class PostgresTimelines:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def list_new_events(
        self, after: Mapping[UUID, int], *, limit: int
    ) -> list[tuple[UUID, Event]]:
        rows = await self._pool.fetch(LIST_NEW_EVENTS, list(after), list(after.values()), limit)
        return [(row[0], Event(*row[1:])) for row in rows]
