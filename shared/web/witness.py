"""That somebody signed in, and as whom the provider knows them: a line of the audit log.

What people do is written down under their id, which says little to a reader; this line says
who that was, from where, and what they were allowed, on that day.
"""

from collections.abc import Iterable
from typing import Protocol

from shared.access.provider import Person
from shared.audit import log
from shared.audit.chain import Entry
from shared.database.pool import Pool


class Witness(Protocol):
    async def note(self, person: Person, roles: Iterable[str], address: str, /) -> None: ...


class AuditedSignIns:
    """In the schema of the pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def note(self, person: Person, roles: Iterable[str], address: str) -> None:
        entry = Entry(
            actor=person.owner_id,
            action="signed_in",
            resource=f"person/{person.person_id}",
            after={"name": person.name, "roles": sorted(roles), "from": address},
        )
        async with self._pool.transaction() as connection:
            await log.append(connection, entry)
