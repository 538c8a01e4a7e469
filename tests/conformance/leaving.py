"""Storage's tables of what leaves, in memory and in PostgreSQL, for suites that hold both to
the same words; and results to fill them with."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import shared.audit
from services.storage.adapters.days import PostgresDays
from services.storage.adapters.erasures import PostgresErasures
from services.storage.adapters.exports import PostgresExports
from services.storage.adapters.handovers import PostgresHandovers
from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.domain.erasing import Erasing
from services.storage.domain.listed import Listed, Values, day
from services.storage.domain.results import StoredResult
from services.storage.ports import StoredResults
from services.storage.ports.erasures import Erasures
from services.storage.ports.outlets import Exports, Handovers, ResultIndex
from shared.contracts.orders import Verdict
from shared.ledger.port import Ledger
from tests import builders
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.clock import FakeClock
from tests.fakes.exports import InMemoryExports
from tests.fakes.handovers import InMemoryHandovers
from tests.fakes.ledger import FakeLedger
from tests.fakes.result_index import InMemoryResultIndex
from tests.fakes.storage import FakeErasures, InMemoryStoredResults

SAID = {
    "vendor_name": "Nordlicht GmbH",
    "invoice_number": "R-1",
    "currency": "EUR",
    "issue_date": "2026-03-01",
    "confidence": "0.9",
}


@dataclass(frozen=True, slots=True)
class Leaving:
    results: StoredResults
    index: ResultIndex
    exports: Exports
    handovers: Handovers
    erasures: Erasures
    ledger: Ledger
    # Each statement of a server is later than the one before; a clock of ours is told so.
    let_time_pass: Callable[[], None]
    # What has changed of the days; in memory that is counted at once.
    days: PostgresDays | None = None

    async def keep(  # noqa: PLR0913 -- whatever a test is about
        self,
        document_id: UUID | None = None,
        *,
        version: int = 1,
        verdict: Verdict | None = None,
        owner: str = builders.OWNER,
        later_s: int = 0,
        accepted_at: datetime | None = None,
        is_listed: bool = True,
        values: Mapping[str, str] | None = None,
    ) -> UUID:
        """A version with its files, as a storing replica commits it."""
        document_id = document_id or uuid4()
        row = StoredResult(
            document_id=document_id,
            version=version,
            owner_id=owner,
            accepted_at=accepted_at or builders.ACCEPTED_AT + timedelta(seconds=later_s),
            extraction_key="sha256/ab/ab",
            result_key=f"data/versions/{document_id}/v{version}.json",
            has_files=True,
            verdict=verdict,
            review_revision=version - 1,
        )
        async with self.ledger.unit() as unit:
            await self.results.keep_stored(unit, [row])
            if is_listed:
                entry = entry_of(row, values or {})
                await self.index.index_results(unit, [entry])
                await self.handovers.note_approved(unit, [entry])
        return document_id

    async def erase(self, document_id: UUID) -> list[UUID]:
        """What was exported with it."""
        erasing = Erasing(
            document_id, builders.OWNER, builders.ACCEPTED_AT, 4, uuid4(), 0, None
        )
        async with self.ledger.unit() as unit:
            exports = await self.exports.withdraw_exports(unit, [document_id])
            await self.index.erase_listed(unit, [document_id])
            await self.results.erase_results(unit, [document_id])
            await self.erasures.await_erasures(unit, [erasing])
        return exports

    async def place(self) -> list[UUID]:
        async with self.ledger.unit() as unit:
            if self.days is not None:
                await self.days.fold_changes(unit)
            return await self.erasures.place_erasures(unit)

    async def withdraw(self, document_id: UUID) -> set[UUID]:
        async with self.ledger.unit() as unit:
            return {*await self.exports.withdraw_exports(unit, [document_id])}


def entry_of(row: StoredResult, values: Mapping[str, str] = SAID) -> Listed:
    said = {**SAID, **values}
    return Listed(
        document_id=row.document_id,
        version=row.version,
        owner_id=row.owner_id,
        accepted_at=row.accepted_at,
        result_key=row.result_key,
        verdict=row.verdict,
        values=Values(
            engine="pdf_text",
            confidence=float(said["confidence"]),
            vendor_name=said["vendor_name"],
            invoice_number=said["invoice_number"],
            issue_date=day(said["issue_date"]),
            currency=said["currency"],
        ),
    )


@asynccontextmanager
async def in_memory() -> AsyncIterator[Leaving]:
    clock, results = FakeClock(), InMemoryStoredResults()
    index = InMemoryResultIndex(results, clock)
    handovers = InMemoryHandovers(results, index, clock)
    erasures = FakeErasures()
    exports = InMemoryExports(results, erasures, clock)
    yield Leaving(
        results, index, exports, handovers, erasures, FakeLedger(), lambda: clock.advance(1)
    )


@asynccontextmanager
async def in_postgres() -> AsyncIterator[Leaving]:
    locations = [shared.audit.MIGRATIONS]
    async with service_schema(database(), "storage", locations) as schema:
        yield Leaving(
            PostgresStoredResults(),
            PostgresResultIndex(schema.pool),
            PostgresExports(schema.pool),
            PostgresHandovers(schema.pool),
            PostgresErasures(),
            schema.ledger,
            lambda: None,
            PostgresDays(),
        )
