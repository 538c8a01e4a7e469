"""What was seen of issuers, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from services.extractor.domain.vendors import Memory, Sighting
from shared.database.statements import statement
from shared.ledger.port import Unit

RECALL_VENDOR = statement(__file__, "recall_vendor")
NOTE_VENDOR = statement(__file__, "note_vendor")
FORGET_VENDORS = statement(__file__, "forget_vendors")

# What an issuer did years ago says little about today.
LATEST = 50
KEY_CHARS_MAX = 200


class PostgresVendors:
    async def recall_vendor(
        self, unit: Unit, owner_id: str, vendor_key: str, document_id: UUID
    ) -> Memory:
        rows = await unit.connection.fetch(
            RECALL_VENDOR, owner_id, vendor_key[:KEY_CHARS_MAX], document_id, LATEST
        )
        return Memory([_sighting(row["seen"]) for row in rows])

    async def note_vendor(
        self, unit: Unit, owner_id: str, vendor_key: str, document_id: UUID, seen: Sighting
    ) -> None:
        await unit.connection.execute(
            NOTE_VENDOR,
            document_id,
            owner_id,
            vendor_key[:KEY_CHARS_MAX],
            asdict(seen),
        )

    async def forget_vendors(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FORGET_VENDORS, list(document_ids))


def _sighting(row: dict[str, Any]) -> Sighting:
    return Sighting(
        number_shape=row["number_shape"],
        ibans=tuple(row["ibans"]),
        rates=tuple(row["rates"]),
        currency=row["currency"],
        language=row["language"],
        places={path: (page, x, y) for path, (page, x, y) in row["places"].items()},
    )
