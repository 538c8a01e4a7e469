"""Ingest's audit log, where each deed is written down in its own transaction."""

from shared.audit import log
from shared.audit.chain import Entry
from shared.ledger.port import Unit


class AuditTrail:
    async def record(self, unit: Unit, *entries: Entry) -> None:
        await log.append(unit.connection, *entries)
