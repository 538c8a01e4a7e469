"""What exports look through, in memory: the current ones of the stored results beside it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from services.storage.domain.exports import Order, Place, Wanted
from services.storage.domain.listed import Current, Listed, Unfilled, Values, Version
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.storage import InMemoryStoredResults

START = Place(datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))


class InMemoryResultIndex:
    def __init__(self, results: InMemoryStoredResults, clock: FakeClock) -> None:
        self.entries: dict[UUID, Listed] = {}
        self.unfilled: set[UUID] = set()
        self.changed: dict[UUID, datetime] = {}
        self.erased: set[UUID] = set()
        self._results, self._clock = results, clock

    async def index_results(self, unit: Unit, entries: Sequence[Listed]) -> None:
        for one in entries:
            current = self._results.current.get(one.document_id)
            known = self.entries.get(one.document_id)
            if current is not None and current.version == one.version != (
                known.version if known else None
            ):
                self.entries[one.document_id] = one
                self.changed[one.document_id] = self._clock.now()

    async def index_missing(self, unit: Unit, limit: int) -> int:
        missing = [
            one
            for one, shown in self._results.current.items()
            if one not in self.entries or self.entries[one].version != shown.version
        ][:limit]
        for one in missing:
            row = self._results.rows[one, self._results.current[one].version]
            values = Values("", 0.0, None, None, None, None)
            about = (row.owner_id, row.accepted_at, row.result_key, row.verdict)
            self.entries[one] = Listed(one, row.version, *about, values)
            self.changed[one] = self._clock.now()
            self.unfilled.add(one)
        return len(missing)

    async def lock_unfilled(self, unit: Unit, limit: int) -> list[Unfilled]:
        found = [self.entries[one] for one in sorted(self.unfilled)][:limit]
        return [Unfilled(one.document_id, one.version, one.result_key) for one in found]

    async def fill_results(self, unit: Unit, values: Mapping[UUID, Values]) -> None:
        for one, found in values.items():
            self.entries[one] = replace(self.entries[one], values=found)
            self.unfilled.discard(one)

    async def erase_listed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for one in document_ids:
            self.entries.pop(one, None)
            self.unfilled.discard(one)
            self.erased.add(one)

    async def count_unfilled(self, owner_id: str | None) -> int:
        return sum(owner_id in (None, self.entries[one].owner_id) for one in self.unfilled)

    async def count_current(self, order: Order) -> int:
        return len(self._found(order))

    async def list_current(
        self, order: Order, after: Place | None, limit: int
    ) -> list[Current]:
        place = after or START
        behind = (place.accepted_at, place.document_id)
        return [
            Current(
                document_id=one.document_id,
                version=one.version,
                owner_id=one.owner_id,
                accepted_at=one.accepted_at,
                changed_at=self.changed[one.document_id],
                result_key=one.result_key,
                verdict=one.verdict,
            )
            for one in self._found(order)
            if (one.accepted_at, one.document_id) > behind
        ][:limit]

    async def find_result(self, document_id: UUID, owner_id: str | None) -> Version | None:
        known = await self.list_versions(document_id, owner_id)
        return next((one for one in known if one.is_current), None)

    async def list_versions(self, document_id: UUID, owner_id: str | None) -> list[Version]:
        rows = sorted(
            (row for row in self._results.rows.values() if row.document_id == document_id),
            key=lambda row: row.version,
        )
        shown = self._results.current.get(document_id)
        current = shown.version if shown else max((row.version for row in rows), default=0)
        return [
            Version(
                document_id=row.document_id,
                version=row.version,
                owner_id=row.owner_id,
                accepted_at=row.accepted_at,
                result_key=row.result_key,
                has_files=row.has_files,
                verdict=row.verdict,
                stored_at=self._clock.now(),
                is_current=row.version == current,
            )
            for row in rows
            if owner_id in (None, row.owner_id)
        ]

    def _found(self, order: Order) -> list[Listed]:
        found = [
            one
            for one in self.entries.values()
            if order.of_owner in (None, one.owner_id)
            and _passes(one, self.changed[one.document_id], order.wanted)
        ]
        return sorted(found, key=lambda one: (one.accepted_at, one.document_id))


def _passes(one: Listed, changed_at: datetime, wanted: Wanted) -> bool:
    values = one.values
    return (
        _within(one.accepted_at, wanted.accepted_after, wanted.accepted_before)
        and _within(values.issue_date, wanted.issued_after, wanted.issued_before)
        and _begins(values.vendor_name, wanted.vendor)
        and _begins(values.invoice_number, wanted.number)
        and wanted.currency in (None, values.currency)
        and wanted.verdict in (None, one.verdict or "none")
        and (wanted.confidence_min is None or values.confidence >= wanted.confidence_min)
        and (wanted.changed_after is None or changed_at >= wanted.changed_after)
    )


def _within(value: Any, after: Any, before: Any) -> bool:  # noqa: ANN401 -- days or moments
    if value is None:
        return after is None and before is None
    return (after is None or value >= after) and (before is None or value < before)


def _begins(text: str | None, wanted: str | None) -> bool:
    return wanted is None or re.match(re.escape(wanted), text or "", re.IGNORECASE) is not None
