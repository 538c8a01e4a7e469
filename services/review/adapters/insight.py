"""What was decided so far, summed up by PostgreSQL. One method per file in `sql/`."""

from services.review.adapters.item_rows import known_item
from services.review.domain.insight import Bin, Corrected, Counted, Pace, Passing
from services.review.domain.items import ReviewItem
from services.review.domain.listing import Measured
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

MEASURE_QUEUE = statement(__file__, "measure_queue")
MEASURE_DECISIONS = statement(__file__, "measure_decisions")
MEASURE_CORRECTIONS = statement(__file__, "measure_corrections")
COUNT_GATES = statement(__file__, "count_gates")
COUNT_PASSING = statement(__file__, "count_passing")
MEASURE_CALIBRATION = statement(__file__, "measure_calibration")
LIST_AUTOMATIC = statement(__file__, "list_automatic")
HAND_TO_PEOPLE = statement(__file__, "hand_to_people")


class PostgresInsight:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def measure_queue(self) -> Measured:
        row = await self._pool.fetchrow(MEASURE_QUEUE)
        return Measured(**row) if row else Measured()

    async def measure_decisions(self, days: int) -> list[Pace]:
        return [Pace(**row) for row in await self._pool.fetch(MEASURE_DECISIONS, days)]

    async def measure_corrections(self, days: int, limit: int) -> list[Corrected]:
        rows = await self._pool.fetch(MEASURE_CORRECTIONS, days, limit)
        return [Corrected(**row) for row in rows]

    async def count_gates(self, days: int) -> list[Counted]:
        return [Counted(**row) for row in await self._pool.fetch(COUNT_GATES, days)]

    async def count_passing(self, days: int, threshold: float) -> Passing:
        row = await self._pool.fetchrow(COUNT_PASSING, days, threshold)
        return Passing(**row) if row else Passing(0, 0, 0, 0, 0)

    async def measure_calibration(self, days: int) -> list[Bin]:
        return [Bin(**row) for row in await self._pool.fetch(MEASURE_CALIBRATION, days)]

    async def list_automatic(self, limit: int) -> list[ReviewItem]:
        return [known_item(row) for row in await self._pool.fetch(LIST_AUTOMATIC, limit)]

    async def hand_to_people(self, unit: Unit, item: ReviewItem) -> bool:
        row = await unit.connection.fetchrow(HAND_TO_PEOPLE, item.document_id, item.version)
        return row is not None
