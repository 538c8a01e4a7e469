"""Replays in PostgreSQL: who sent what back, and how it ended."""

from collections.abc import Mapping
from dataclasses import fields
from uuid import UUID

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.replays import Replay
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

INSERT_REPLAY = statement(__file__, "insert_replay")
SETTLE_REPLAYS = statement(__file__, "settle_replays")
FIND_REPLAY = statement(__file__, "find_replay")
COUNT_RUNNING_REPLAYS = statement(__file__, "count_running_replays")

_COLUMNS = tuple(field.name for field in fields(Replay))


class PostgresReplays:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def insert_replay(
        self, unit: Unit, letter: DeadLetter, *, requested_by: str, reason: str
    ) -> Replay:
        return _replay(
            await unit.connection.fetchrow(
                INSERT_REPLAY,
                letter.replay_id,
                letter.letter_id,
                letter.origin_queue,
                letter.job_id,
                letter.run + 1,
                requested_by,
                reason,
            )
        )

    async def settle_replays(self, unit: Unit, outcomes: Mapping[UUID, str]) -> list[Replay]:
        rows = await unit.connection.fetch(SETTLE_REPLAYS, [*outcomes], [*outcomes.values()])
        return [_replay(row) for row in rows]

    async def find_replay(self, replay_id: UUID) -> Replay | None:
        row = await self._pool.fetchrow(FIND_REPLAY, replay_id)
        return _replay(row) if row else None

    async def count_running_replays(self) -> int:
        return int(await self._pool.fetchval(COUNT_RUNNING_REPLAYS))


def _replay(row: Row) -> Replay:
    return Replay(**{name: row[name] for name in _COLUMNS})
