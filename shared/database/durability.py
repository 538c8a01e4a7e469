"""Whether the server keeps what it has committed, through a crash of its machine.

`fsync=off` is a common advice for making a database fast. Then a 202 is no promise any more,
and a torn page is found when it is read, months later; so no process works on such a server.
"""

from typing import Any, Protocol

import asyncpg

from shared.database.statements import statement
from shared.database.translation import Translated

LOST_ON_A_CRASH = statement(__file__, "lost_on_a_crash")
CONNECT_TIMEOUT_S = 10.0


class Asked(Protocol):
    """A pool, or one connection."""

    async def fetch(self, sql: str, /) -> list[Any]: ...


async def lost_on_a_crash(database: Asked) -> list[str]:
    """A sentence for each setting that breaks the promise; empty is good news."""
    return [
        f"PostgreSQL runs with {row['name']}=off and would lose what it has committed when its "
        f"machine fails: set {row['name']} = on in postgresql.conf and restart it."
        for row in await database.fetch(LOST_ON_A_CRASH)
    ]


async def lost_on_a_crash_at(dsn: str) -> list[str]:
    with Translated():
        connection = await asyncpg.connect(dsn, timeout=CONNECT_TIMEOUT_S)
        try:
            return await lost_on_a_crash(connection)
        finally:
            await connection.close()
