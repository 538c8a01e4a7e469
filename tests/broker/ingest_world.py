"""Ingest on a schema of its own, with the real ledger, and facts to tell it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any
from uuid import UUID

import services.ingest.adapters.documents as adapter
import shared.audit
import shared.ledger
import shared.limits
from services.ingest.adapters.batches import PostgresBatches
from services.ingest.adapters.documents import PostgresDocuments
from services.ingest.adapters.endings import PostgresContents, PostgresEndings
from services.ingest.adapters.erasing import PostgresErasures, PostgresOrphans
from services.ingest.adapters.releases import PostgresReleases
from services.ingest.adapters.retention import PostgresRetention
from services.ingest.adapters.splitting import PostgresSplits
from services.ingest.adapters.sweeps import PostgresSweeps
from services.ingest.adapters.trail import AuditTrail
from services.ingest.adapters.webhooks import PostgresDeliveryLog, PostgresWebhooks
from services.ingest.domain.addresses import Policy
from services.ingest.domain.documents import Details, Document, NewDocument, Scan
from services.ingest.domain.webhooks import Secrets
from services.ingest.handlers import receive_document, record_facts
from services.ingest.handlers.release import Bell
from services.ingest.ports import Ports, WebhookRules
from shared.bus.jobs import Job
from shared.contracts.body import DocumentFact
from shared.contracts.facts import DocumentEndedV1
from shared.contracts.identity import new_id
from shared.database.clock import DatabaseClock
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.ledger.postgres import PostgresLedger
from tests import builders
from tests.broker.tables import make_tables_at
from tests.doors import archives, cutter, unlocker
from tests.fakes.blobs import InMemoryBlobs

LOCATIONS = (
    Path(shared.ledger.__file__).parent / "migrations",
    Path(adapter.__file__).parents[1] / "migrations",
    shared.limits.MIGRATIONS,
    shared.audit.MIGRATIONS,
)
POOL_MAX = 8
SCAN = Scan(builders.CONTENT_KEY, builders.SHA256, len(builders.PDF), "application/pdf")
# A row's own times and the count of its changes depend on the order; the rest must not.
OF_THE_MOMENT = ("created_at", "started_at", "completed_at", "updated_at", "revision")


class World:
    """Ingest as its handlers see it; tests ask for rows and for what was announced."""

    def __init__(self, pool: Pool, clock: DatabaseClock, window: int = 32) -> None:
        self.bell, self.eraser_bell = Bell(), Bell()
        self.pool = pool
        self.clock = clock
        self.documents = PostgresDocuments(pool)
        self.use = Ports(
            documents=self.documents,
            endings=PostgresEndings(),
            contents=PostgresContents(),
            erasures=PostgresErasures(pool),
            orphans=PostgresOrphans(pool),
            trail=AuditTrail(),
            retention=PostgresRetention(),
            releases=PostgresReleases(pool, window=window, place_s=3600),
            sweeps=PostgresSweeps(pool),
            batches=PostgresBatches(pool, at_once=10),
            webhooks=PostgresWebhooks(pool),
            delivery_log=PostgresDeliveryLog(pool),
            webhook_rules=WebhookRules(
                Policy(), Secrets("a secret of the world"), webhooks_max=3, overlap_s=3600
            ),
            ring=self.bell.ring,
            wake_eraser=self.eraser_bell.ring,
            blobs=InMemoryBlobs(),
            unlocker=unlocker(),
            cutter=cutter(),
            splits=PostgresSplits(pool),
            archives=archives(),
            ledger=PostgresLedger(pool, clock, wake=lambda: None),
            clock=clock,
            upload_bytes_max=1 << 20,
            idempotency_ttl_s=3600,
        )

    async def accepted(self, owner_id: str = builders.OWNER) -> UUID:
        [document_id] = await self.all_accepted([owner_id])
        return document_id

    async def all_accepted(self, owners: Sequence[str]) -> list[UUID]:
        documents = [new_document(owner, self.use.clock.now()) for owner in owners]
        async with self.use.ledger.unit() as unit:
            await self.use.releases.take_in(unit, documents, [])
        return [document.document_id for document in documents]

    async def record(self, *jobs: Job[DocumentFact]) -> None:
        await record_facts(jobs, self.use)

    async def document(self, document_id: UUID) -> Document:
        found = await self.documents.find_document(document_id, owner_id=None)
        assert found is not None
        return found

    async def timeline(self, document_id: UUID) -> list[tuple[int, str]]:
        found = await self.documents.list_events(document_id, after_seq=0, limit=1000)
        return [(event.seq, event.type) for event in found]

    async def ended(self, document_id: UUID) -> list[str]:
        """The statuses with which the end was announced."""
        rows = await self.pool.fetch(
            "SELECT convert_from(body, 'UTF8')::jsonb #>> '{body,status}' AS status"
            "  FROM outbox WHERE type = $1"
            "   AND convert_from(body, 'UTF8')::jsonb #>> '{body,document_id}' = $2"
            " ORDER BY id",
            DocumentEndedV1.type,
            str(document_id),
        )
        return [row["status"] for row in rows]


class Upload:
    """A document as it comes through the door."""

    password: str | None = None

    def __init__(self, key: str | None = None) -> None:
        self._key = key

    async def chunks(self) -> AsyncIterator[bytes]:
        yield builders.PDF

    def details(self) -> Details:
        return Details("uploader", "a.pdf", idempotency_key=self._key)


async def received(world: World) -> UUID:
    return (await receive_document(Upload(), world.use)).document_id


def new_document(owner_id: str, accepted_at: datetime) -> NewDocument:
    return NewDocument(new_id(), new_id(), accepted_at, SCAN, Details(owner_id, "a.pdf"))


@asynccontextmanager
async def ingest_world(database_url: str, *, window: int = 32) -> AsyncIterator[World]:
    schema = f"ingest_{token_hex(4)}"
    await make_tables_at(database_url, schema=schema, locations=LOCATIONS)
    pool = await open_pool(
        DatabaseSettings(database_url, pool_max=POOL_MAX), schema=schema, application=schema
    )
    clock = DatabaseClock()
    await clock.refresh(pool)
    try:
        yield World(pool, clock, window)
    finally:
        await pool.close()


@dataclass(frozen=True, slots=True)
class Told:
    """A fact about a document that is still to be named."""

    make: Callable[..., DocumentFact]
    run: int = 0
    given: tuple[tuple[str, object], ...] = ()

    def about(self, document_id: UUID, fact_id: UUID | None = None) -> Job[DocumentFact]:
        fact = self.make(document_id=document_id, **dict(self.given))
        return builders.job(fact, run=self.run, job_id=fact_id)


def lasting(document: Document) -> dict[str, Any]:
    """What every order of the same facts must agree on."""
    kept = asdict(document)
    return {
        name: value
        for name, value in kept.items()
        if name not in (*OF_THE_MOMENT, "document_id")
    }
