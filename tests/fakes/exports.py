"""Exports in memory, with what their jobs have come to."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from services.storage.domain.exports import OPEN, Export, Order, Place
from shared.contracts.identity import new_id
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.storage import FakeErasures, InMemoryStoredResults


class InMemoryExports:
    def __init__(
        self, results: InMemoryStoredResults, erasures: FakeErasures, clock: FakeClock
    ) -> None:
        self.rows: dict[UUID, Export] = {}
        self.keys: dict[tuple[str, str], UUID] = {}
        self.cleared: set[UUID] = set()
        self.claimed_until: dict[UUID, datetime] = {}
        self._results, self._erasures, self._clock = results, erasures, clock

    async def open_export(
        self, unit: Unit, *, owner_id: str, key: str | None, order: Order, open_max: int
    ) -> Export | None:
        waiting = [one for one in self.rows.values() if one.status in OPEN]
        if sum(one.owner_id == owner_id for one in waiting) >= open_max:
            return None
        if key is not None and (owner_id, key) in self.keys:
            return None
        export = Export(
            new_id(), owner_id, order, "waiting", 0, 0, None, 0, 0, None, None, None,
            self._clock.now(), None, None, None,
        )  # fmt: skip
        if key is not None:
            self.keys[owner_id, key] = export.export_id
        return self._keep(export)

    async def find_keyed_export(self, unit: Unit, owner_id: str, key: str) -> Export | None:
        known = self.keys.get((owner_id, key))
        return self.rows[known] if known else None

    async def find_export(self, export_id: UUID, owner_id: str) -> Export | None:
        found = self.rows.get(export_id)
        return found if found and found.owner_id == owner_id else None

    async def find_finished_export(self, export_id: UUID) -> Export | None:
        found = self.rows.get(export_id)
        finished = found and found.status == "completed" and export_id not in self.cleared
        return found if finished else None

    async def list_exports(
        self, owner_id: str, reach: str | None, before: Place | None, limit: int
    ) -> list[Export]:
        theirs = (one for one in self.rows.values() if one.owner_id == owner_id)
        found = sorted(
            (one for one in theirs if one.is_within(reach)),
            key=lambda one: (one.created_at, one.export_id),
            reverse=True,
        )
        if before is not None:
            place = (before.accepted_at, before.document_id)
            found = [one for one in found if (one.created_at, one.export_id) < place]
        return found[:limit]

    async def cancel_export(self, unit: Unit, export_id: UUID, owner_id: str) -> Export | None:
        found = await self.find_export(export_id, owner_id)
        if found is None or found.status not in OPEN:
            return None
        return self._keep(replace(found, status="cancelled", ended_at=self._clock.now()))

    async def claim_export(self, lease_s: float) -> Export | None:
        now = self._clock.now()
        free = [
            one
            for one in self.rows.values()
            if one.status in OPEN and self.claimed_until.get(one.export_id, now) <= now
        ]
        if not free:
            return None
        first = min(free, key=lambda one: one.created_at)
        self.claimed_until[first.export_id] = now + timedelta(seconds=lease_s)
        began = first.started_at or now
        failures = first.failures + (first.status == "running")
        begun = replace(first, status="running", run=first.run + 1, failures=failures)
        return self._keep(replace(begun, done=0, started_at=began))

    async def note_progress(
        self, export: Export, *, done: int, total: int, lease_s: float
    ) -> bool:
        if not self._runs(export):
            return False
        self._keep(replace(self.rows[export.export_id], done=done, total=total))
        return True

    async def complete_export(
        self, export: Export, *, done: int, parts: int, size: int, sha256: str, keep_s: float
    ) -> bool:
        if not self._runs(export):
            return False
        now = self._clock.now()
        file = {"parts": parts, "size_bytes": size, "sha256": sha256}
        self._keep(
            replace(
                self.rows[export.export_id],
                status="completed",
                done=done,
                total=done,
                ended_at=now,
                expires_at=now + timedelta(seconds=keep_s),
                **file,  # type: ignore[arg-type]  # of three kinds
            )
        )
        self.claimed_until.pop(export.export_id, None)
        return True

    async def give_up_export(
        self, export: Export, failure: str, *, failures_max: int, after_s: float
    ) -> None:
        if not self._runs(export):
            return
        now, known = self._clock.now(), self.rows[export.export_id]
        known = replace(known, failures=known.failures + 1, failure=failure)
        if known.failures >= failures_max:
            self._keep(replace(known, status="failed", ended_at=now))
            self.claimed_until.pop(export.export_id, None)
        else:
            self._keep(replace(known, status="waiting"))
            self.claimed_until[export.export_id] = now + timedelta(seconds=after_s)

    async def lock_expired(self, unit: Unit, limit: int) -> list[UUID]:
        now = self._clock.now()
        return [
            key
            for key, one in self.rows.items()
            if key not in self.cleared
            and one.ended_at is not None
            and (one.status != "completed" or (one.expires_at and one.expires_at < now))
            and self.claimed_until.get(key, now) <= now
        ][:limit]

    async def mark_cleared(self, unit: Unit, export_ids: Sequence[UUID]) -> None:
        for key in export_ids:
            self.cleared.add(key)
            if self.rows[key].status == "completed":
                self._keep(replace(self.rows[key], status="expired"))

    async def forget_exports(self, older_than_s: float) -> None:
        """Time stands still in memory."""

    async def withdraw_exports(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        stored, awaited = self._results.rows.values(), self._erasures.awaited.values()
        known = [(one.document_id, one.owner_id, one.accepted_at) for one in stored]
        known += [(one.document_id, one.owner_id, one.accepted_at) for one in awaited]
        gone = [(owner, moment) for one, owner, moment in known if one in document_ids]
        found = [
            key
            for key, one in self.rows.items()
            if key not in self.cleared and any(_may_hold(one, *of) for of in gone)
        ]
        for key in found:
            one = replace(self.rows[key], run=self.rows[key].run + 1)
            if one.status == "completed":
                one = replace(one, status="expired", expires_at=self._clock.now())
            elif one.status == "running":
                self.claimed_until.pop(key, None)
                one = replace(one, status="waiting")
            self._keep(one)
        return found

    def _runs(self, export: Export) -> bool:
        known = self.rows[export.export_id]
        return (known.run, known.status) == (export.run, "running")

    def _keep(self, export: Export) -> Export:
        self.rows[export.export_id] = export
        return export


def _may_hold(export: Export, owner_id: str, accepted_at: datetime) -> bool:
    return (
        export.order.of_owner in (None, owner_id)
        and export.started_at is not None
        and (export.ended_at is None or export.ended_at >= accepted_at)
    )
