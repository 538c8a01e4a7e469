"""Values that people change, and their locks, in PostgreSQL. One method per file in `sql/`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from uuid import UUID

from services.review.adapters.item_rows import item_or_none, known_item, storable
from services.review.domain.edits import Edit, PathChange
from services.review.domain.invoice_keys import KEYS_VERSION, InvoiceKeys, alike
from services.review.domain.items import ReviewItem
from services.review.domain.locks import Content, Lock
from services.review.domain.ranking import Rank
from services.review.domain.rescans import DISTANCE_MAX, Rescan, Sheet, Told
from services.review.domain.twins import Lookalike
from services.review.ports.forms import ItemFindings
from shared.contracts.extraction import Finding, Summary
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

HOLD_CONTENTS = statement(__file__, "hold_contents")
FIND_CONTENTS = statement(__file__, "find_contents")
ERASE_LOCKS = statement(__file__, "erase_locks")
FIND_LOCKS = statement(__file__, "find_locks")
NAME_ACTOR = statement(__file__, "name_actor")
WEIGH_ITEM = statement(__file__, "weigh_item")
RAISE_VERSION = statement(__file__, "raise_version")
DROP_FIELDS = statement(__file__, "drop_fields")
KEEP_LOCKS = statement(__file__, "keep_locks")
DROP_LOCKS = statement(__file__, "drop_locks")
KEEP_EDIT = statement(__file__, "keep_edit")
LIST_EDITS = statement(__file__, "list_edits")
KEEP_FINDINGS = statement(__file__, "keep_findings")
FIND_FINDINGS = statement(__file__, "find_findings")
DROP_KEYS = statement(__file__, "drop_keys")
KEEP_KEYS = statement(__file__, "keep_keys")
FIND_LOOKALIKES = statement(__file__, "find_lookalikes")
DROP_SHEETS = statement(__file__, "drop_sheets")
KEEP_SHEETS = statement(__file__, "keep_sheets")
RETELL_SHEET = statement(__file__, "retell_sheet")
FIND_RESCANS = statement(__file__, "find_rescans")
LIST_OLD_KEYS = statement(__file__, "list_old_keys")

# Those of the same number before the others, then the newest; more is nothing that a list would
# help with.
LOOKALIKES_MAX = 200


class PostgresForms:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def hold_contents(self, unit: Unit, contents: Sequence[Content]) -> None:
        await unit.connection.execute(HOLD_CONTENTS, *_columns(contents))

    async def find_contents(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Content]:
        rows = await unit.connection.fetch(FIND_CONTENTS, list(document_ids))
        return [Content(**row) for row in rows]

    async def erase_locks(self, unit: Unit, contents: Sequence[Content]) -> None:
        await unit.connection.execute(ERASE_LOCKS, *_columns(contents))

    async def find_locks(
        self, unit: Unit, contents: Sequence[Content]
    ) -> Mapping[Content, Sequence[Lock]]:
        found: dict[Content, list[Lock]] = {}
        for row in await unit.connection.fetch(FIND_LOCKS, *_columns(contents)):
            values = dict(row)
            content = Content(values.pop("owner_id"), values.pop("sha256"))
            found.setdefault(content, []).append(Lock(**values))
        return found

    async def name_actor(self, unit: Unit, actor: str) -> None:
        await unit.connection.execute(NAME_ACTOR, actor)

    async def raise_version(
        self, unit: Unit, document_id: UUID, *, version: int, reviewer: str
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(RAISE_VERSION, document_id, version, reviewer)
        return item_or_none(row)

    async def weigh_item(
        self, unit: Unit, document_id: UUID, rank: Rank, summary: Summary
    ) -> ReviewItem:
        row = await unit.connection.fetchrow(
            WEIGH_ITEM,
            document_id,
            summary.vendor_name,
            summary.invoice_number,
            rank.doubt,
            rank.complexity,
            rank.value,
            rank.base,
            rank.sla_rate,
            dict(rank.facts),
        )
        return known_item(row)

    async def drop_fields(self, unit: Unit, document_id: UUID, paths: Sequence[str]) -> None:
        await unit.connection.execute(DROP_FIELDS, document_id, list(paths))

    async def keep_locks(self, unit: Unit, content: Content, locks: Sequence[Lock]) -> None:
        rows = [storable(asdict(one)) for one in locks]
        await unit.connection.execute(KEEP_LOCKS, *content, rows)

    async def drop_locks(self, unit: Unit, content: Content, paths: Sequence[str]) -> None:
        await unit.connection.execute(DROP_LOCKS, *content, list(paths))

    async def keep_edit(
        self,
        unit: Unit,
        document_id: UUID,
        *,
        version: int,
        actor: str,
        changes: Sequence[PathChange],
    ) -> None:
        rows = [storable(asdict(one)) for one in changes]
        await unit.connection.execute(KEEP_EDIT, document_id, version, actor, rows)

    async def list_edits(self, document_id: UUID, *, after: int) -> list[Edit]:
        return [
            Edit(
                version=row["version"],
                actor=row["actor"],
                at=row["at"].isoformat(),
                changes=[PathChange(**one) for one in row["changes"]],
            )
            for row in await self._pool.fetch(LIST_EDITS, document_id, after)
        ]

    async def keep_findings(self, unit: Unit, found: Sequence[ItemFindings]) -> None:
        await unit.connection.execute(KEEP_FINDINGS, [_findings_row(one) for one in found])

    async def find_findings(self, document_id: UUID) -> ItemFindings | None:
        row = await self._pool.fetchrow(FIND_FINDINGS, document_id)
        if row is None:
            return None
        failed, noticed = ([Finding(**one) for one in told] for told in row)
        return ItemFindings(document_id, failed, noticed)

    async def keep_keys(
        self, unit: Unit, document_ids: Sequence[UUID], keys: Sequence[InvoiceKeys]
    ) -> None:
        if document_ids:
            await self.drop_keys(unit, document_ids)
        if rows := [storable(row) for one in keys for row in _key_rows(one)]:
            await unit.connection.execute(KEEP_KEYS, rows)

    async def drop_keys(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(DROP_KEYS, list(document_ids))

    async def find_lookalikes(self, keys: InvoiceKeys) -> list[Lookalike]:
        rows = await self._pool.fetch(
            FIND_LOOKALIKES,
            keys.owner_id,
            list(keys.seller_keys),
            alike(keys.number_key),
            keys.total,
            keys.document_id,
            LOOKALIKES_MAX,
        )
        return [Lookalike(**row) for row in rows]

    async def keep_sheets(
        self, unit: Unit, document_ids: Sequence[UUID], sheets: Sequence[Sheet]
    ) -> None:
        if document_ids:
            await self.drop_sheets(unit, document_ids)
        if rows := [storable(_sheet_row(one)) for one in sheets]:
            await unit.connection.execute(KEEP_SHEETS, rows)

    async def drop_sheets(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(DROP_SHEETS, list(document_ids))

    async def retell_sheet(self, unit: Unit, document_id: UUID, told: Told) -> None:
        await unit.connection.execute(RETELL_SHEET, document_id, *astuple(told))

    async def find_rescans(self, document_id: UUID, owner_id: str, told: Told) -> list[Rescan]:
        rows = await self._pool.fetch(
            FIND_RESCANS, document_id, owner_id, *astuple(told), DISTANCE_MAX, LOOKALIKES_MAX
        )
        return [Rescan(**row) for row in rows]

    async def list_old_keys(self, unit: Unit, *, limit: int) -> list[UUID]:
        rows = await unit.connection.fetch(LIST_OLD_KEYS, KEYS_VERSION, limit)
        return [row["document_id"] for row in rows]


def _columns(contents: Sequence[Content]) -> tuple[list[str], list[str]]:
    return [one.owner_id for one in contents], [one.sha256 for one in contents]


def _findings_row(found: ItemFindings) -> dict[str, object]:
    noticed = found.noticed
    return storable(
        {
            "document_id": str(found.document_id),
            "failed": [one.model_dump(mode="json") for one in found.failed],
            "noticed": None
            if noticed is None
            else [one.model_dump(mode="json") for one in noticed],
        }
    )


def _key_rows(keys: InvoiceKeys) -> list[dict[str, object]]:
    return [
        {
            "document_id": str(keys.document_id),
            "owner_id": keys.owner_id,
            "seller_key": seller_key,
            "number_key": keys.number_key,
            "alike_key": alike(keys.number_key),
            "year": keys.year,
            "total": None if keys.total is None else f"{keys.total:f}",
            "currency": keys.currency,
            "invoice_number": keys.invoice_number,
            "issue_date": keys.issue_date,
            "version": KEYS_VERSION,
        }
        for seller_key in keys.seller_keys
    ]


def _sheet_row(sheet: Sheet) -> dict[str, object]:
    told = sheet.told
    return {
        "document_id": str(sheet.document_id),
        "owner_id": sheet.owner_id,
        "page_count": sheet.page_count,
        "fingerprint": f"{int(sheet.fingerprint, 16):064b}",
        "number": told.number,
        "issue_date": told.issue_date,
        "total": None if told.total is None else f"{told.total:f}",
    }
