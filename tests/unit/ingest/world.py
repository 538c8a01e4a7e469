"""Ingest whose outside is made of fakes."""

from collections.abc import AsyncIterator
from dataclasses import replace

from services.ingest.domain.documents import Details
from services.ingest.handlers.release import Bell
from services.ingest.ports import Ports
from tests import builders
from tests.fakes.batches import InMemoryBatches
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.endings import InMemoryContents, InMemoryEndings, RecordedTrail
from tests.fakes.ledger import FakeLedger
from tests.fakes.releases import InMemoryReleases
from tests.fakes.sweeps import FakeSweeps


class World:
    def __init__(self) -> None:
        self.documents = InMemoryDocuments()
        self.blobs = InMemoryBlobs()
        self.ledger = FakeLedger()
        self.clock = FakeClock()
        self.releases = InMemoryReleases(self.documents)
        self.sweeps = FakeSweeps()
        self.batches = InMemoryBatches(self.documents, self.releases)
        self.trail = RecordedTrail()
        self.bell = Bell()
        self.use = Ports(
            documents=self.documents,
            endings=InMemoryEndings(self.documents),
            contents=InMemoryContents(self.documents),
            trail=self.trail,
            releases=self.releases,
            sweeps=self.sweeps,
            batches=self.batches,
            ring=self.bell.ring,
            blobs=self.blobs,
            ledger=self.ledger,
            clock=self.clock,
            upload_bytes_max=64 * 1024,
            idempotency_ttl_s=3600,
        )


class FakeUpload:
    """Its details can be asked for only once the bytes are read, as those of a form."""

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
