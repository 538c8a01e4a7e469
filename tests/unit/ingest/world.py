"""Ingest whose outside is made of fakes."""

from collections.abc import AsyncIterator
from dataclasses import replace

from services.ingest.domain.addresses import Policy
from services.ingest.domain.documents import Details
from services.ingest.domain.webhooks import Secrets
from services.ingest.handlers.release import Bell
from services.ingest.ports import Ports, WebhookRules
from tests import builders
from tests.doors import archives, cutter, unlocker
from tests.fakes.batches import InMemoryBatches
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.endings import InMemoryContents, InMemoryEndings, RecordedTrail
from tests.fakes.erasing import InMemoryErasures, InMemoryOrphans
from tests.fakes.ledger import FakeLedger
from tests.fakes.releases import InMemoryReleases
from tests.fakes.retention import FakeRetention
from tests.fakes.sources import InMemorySource
from tests.fakes.splitting import InMemorySplits
from tests.fakes.sweeps import FakeSweeps
from tests.fakes.webhooks import InMemoryWebhooks


class World:
    def __init__(self) -> None:
        self.documents = InMemoryDocuments()
        self.blobs = InMemoryBlobs()
        self.ledger = FakeLedger()
        self.clock = FakeClock()
        self.releases = InMemoryReleases(self.documents)
        self.retention = FakeRetention(self.documents)
        self.sweeps = FakeSweeps()
        self.batches = InMemoryBatches(self.documents, self.releases)
        self.webhooks = InMemoryWebhooks(self.clock)
        self.trail = RecordedTrail()
        self.bell, self.eraser_bell = Bell(), Bell()
        self.contents = InMemoryContents(self.documents)
        self.erasures = InMemoryErasures(self.documents)
        self.orphans = InMemoryOrphans(self.documents)
        self.splits = InMemorySplits(self.documents)
        self.scans = InMemorySource()
        self.use = Ports(
            documents=self.documents,
            endings=InMemoryEndings(self.documents),
            contents=self.contents,
            erasures=self.erasures,
            orphans=self.orphans,
            trail=self.trail,
            retention=self.retention,
            releases=self.releases,
            sweeps=self.sweeps,
            batches=self.batches,
            webhooks=self.webhooks,
            delivery_log=self.webhooks,
            webhook_rules=WebhookRules(
                Policy(), Secrets("a secret of the world"), webhooks_max=3, overlap_s=3600
            ),
            ring=self.bell.ring,
            wake_eraser=self.eraser_bell.ring,
            blobs=self.blobs,
            unlocker=unlocker(),
            cutter=cutter(),
            splits=self.splits,
            archives=archives(),
            ledger=self.ledger,
            clock=self.clock,
            upload_bytes_max=64 * 1024,
            idempotency_ttl_s=3600,
            sources={"scans": self.scans},
        )


class FakeUpload:
    """Its details can be asked for only once the bytes are read, as those of a form."""

    password: str | None = None

    def __init__(self, data: bytes = builders.PDF, details: Details | None = None) -> None:
        self._data = data
        self._details = details or Details(builders.OWNER, "invoice.pdf")
        self._read = False

    async def chunks(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._data), 16):
            yield self._data[at : at + 16]
        self._read = True

    def details(self) -> Details:
        assert self._read, "the details were asked for before the bytes were read"
        return self._details

    def with_key(self, key: str) -> "FakeUpload":
        return FakeUpload(self._data, replace(self._details, idempotency_key=key))
