"""What nobody moves any more, in PostgreSQL. One method per file in `sql/`."""

from typing import Any

from services.ingest.domain.sweeping import SWEEPS_MAX, Patience
from services.ingest.ports import Leftovers, Released, Stuck
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

TRY_SWEEP = statement(__file__, "try_sweep")
SWEEP_DOCUMENTS = statement(__file__, "sweep_documents")
SWEEP_UNREVIEWED = statement(__file__, "sweep_unreviewed")
PURGE_KEYS = statement(__file__, "purge_keys")
MEASURE_SWEEPS = statement(__file__, "measure_sweeps")

KEYS_AT_ONCE = 5_000
UNREVIEWED_AT_ONCE = 100


class PostgresSweeps:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def try_sweep(self, unit: Unit) -> bool:
        return bool(await unit.connection.fetchval(TRY_SWEEP))

    async def sweep_documents(self, unit: Unit, patience: Patience) -> list[Stuck]:
        rows = await unit.connection.fetch(
            SWEEP_DOCUMENTS,
            patience.queued_stale_s,
            patience.processing_stale_s,
            patience.sweep_every_s,
            SWEEPS_MAX,
            patience.lost_after_s,
            patience.order_s,
        )
        return [_stuck(dict(row)) for row in rows]

    async def sweep_unreviewed(self, unit: Unit, patience: Patience) -> list[Stuck]:
        rows = await unit.connection.fetch(
            SWEEP_UNREVIEWED, patience.queued_stale_s, SWEEPS_MAX, UNREVIEWED_AT_ONCE
        )
        return [_stuck(dict(row)) for row in rows]

    async def purge_keys(self) -> int:
        purged = 0
        while True:
            gone = await self._pool.fetch(PURGE_KEYS, KEYS_AT_ONCE)
            purged += len(gone)
            if len(gone) < KEYS_AT_ONCE:
                return purged

    async def measure_sweeps(self) -> Leftovers:
        [row] = await self._pool.fetch(MEASURE_SWEEPS)
        return Leftovers(**row)


def _stuck(row: dict[str, Any]) -> Stuck:
    stage, lost, attempts = row.pop("stage"), row.pop("lost"), row.pop("attempts")
    return Stuck(Released(**row), stage, lost, attempts)
