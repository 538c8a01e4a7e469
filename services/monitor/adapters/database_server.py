"""How much of the database server is in use, whoever uses it."""

from shared.database.pool import Pool
from shared.database.statements import statement

MEASURE_SHARES = statement(__file__, "measure_shares")


class PostgresServer:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def measure_shares(self) -> dict[str, float]:
        [row] = await self._pool.fetch(MEASURE_SHARES)
        return {resource: float(share) for resource, share in dict(row).items()}
