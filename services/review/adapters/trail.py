"""The review service's audit log, where each deed is written down in its own transaction."""

from shared.audit import log
from shared.audit.chain import Entry, Line
from shared.database.pool import Pool
from shared.ledger.port import Unit


class AuditTrail:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def record(self, unit: Unit, *entries: Entry) -> None:
        await log.append(unit.connection, *entries)

    async def list_entries(self, resource: str, *, actor: str | None, limit: int) -> list[Line]:
        wanted = log.Filter(actor=actor, resource=resource)
        return await log.page(self._pool, wanted, limit=limit)
