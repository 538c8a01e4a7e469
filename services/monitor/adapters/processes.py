"""Processes and what they told of themselves, in PostgreSQL."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from services.monitor.domain.processes import ProcessReport
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

NOTE_PROCESSES = statement(__file__, "note_processes")
LIST_PROCESSES = statement(__file__, "list_processes")
FORGET_PROCESSES = statement(__file__, "forget_processes")

_COLUMNS = tuple(field.name for field in fields(ProcessReport))


class PostgresProcesses:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def note_processes(self, unit: Unit, reports: Sequence[ProcessReport]) -> None:
        await unit.connection.execute(NOTE_PROCESSES, [_row(one) for one in reports])

    async def list_processes(self, silent_s_max: float) -> list[ProcessReport]:
        rows = await self._pool.fetch(LIST_PROCESSES, silent_s_max)
        found = ({name: row[name] for name in _COLUMNS} for row in rows)
        return [ProcessReport(**{**one, "queues": tuple(one["queues"])}) for one in found]

    async def forget_processes(self, silent_s_min: float) -> None:
        await self._pool.execute(FORGET_PROCESSES, silent_s_min)


def _row(report: ProcessReport) -> dict[str, Any]:
    return {
        **asdict(report),
        "process_id": str(report.process_id),
        "started_at": report.started_at.isoformat(),
        "said_at": report.said_at.isoformat(),
        "conditions": dict(report.conditions),
    }
