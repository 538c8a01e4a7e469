"""Storage whose outside is in memory."""

import json
from hashlib import sha256
from uuid import UUID, uuid4

from services.storage.adapters.encoders import FileEncoders
from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.ubl import UblInvoices
from services.storage.ports import Ports
from services.storage.ports.outlets import Outlets
from shared.blobs.keys import content_key
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import FinaliseDocumentV1, StoreDocumentV1
from tests import builders
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.exports import InMemoryExports
from tests.fakes.handovers import InMemoryHandovers, RecordedTrail
from tests.fakes.ledger import FakeLedger
from tests.fakes.result_index import InMemoryResultIndex
from tests.fakes.storage import FakeErasures, InMemoryStoredResults
from tests.fakes.withdrawals import InMemoryWithdrawals

DAY = "2026/03/14"


class World:
    """A storage service whose outside is in memory."""

    def __init__(self) -> None:
        self.blobs, self.ledger = InMemoryBlobs(), FakeLedger()
        self.results, self.withdrawals = InMemoryStoredResults(), InMemoryWithdrawals()
        self.erasures = FakeErasures()
        self.clock, self.trail = FakeClock(), RecordedTrail()
        self.index = InMemoryResultIndex(self.results, self.clock)
        self.handovers = InMemoryHandovers(self.results, self.index, self.clock)
        self.exports = InMemoryExports(self.results, self.erasures, self.clock)
        self.use = Ports(
            blobs=self.blobs,
            tables=ParquetTables(),
            results=self.results,
            withdrawals=self.withdrawals,
            erasures=self.erasures,
            ledger=self.ledger,
            extraction_bytes_max=1024**2,
            index=self.index,
            handovers=self.handovers,
            exports=self.exports,
        )
        self.outlets = Outlets(
            blobs=self.blobs,
            ledger=self.ledger,
            index=self.index,
            exports=self.exports,
            handovers=self.handovers,
            encoders=FileEncoders(),
            invoices=UblInvoices(),
            trail=self.trail,
            clock=self.clock,
        )

    def order(self, document_id: UUID | None = None, **given: object) -> Job[StoreDocumentV1]:
        document_id = document_id or uuid4()
        cache_hit = given.get("cache_hit", False)
        extraction = builders.extraction(document_id=document_id, cache_hit=cache_hit)
        return self.order_of(extraction, **given)

    def reading(self, document_id: UUID, total: str, replaces: int) -> Job[StoreDocumentV1]:
        """Another than the last one: the engine was asked again."""
        fields = {"total": builders.read_as(total)}
        extraction = builders.extraction(document_id=document_id, fields=fields)
        return self.order_of(extraction, replaces_version=replaces)

    def order_of(self, extraction: ExtractionV1, **given: object) -> Job[StoreDocumentV1]:
        document_id, key = extraction.document_id, self._kept(extraction)
        return builders.job(
            builders.store_document(document_id=document_id, extraction_key=key, **given)
        )

    def decision(
        self, document_id: UUID, total: str = "120.00", **given: object
    ) -> Job[FinaliseDocumentV1]:
        corrected = {"total": builders.read_as(total)}
        key = self._kept(builders.extraction(document_id=document_id, fields=corrected))
        return builders.job(
            builders.finalise_document(document_id=document_id, extraction_key=key, **given)
        )

    def published(self, document_id: UUID) -> dict[str, object] | None:
        """What an analyst finds under the dated path."""
        raw = self.blobs.objects.get(f"data/json/{DAY}/{document_id}.json")
        return None if raw is None else dict(json.loads(raw))

    def files(self) -> set[str]:
        return {key for key in self.blobs.objects if key.startswith("data/")}

    def _kept(self, extraction: ExtractionV1) -> str:
        raw = extraction.to_bytes()
        key = content_key(sha256(raw).hexdigest())
        self.blobs.objects[key] = raw
        return key
