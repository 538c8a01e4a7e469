"""Places and the people before the door, in PostgreSQL. One method per file in `sql/`.

Rounds are serialised by an advisory lock that ends with its transaction, so that what a round
counts stays true until its commit, on every replica. Each statement touches a handful of
index entries, however many documents wait.
"""

from collections.abc import Sequence
from uuid import UUID

from services.ingest.adapters.newcomers import place_columns, row_columns
from services.ingest.domain.documents import NewDocument
from services.ingest.domain.turns import PRIORITIES, Look, Newcomer, Served
from services.ingest.domain.waiting import TOLD_MAX, QueuePlace, queue_place
from services.ingest.ports import Released, TakenIn
from shared.contracts.body import Priority
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

TAKE_IN = statement(__file__, "take_in")
IS_ANYONE_WAITING = statement(__file__, "is_anyone_waiting")
LOOK = statement(__file__, "look")
FIND_NEXT = statement(__file__, "find_next")
RELEASE = statement(__file__, "release")
COUNT_URGENT = statement(__file__, "count_urgent")
FIND_PLACE = statement(__file__, "find_place")


class PostgresReleases:
    """`window` places; one that was taken `place_s` ago does not count any more."""

    def __init__(self, pool: Pool, *, window: int, place_s: float) -> None:
        self._pool = pool
        self._window = window
        self._place_s = place_s

    async def take_in(
        self, unit: Unit, documents: Sequence[NewDocument], newcomers: Sequence[Newcomer]
    ) -> TakenIn:
        row = await unit.connection.fetchrow(
            TAKE_IN,
            list({document.scan.content_key for document in documents}),
            any(one.priority is not Priority.URGENT for one in newcomers),
            self._window,
            self._place_s,
            *place_columns(newcomers),
            *row_columns(documents),
        )
        return TakenIn(frozenset(row["let_in"]), frozenset(row["revived"]))

    async def is_anyone_waiting(self) -> bool:
        return bool(await self._pool.fetchval(IS_ANYONE_WAITING))

    async def look(self, unit: Unit) -> Look | None:
        known = [int(priority) for priority in PRIORITIES]
        row = await unit.connection.fetchrow(LOOK, self._window, self._place_s, known)
        return None if row is None else Look(**row)

    async def find_next(
        self, unit: Unit, priority: int, count: int, *, but_not: UUID | None
    ) -> list[tuple[UUID, str]]:
        rows = await unit.connection.fetch(FIND_NEXT, priority, count, but_not)
        return [(row["document_id"], row["owner_id"]) for row in rows]

    async def release(
        self, unit: Unit, document_ids: Sequence[UUID], served: Served
    ) -> list[Released]:
        rows = await unit.connection.fetch(
            RELEASE,
            list(document_ids),
            served.others,
            served.oldest,
            served.urgent_owed,
            [*served.last],
            [*served.last.values()],
        )
        return [Released(**row) for row in rows]

    async def count_urgent(self, unit: Unit, count: int) -> None:
        await unit.connection.execute(COUNT_URGENT, count)

    async def find_place(self, document_id: UUID) -> QueuePlace | None:
        row = await self._pool.fetchrow(FIND_PLACE, document_id, TOLD_MAX)
        return None if row is None else queue_place(**row)
