"""Who reads which content and what answers are kept, each step as a delivery takes it."""

from collections.abc import AsyncIterator, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

from services.extractor.adapters.leases import PostgresLeases
from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.domain.terms import Terms
from services.extractor.ports import (
    Answered,
    Beginner,
    ContentKey,
    Found,
    Lease,
    Leases,
    Processed,
    ProcessedDocuments,
    Refusal,
    Standing,
    Taking,
)
from shared.ledger.port import Ledger
from tests import builders
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.extractor import InMemoryLeases, InMemoryProcessedDocuments
from tests.fakes.ledger import FakeLedger

CONTENT = ContentKey("acme", "ab" * 32, "offline/1")
TTL_S = LEASE_S = 60.0
OVER_S = 0.0
ENCRYPTED = Refusal("encrypted", "a password is needed")


def lease_for(content: ContentKey = CONTENT, *, run: int = 0) -> Lease:
    return Lease(content, uuid4(), uuid4(), run, uuid4())


def beginner(lease: Lease, *, forced: bool = False) -> Beginner:
    return Beginner(builders.job(builders.extract_document(force=forced)), lease)


@dataclass(slots=True)
class Cache:
    """Each step in a transaction of its own, as separate deliveries take them."""

    documents: ProcessedDocuments
    leases: Leases
    ledger: Ledger

    async def find(
        self, content: ContentKey = CONTENT, *, ttl_s: float = TTL_S
    ) -> Processed | None:
        """By somebody who comes for it, and reads nothing if there is none."""
        lease = lease_for(content)
        async with self.ledger.unit() as unit:
            terms = Terms(ttl_s, LEASE_S, LEASE_S, degraded_serves=True)
            [found] = await self.documents.begin_reading(unit, [beginner(lease)], terms)
            if found.taking != "held":
                await self.leases.give_up_lease(unit, lease)
        return found.answer

    async def keep(
        self, lease: Lease, extraction_key: str = "one", *, degraded: bool = False
    ) -> bool:
        async with self.ledger.unit() as unit:
            answered = Answered(lease, extraction_key, degraded)
            kept = await self.documents.keep_processed(unit, [answered])
            return lease.token in kept

    async def keep_all(self, *leases: Lease) -> list[bool]:
        async with self.ledger.apart() as unit:
            answers = [Answered(one, f"answer {at}") for at, one in enumerate(leases)]
            kept = await self.documents.keep_processed(unit, answers)
            return [one.token in kept for one in leases]

    async def take(self, lease: Lease, *, lease_s: float = LEASE_S) -> Taking:
        """Whatever was answered before."""
        return (await self.begin(lease, lease_s=lease_s, forced=True)).taking

    async def begin(
        self, lease: Lease, *, lease_s: float = LEASE_S, forced: bool = False
    ) -> Found:
        comes = beginner(lease, forced=forced)
        [found] = await self.begin_all(comes, lease_s=lease_s)
        return found

    async def begin_all(
        self, *beginners: Beginner, lease_s: float = LEASE_S
    ) -> Sequence[Found]:
        async with self.ledger.unit() as unit:
            terms = Terms(TTL_S, lease_s, LEASE_S)
            return await self.documents.begin_reading(unit, beginners, terms)

    async def standing(self) -> Standing | None:
        """What is told to whoever else comes for it."""
        return (await self.begin(lease_for(), forced=True)).standing

    async def renew(self, *leases: Lease) -> Set[Lease]:
        async with self.ledger.apart() as unit:
            return await self.leases.renew_leases(unit, leases, LEASE_S)

    async def give_up(self, lease: Lease) -> None:
        async with self.ledger.unit() as unit:
            await self.leases.give_up_lease(unit, lease)

    async def refuse(self, lease: Lease, *, refusal_s: float = LEASE_S) -> None:
        async with self.ledger.unit() as unit:
            await self.leases.refuse_copies(unit, lease, ENCRYPTED, refusal_s)

    async def forget(self, *document_ids: UUID) -> None:
        async with self.ledger.unit() as unit:
            await self.documents.forget_processed(unit, document_ids)

    async def taken(self, lease: Lease | None = None, *, lease_s: float = LEASE_S) -> Lease:
        lease = lease or lease_for()
        assert await self.take(lease, lease_s=lease_s) != "held"
        return lease


@asynccontextmanager
async def cache_in(kind: str) -> AsyncIterator[Cache]:
    if kind == "memory":
        leases = InMemoryLeases()
        yield Cache(InMemoryProcessedDocuments(leases), leases, FakeLedger())
        return
    async with service_schema(database(), "extractor", []) as schema:
        yield Cache(PostgresProcessedDocuments(), PostgresLeases(), schema.ledger)
