"""What has to be erased, in PostgreSQL. One method per file in `sql/`, under the same name."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.domain.erasing import REPORTING, RETRY_FIRST_S, RETRY_LONGEST_S
from services.ingest.ports import Erasure, Walk
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit
from shared.topology.queues import SUBMIT

PLAN_ERASURES = statement(__file__, "plan_erasures")
CLAIM_ERASURES = statement(__file__, "claim_erasures")
REPORT_ERASED = statement(__file__, "report_erased")
FINISH_ERASURES = statement(__file__, "finish_erasures")
CLAIM_WALK = statement(__file__, "claim_walk")
END_WALK = statement(__file__, "end_walk")
NOTE_ORPHANS = statement(__file__, "note_orphans")
SPARE_CONTENTS = statement(__file__, "spare_contents")
IS_SUBMISSION_PAUSED = statement(__file__, "is_submission_paused")
POSTPONE_ORPHANS = statement(__file__, "postpone_orphans")
LIST_DUE_ORPHANS = statement(__file__, "list_due_orphans")
FORGET_ORPHAN = statement(__file__, "forget_orphan")
SPARE_FOR_GOOD = statement(__file__, "spare_for_good")


class PostgresErasures:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def plan_erasures(self, unit: Unit, content_keys: Mapping[UUID, str]) -> None:
        planned = ([*content_keys], [*content_keys.values()], REPORTING)
        await unit.connection.execute(PLAN_ERASURES, *planned)

    async def claim_erasures(self, *, count: int) -> list[Erasure]:
        rows = await self._pool.fetch(CLAIM_ERASURES, count, RETRY_FIRST_S, RETRY_LONGEST_S)
        return [Erasure(**row) for row in rows]

    async def note_erased(self, unit: Unit, reports: Sequence[tuple[UUID, str]]) -> None:
        document_ids = [document_id for document_id, _ in reports]
        await self.report_erased(unit, document_ids, [service for _, service in reports])
        await self.finish_erasures(unit, document_ids)

    async def report_erased(
        self, unit: Unit, document_ids: Sequence[UUID], services: Sequence[str]
    ) -> None:
        await unit.connection.execute(REPORT_ERASED, document_ids, services)

    async def finish_erasures(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FINISH_ERASURES, document_ids)


class PostgresOrphans:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim_walk(self, *, lease_s: float, pause_s: float) -> Walk | None:
        row = await self._pool.fetchrow(CLAIM_WALK, lease_s, pause_s)
        return None if row is None else Walk(**row)

    async def end_walk(self, folder: int) -> None:
        await self._pool.execute(END_WALK, folder)

    async def note_orphans(self, content_keys: Sequence[str], *, after_s: float) -> None:
        await self._pool.execute(NOTE_ORPHANS, list(content_keys), after_s)

    async def spare_contents(self, content_keys: Sequence[str], *, for_s: float) -> None:
        await self._pool.execute(SPARE_CONTENTS, list(content_keys), for_s)

    async def is_submission_paused(self) -> bool:
        return bool(await self._pool.fetchval(IS_SUBMISSION_PAUSED, SUBMIT.name))

    async def postpone_orphans(self, *, after_s: float) -> None:
        await self._pool.execute(POSTPONE_ORPHANS, after_s)

    async def list_due_orphans(self, *, limit: int) -> list[str]:
        rows = await self._pool.fetch(LIST_DUE_ORPHANS, limit)
        return [row["content_key"] for row in rows]

    async def forget_orphan(self, content_key: str) -> None:
        await self._pool.execute(FORGET_ORPHAN, content_key)

    async def spare_for_good(self, content_key: str) -> None:
        await self._pool.execute(SPARE_FOR_GOOD, content_key)
