"""What was seen of issuers, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any
from uuid import UUID

from pydantic_core import from_json

from services.extractor.domain.sightings import Sighting
from services.extractor.domain.vendors import Memory
from shared.database.statements import statement
from shared.ledger.port import Unit

RECALL_VENDOR = statement(__file__, "recall_vendor")
NOTE_VENDOR = statement(__file__, "note_vendor")
NOTE_UNLESS_WITHDRAWN = statement(__file__, "note_unless_withdrawn")
FORGET_VENDORS = statement(__file__, "forget_vendors")

# What an issuer did years ago says little about today.
LATEST = 20


class PostgresVendors:
    async def recall_vendor(
        self, unit: Unit, owner_id: str, identities: Sequence[str], document_id: UUID
    ) -> Memory:
        rows = await unit.connection.fetch(
            RECALL_VENDOR, owner_id, list(identities), document_id, LATEST
        )
        return Memory([_sighting(row["seen"]) for row in rows], identities)

    async def note_vendor(
        self,
        unit: Unit,
        owner_id: str,
        document_id: UUID,
        seen: Sighting,
        *,
        decided_version: int = 0,
    ) -> None:
        await unit.connection.execute(
            NOTE_VENDOR, document_id, owner_id, *_told(seen), decided_version
        )

    async def note_unless_withdrawn(
        self, unit: Unit, owner_id: str, document_id: UUID, seen: Sighting | None
    ) -> bool:
        told = (None, [], 0) if seen is None else _told(seen)
        return bool(
            await unit.connection.fetchval(NOTE_UNLESS_WITHDRAWN, document_id, owner_id, *told)
        )

    async def forget_vendors(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FORGET_VENDORS, list(document_ids))


def _told(seen: Sighting) -> tuple[dict[str, Any], list[str], int]:
    return asdict(seen), list(seen.identities), seen.weight


# The next document of an issuer finds the same ones, up to so many, and one more.
@lru_cache(2048)
def _sighting(seen: str) -> Sighting:
    row: dict[str, Any] = from_json(seen)
    return Sighting(
        number_shape=row["number_shape"],
        ibans=tuple(row["ibans"]),
        rates=tuple(row["rates"]),
        currency=row["currency"],
        language=row["language"],
        places={path: (page, x, y) for path, (page, x, y) in row["places"].items()},
        identities=tuple(row.get("identities", ())),
        # Of what was noted before persons were listened to.
        is_approved=row.get("is_approved", False),
    )
