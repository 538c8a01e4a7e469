"""What was seen of issuers, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any
from uuid import UUID

from pydantic_core import from_json

from services.extractor.domain.sightings import Sighting
from services.extractor.domain.vendors import Memory
from services.extractor.ports import Asking, Noted
from shared.database.pool import as_json
from shared.database.statements import statement
from shared.ledger.port import Unit

RECALL_VENDOR = statement(__file__, "recall_vendor")
NOTE_VENDOR = statement(__file__, "note_vendor")
NOTE_UNLESS_WITHDRAWN = statement(__file__, "note_unless_withdrawn")
NOTE_SEVERAL_UNLESS_WITHDRAWN = statement(__file__, "note_several_unless_withdrawn")
FORGET_VENDORS = statement(__file__, "forget_vendors")

# What an issuer did years ago says little about today.
LATEST = 20


class PostgresVendors:
    async def recall_vendor(self, unit: Unit, asking: Sequence[Asking]) -> Sequence[Memory]:
        asked = [
            (place, one.owner_id, one.document_id, identity)
            for place, one in enumerate(asking)
            for identity in one.identities
        ]
        columns = map(list, zip(*asked, strict=True))
        rows = await unit.connection.fetch(RECALL_VENDOR, *columns, LATEST) if asked else []
        seen: list[list[Sighting]] = [[] for _ in asking]
        for row in rows:
            seen[row["place"]].append(_sighting(row["seen"]))
        return [Memory(found, one.identities) for found, one in zip(seen, asking, strict=True)]

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

    async def note_unless_withdrawn(self, unit: Unit, several: Sequence[Noted]) -> bool:
        if len(several) > 1:
            return await self._note_several_unless_withdrawn(unit, several)
        [one] = several
        told = (None, [], 0) if one.seen is None else _told(one.seen)
        return bool(
            await unit.connection.fetchval(
                NOTE_UNLESS_WITHDRAWN, one.document_id, one.owner_id, *told
            )
        )

    async def _note_several_unless_withdrawn(
        self, unit: Unit, several: Sequence[Noted]
    ) -> bool:
        return bool(
            await unit.connection.fetchval(
                NOTE_SEVERAL_UNLESS_WITHDRAWN,
                [one.document_id for one in several],
                [one.owner_id for one in several],
                [None if one.seen is None else as_json(asdict(one.seen)) for one in several],
                [0 if one.seen is None else one.seen.weight for one in several],
            )
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
