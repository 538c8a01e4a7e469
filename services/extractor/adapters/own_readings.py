"""Readings of our own engine, in PostgreSQL. One method per file in `sql/`, same name.

In the row and not in the object store: so that a reading comes and goes with the commit that
says so. Written as the parser's child writes it, and checked as that is.
"""

import asyncio
import json
import zlib
from collections.abc import Sequence
from uuid import UUID

from services.extractor.adapters.parser.answers import heard, told
from services.extractor.domain.reading import Reading
from services.extractor.ports import ContentKey
from shared.database.statements import statement
from shared.errors import Rejected
from shared.ledger.port import Unit

FIND_OWN_READING = statement(__file__, "find_own_reading")
KEEP_OWN_READING = statement(__file__, "keep_own_reading")
DROP_OWN_READING = statement(__file__, "drop_own_reading")
FORGET_OWN_READINGS = statement(__file__, "forget_own_readings")
PURGE_OWN_READINGS = statement(__file__, "purge_own_readings")


class PostgresOwnReadings:
    async def find_own_reading(self, unit: Unit, content: ContentKey) -> Reading | None:
        raw = await unit.connection.fetchval(FIND_OWN_READING, *_key(content))
        return None if raw is None else await asyncio.to_thread(_unpacked, raw)

    async def keep_own_reading(
        self, unit: Unit, content: ContentKey, document_id: UUID, reading: Reading
    ) -> None:
        raw = await asyncio.to_thread(_packed, reading)
        await unit.connection.execute(KEEP_OWN_READING, *_key(content), document_id, raw)

    async def drop_own_reading(self, unit: Unit, content: ContentKey) -> None:
        await unit.connection.execute(DROP_OWN_READING, *_key(content))

    async def forget_own_readings(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FORGET_OWN_READINGS, list(document_ids))

    async def purge_own_readings(self, unit: Unit, patience_s: float, count: int) -> int:
        return len(await unit.connection.fetch(PURGE_OWN_READINGS, patience_s, count))


def _key(content: ContentKey) -> tuple[str, str, str]:
    return content.owner_id, content.sha256, content.config


def _packed(reading: Reading) -> bytes:
    return zlib.compress(json.dumps(told(reading), separators=(",", ":")).encode())


def _unpacked(raw: bytes) -> Reading | None:
    try:
        return heard(json.loads(zlib.decompress(raw)))
    except Rejected:
        # Of a version with another shape: it is read anew.
        return None
