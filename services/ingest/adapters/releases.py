"""Places and the people before the door, in PostgreSQL. One method per file in `sql/`.

Rounds are serialised by an advisory lock that ends with its transaction, so that what a round
counts stays true until its commit, on every replica. Each statement touches a handful of
index entries, however many documents wait.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.domain.turns import Look, Newcomer
from services.ingest.domain.waiting import TOLD_MAX, QueuePlace, queue_place
from services.ingest.ports import Released
from shared.contracts.body import Priority
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

ENTER = statement(__file__, "enter")
AWAIT_TURN = statement(__file__, "await_turn")
PLACE = statement(__file__, "place")
IS_ANYONE_WAITING = statement(__file__, "is_anyone_waiting")
LOOK = statement(__file__, "look")
FIND_NEXT = statement(__file__, "find_next")
RELEASE = statement(__file__, "release")
COUNT_URGENT = statement(__file__, "count_urgent")
NOTE_TURN = statement(__file__, "note_turn")
FIND_PLACE = statement(__file__, "find_place")
NOTE_OWNERS = statement(__file__, "note_owners")


class PostgresReleases:
    """`window` places; one that was taken `place_s` ago does not count any more."""

    def __init__(self, pool: Pool, *, window: int, place_s: float) -> None:
        self._pool = pool
        self._window = window
        self._place_s = place_s

    async def place_all(
        self, unit: Unit, newcomers: Sequence[Newcomer], content_keys: Sequence[str] = ()
    ) -> set[UUID]:
        urgent = all(one.priority is Priority.URGENT for one in newcomers)
        has_turn = await self._enter(unit, content_keys, wants_turn=not urgent)
        window = self._window if urgent or has_turn else 0
        return await self._place(unit, newcomers, window)

    async def is_anyone_waiting(self) -> bool:
        return bool(await self._pool.fetchval(IS_ANYONE_WAITING))

    async def await_turn(self, unit: Unit) -> None:
        await unit.connection.execute(AWAIT_TURN)

    async def look(self, unit: Unit) -> Look | None:
        row = await unit.connection.fetchrow(LOOK, self._window, self._place_s)
        return None if row is None else Look(**row)

    async def find_next(
        self, unit: Unit, priority: int, count: int, *, but_not: UUID | None
    ) -> list[tuple[UUID, str]]:
        rows = await unit.connection.fetch(FIND_NEXT, priority, count, but_not)
        return [(row["document_id"], row["owner_id"]) for row in rows]

    async def release(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Released]:
        rows = await unit.connection.fetch(RELEASE, list(document_ids))
        return [Released(**row) for row in rows]

    async def count_urgent(self, unit: Unit, count: int) -> None:
        await unit.connection.execute(COUNT_URGENT, count)

    async def note_turn(
        self, unit: Unit, *, others: int, oldest: bool, urgent_owed: int
    ) -> None:
        await unit.connection.execute(NOTE_TURN, others, oldest, urgent_owed)

    async def find_place(self, document_id: UUID) -> QueuePlace | None:
        row = await self._pool.fetchrow(FIND_PLACE, document_id, TOLD_MAX)
        return None if row is None else queue_place(**row)

    async def note_owners(self, unit: Unit, last: Mapping[int, str]) -> None:
        await unit.connection.execute(NOTE_OWNERS, [*last], [*last.values()])

    async def _enter(
        self, unit: Unit, content_keys: Sequence[str], *, wants_turn: bool
    ) -> bool:
        # A statement of its own: what comes after it must see what the last holder of the turn,
        # and whoever erased, has committed.
        return bool(await unit.connection.fetchval(ENTER, list(content_keys), wants_turn))

    async def _place(self, unit: Unit, newcomers: Sequence[Newcomer], window: int) -> set[UUID]:
        rows = await unit.connection.fetch(
            PLACE,
            [one.document_id for one in newcomers],
            [one.owner_id for one in newcomers],
            [int(one.priority) for one in newcomers],
            [one.accepted_at for one in newcomers],
            [one.traceparent for one in newcomers],
            window,
            self._place_s,
            [one.ready for one in newcomers],
        )
        return {row["document_id"] for row in rows}
