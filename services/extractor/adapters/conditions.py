"""What the extractor tells operators of itself: its breakers, and what is left of its rates."""

from collections.abc import Mapping

from shared.database.pool import Pool
from shared.database.statements import statement

TELL_CONDITIONS = statement(__file__, "tell_conditions")


async def tell_conditions(pool: Pool) -> Mapping[str, str]:
    return {row["name"]: row["told"] for row in await pool.fetch(TELL_CONDITIONS)}
