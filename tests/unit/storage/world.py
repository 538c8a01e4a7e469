"""Storage whose outside is in memory."""

import json
from hashlib import sha256
from uuid import UUID, uuid4

from services.storage.adapters.parquet import ParquetTables
from services.storage.ports import Ports
from shared.blobs.keys import content_key
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import FinaliseDocumentV1, StoreDocumentV1
from tests import builders
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.ledger import FakeLedger
from tests.fakes.storage import InMemoryStoredResults
from tests.fakes.withdrawals import InMemoryWithdrawals

DAY = "2026/03/14"


class World:
    """A storage service whose outside is in memory."""

    def __init__(self) -> None:
        self.blobs, self.ledger = InMemoryBlobs(), FakeLedger()
        self.results, self.withdrawals = InMemoryStoredResults(), InMemoryWithdrawals()
        self.use = Ports(
            blobs=self.blobs,
            tables=ParquetTables(),
            results=self.results,
            withdrawals=self.withdrawals,
            ledger=self.ledger,
            extraction_bytes_max=1024**2,
        )

    def order(self, document_id: UUID | None = None, **given: object) -> Job[StoreDocumentV1]:
        document_id = document_id or uuid4()
        cache_hit = given.get("cache_hit", False)
        extraction = builders.extraction(document_id=document_id, cache_hit=cache_hit)
        key = self._kept(extraction)
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
