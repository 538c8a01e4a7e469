"""The outside of the extractor in memory: an engine that is told its answer, the cache of
answers, and who is reading what."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from services.extractor.domain.reading import Field, Reading, Scan
from services.extractor.domain.terms import Terms
from services.extractor.domain.words import Span
from services.extractor.ports import (
    Answered,
    Beginner,
    ContentKey,
    Found,
    Lease,
    Processed,
    Progress,
    Refusal,
    Standing,
    Taking,
)
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.withdrawals import InMemoryWithdrawals

SEEN = Span("119,00 EUR", 1, (0.7, 0.8, 0.9, 0.82))
FIELDS: Mapping[str, Field] = {
    "total": Field("119.00", "119,00 EUR", 0.97, "extracted", (SEEN,), "pdf_text"),
    "due_date": Field(),
}
LONG_AGO = timedelta(hours=1)


def _unhindered() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


async def unwatched(percent: int, stage: str) -> None:
    """Nobody waits for it."""


@dataclass(slots=True)
class FakeEngine:
    name: str = "fake"
    config: str = "fake/1"
    answer: Reading = field(default_factory=lambda: Reading("offline", 1, FIELDS))
    error: Exception | None = None
    calls: int = 0
    # What happens in the world while the engine is reading.
    meanwhile: Callable[[], object] = lambda: None
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=_unhindered)
    # What it was given to read.
    scans: list[Scan] = field(default_factory=list)
    # By whom somebody wanted it read.
    named: str | None = None

    def wanted(self, name: str | None) -> "FakeEngine":
        self.named = name
        return self

    async def read(self, scan: Scan, progress: Progress) -> Reading:
        self.calls += 1
        self.scans.append(scan)
        self.asked.set()
        await self.may_answer.wait()
        if self.error is not None:
            raise self.error
        self.meanwhile()
        return self.answer


@dataclass(slots=True)
class _Row:
    lease: Lease
    until: datetime
    taken_over: bool = False
    refusal: Refusal | None = None


class InMemoryLeases:
    def __init__(self, clock: FakeClock | None = None) -> None:
        self.clock = clock or FakeClock()
        self.rows: dict[ContentKey, _Row] = {}
        self.renewals = self.looks = 0

    async def take_lease(self, unit: Unit, lease: Lease, lease_s: float) -> Taking:
        row = self.rows.get(lease.content)
        if row is not None and not self._is_free(row, lease.run):
            return "held"
        taken_over = row is not None and row.refusal is None
        self.rows[lease.content] = _Row(lease, self._after(lease_s), taken_over)
        return "taken_over" if taken_over else "taken"

    async def find_lease(self, unit: Unit, content: ContentKey) -> Standing | None:
        self.looks += 1
        row = self.rows.get(content)
        if row is None:
            return None
        left_s = max((row.until - self.clock.now()).total_seconds(), 0)
        return Standing(row.lease.document_id, row.lease.job_id, left_s, row.refusal)

    async def renew_leases(
        self, unit: Unit, leases: Sequence[Lease], lease_s: float
    ) -> set[Lease]:
        self.renewals += 1
        renewed = set()
        for lease in leases:
            if (row := self._own(lease)) is not None:
                row.until = self._after(lease_s)
                renewed.add(lease)
        return renewed

    async def give_up_lease(self, unit: Unit, lease: Lease) -> None:
        if self._own(lease) is not None:
            del self.rows[lease.content]

    async def refuse_copies(
        self, unit: Unit, lease: Lease, refusal: Refusal, refusal_s: float
    ) -> None:
        row = self._own(lease)
        if row is not None:
            row.refusal, row.until = refusal, self._after(refusal_s)

    async def purge_leases(self, unit: Unit, count: int) -> int:
        before = self.clock.now() - LONG_AGO
        old = [content for content, row in self.rows.items() if row.until <= before][:count]
        for content in old:
            del self.rows[content]
        return len(old)

    def spend(self, lease: Lease) -> bool:
        """What keeping an answer does to the lease: whether it was ours, and ours no more."""
        is_ours = self._own(lease) is not None
        if is_ours:
            del self.rows[lease.content]
        return is_ours

    def _own(self, lease: Lease) -> _Row | None:
        row = self.rows.get(lease.content)
        is_ours = row is not None and row.refusal is None and row.lease.token == lease.token
        return row if is_ours else None

    def _is_free(self, row: _Row, run: int) -> bool:
        ran_out = row.until <= self.clock.now()
        return ran_out or (row.refusal is not None and row.lease.run < run)

    def _after(self, seconds: float) -> datetime:
        return self.clock.now() + timedelta(seconds=seconds)


class InMemoryProcessedDocuments:
    def __init__(
        self, leases: InMemoryLeases, withdrawals: InMemoryWithdrawals | None = None
    ) -> None:
        self._leases = leases
        self._withdrawals = withdrawals or InMemoryWithdrawals()
        self.kept: dict[ContentKey, Processed] = {}
        self.to_erase: dict[str, UUID] = {}
        self.keeps = 0
        self._kept_at: dict[ContentKey, datetime] = {}

    async def begin_reading(
        self, unit: Unit, beginners: Sequence[Beginner], terms: Terms
    ) -> Sequence[Found]:
        return [await self._begin(unit, one, terms) for one in beginners]

    async def _begin(self, unit: Unit, beginner: Beginner, terms: Terms) -> Found:
        lease, forced = beginner.lease, beginner.job.body.force
        if lease.document_id in self._withdrawals.reasons:
            return Found(is_withdrawn=True)
        if (answer := self._answer(lease, terms, forced)) is not None:
            return Found(answer=answer)
        taking = await self._leases.take_lease(unit, lease, terms.lease_s)
        if taking == "held":
            return Found(standing=await self._leases.find_lease(unit, lease.content))
        if (answer := self._answer(lease, terms, forced)) is not None:
            await self._leases.give_up_lease(unit, lease)
            return Found(answer=answer)
        return Found(taking=taking)

    def _answer(self, lease: Lease, terms: Terms, forced: bool) -> Processed | None:
        known = self.kept.get(lease.content)
        if known is None or self._is_older(lease.content, terms.cache_ttl_s):
            return None
        is_poor = known.degraded and not terms.degraded_serves
        is_own = known.job_id == lease.job_id
        return known if is_own or not (forced or is_poor) else None

    async def keep_processed(self, unit: Unit, answers: Sequence[Answered]) -> set[UUID]:
        return {one.lease.token for one in answers if self._keep(one)}

    def _keep(self, answered: Answered) -> bool:
        lease = answered.lease
        if lease.document_id in self._withdrawals.reasons or not self._leases.spend(lease):
            return False
        self.keeps += 1
        self.kept[lease.content] = Processed(
            lease.document_id, answered.extraction_key, lease.job_id, answered.degraded
        )
        self._kept_at[lease.content] = self._leases.clock.now()
        return True

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        self._drop(document_ids)

    async def withdraw_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for answer in self._drop(document_ids):
            self.to_erase[answer.extraction_key] = answer.document_id

    async def list_withdrawn_answers(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> list[str]:
        return sorted(key for key, one in self.to_erase.items() if one in document_ids)

    async def note_answers_erased(self, unit: Unit, extraction_keys: Sequence[str]) -> None:
        for key in extraction_keys:
            self.to_erase.pop(key, None)

    def _drop(self, document_ids: Sequence[UUID]) -> list[Processed]:
        gone = [one for one, answer in self.kept.items() if answer.document_id in document_ids]
        return [self.kept.pop(content) for content in gone]

    async def purge_processed(self, unit: Unit, ttl_s: float, count: int) -> int:
        old = [content for content in self.kept if self._is_older(content, ttl_s)][:count]
        for content in old:
            del self.kept[content]
        return len(old)

    def _is_older(self, content: ContentKey, ttl_s: float) -> bool:
        kept_at = self._kept_at.get(content, self._leases.clock.now())
        return kept_at + timedelta(seconds=ttl_s) <= self._leases.clock.now()


class InMemoryOwnReadings:
    def __init__(self, clock: FakeClock | None = None) -> None:
        self._clock = clock or FakeClock()
        self.rows: dict[ContentKey, tuple[UUID, Reading, datetime]] = {}

    async def find_own_reading(self, unit: Unit, content: ContentKey) -> Reading | None:
        row = self.rows.get(content)
        return None if row is None else row[1]

    async def keep_own_reading(
        self, unit: Unit, content: ContentKey, document_id: UUID, reading: Reading
    ) -> None:
        self.rows[content] = (document_id, reading, self._clock.now())

    async def drop_own_reading(self, unit: Unit, content: ContentKey) -> None:
        self.rows.pop(content, None)

    async def forget_own_readings(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        gone = [content for content, row in self.rows.items() if row[0] in document_ids]
        for content in gone:
            del self.rows[content]

    async def purge_own_readings(self, unit: Unit, patience_s: float, count: int) -> int:
        before = self._clock.now() - timedelta(seconds=patience_s)
        old = [content for content, row in self.rows.items() if row[2] <= before][:count]
        for content in old:
            del self.rows[content]
        return len(old)
