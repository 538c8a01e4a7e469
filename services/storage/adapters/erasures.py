"""Erasures that are not reported yet, in PostgreSQL. One method per file in `sql/`."""

from collections.abc import Sequence
from uuid import UUID

from services.storage.domain.erasing import Erasing
from shared.database.statements import statement
from shared.ledger.port import Unit

AWAIT_ERASURES = statement(__file__, "await_erasures")
ARE_THERE_ANY = statement(__file__, "are_there_any")
PLACE_ERASURES = statement(__file__, "place_erasures")
LOCK_ERASED = statement(__file__, "lock_erased")
FORGET_ERASURES = statement(__file__, "forget_erasures")


class PostgresErasures:
    async def await_erasures(self, unit: Unit, erasures: Sequence[Erasing]) -> None:
        # In one order, so that two replicas with the same documents cannot dead-lock.
        rows = [
            (
                one.document_id,
                one.owner_id,
                one.accepted_at,
                one.priority,
                one.cause_id,
                one.run,
                one.traceparent,
            )
            for one in sorted(erasures, key=lambda one: one.document_id)
        ]
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            await unit.connection.execute(AWAIT_ERASURES, *columns)

    async def are_there_any(self, unit: Unit) -> bool:
        return bool(await unit.connection.fetchval(ARE_THERE_ANY))

    async def place_erasures(self, unit: Unit) -> list[UUID]:
        return [row["document_id"] for row in await unit.connection.fetch(PLACE_ERASURES)]

    async def lock_erased(self, unit: Unit, limit: int) -> list[Erasing]:
        return [Erasing(**row) for row in await unit.connection.fetch(LOCK_ERASED, limit)]

    async def forget_erasures(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FORGET_ERASURES, list(document_ids))
