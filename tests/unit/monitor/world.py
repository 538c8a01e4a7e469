"""A monitor whose outside is made of fakes, and letters as a dead queue hands them over."""

from uuid import UUID, uuid4

from services.monitor.adapters.job_logs import JobLogs
from services.monitor.adapters.snapshots import SnapshotFiles
from services.monitor.domain.letters import DeadLetter
from services.monitor.handlers.keeping import keep_letters
from services.monitor.ports import Ports
from shared.bus.headers import (
    DEAD_ATTEMPTS,
    DEAD_CATEGORY,
    DEAD_EXCEPTION,
    DEAD_FINGERPRINT,
    DEAD_FIRST_AT,
    DEAD_LAST_AT,
    DEAD_MESSAGE,
    DEAD_QUEUE,
    DEAD_REASON,
    RUN,
)
from shared.bus.letters import Letter
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from shared.topology.queues import dead_queue
from tests import builders
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.duties import FakeConserved, FakeNumbers, InMemoryDuties
from tests.fakes.facts import InMemoryFacts
from tests.fakes.groups import InMemoryGroups
from tests.fakes.ledger import FakeLedger
from tests.fakes.monitor import (
    FakeBroker,
    InMemoryDocuments,
    InMemoryLetters,
    InMemoryPauses,
    InMemoryReplays,
    RecordedTrail,
)
from tests.fakes.operations import InMemoryOperations
from tests.fakes.processes import InMemoryProcesses

QUEUE = "extractor.extract"


class World:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.ledger = FakeLedger()
        self.letters = InMemoryLetters(self.clock)
        self.replays = InMemoryReplays(self.letters, self.clock)
        self.documents = InMemoryDocuments()
        self.groups = InMemoryGroups(self.letters, self.clock)
        self.operations = InMemoryOperations(self.letters, self.replays, self.clock)
        self.pauses = InMemoryPauses(self.clock)
        self.processes = InMemoryProcesses(self.clock)
        self.facts = InMemoryFacts(self.documents, self.letters, self.replays)
        self.blobs = InMemoryBlobs()
        self.duties = InMemoryDuties(self.clock)
        self.numbers = FakeNumbers()
        self.conserved = FakeConserved()
        self.broker = FakeBroker()
        self.trail = RecordedTrail()
        self.ports = Ports(
            letters=self.letters,
            replays=self.replays,
            operations=self.operations,
            groups=self.groups,
            documents=self.documents,
            pauses=self.pauses,
            processes=self.processes,
            facts=self.facts,
            logs=JobLogs(self.blobs),
            duties=self.duties,
            numbers=self.numbers,
            conserved=self.conserved,
            snapshots=SnapshotFiles(self.blobs),
            broker=self.broker,
            trail=self.trail,
            ledger=self.ledger,
            clock=self.clock,
        )

    async def kept(self, letter: Letter) -> DeadLetter:
        """The letter, now in the monitor's keeping."""
        known = {one.letter_id for one in self.letters.all}
        await keep_letters([letter], self.ports)
        [new] = [one for one in self.letters.all if one.letter_id not in known]
        return new

    async def letter(self, letter_id: UUID) -> DeadLetter:
        letter = await self.letters.find_letter(letter_id)
        assert letter is not None
        return letter


def dead_letter(
    *,
    job_id: UUID | None = None,
    document_id: UUID | None = None,
    queue: str = QUEUE,
    run: int = 0,
    **headers: str,
) -> Letter:
    """An order that was rejected; headers are named without their prefix."""
    body = builders.extract_document(document_id=document_id or uuid4())
    raw = encode(body, job_id=job_id or new_id(), created_at=NOON, traceparent=None)
    given = {f"paperline-{name.replace('_', '-')}": value for name, value in headers.items()}
    return Letter(
        dead_queue=dead_queue(queue),
        origin_queue=queue,
        body=raw,
        headers={**obituary(queue), **({RUN: str(run)} if run else {}), **given},
        message_id=str(uuid4()),
        content_type="application/json",
        priority=4,
    )


def obituary(queue: str) -> dict[str, str]:
    return {
        DEAD_QUEUE: queue,
        DEAD_REASON: "unreadable",
        DEAD_CATEGORY: "rejected",
        DEAD_EXCEPTION: "Rejected",
        DEAD_MESSAGE: "no page can be read",
        DEAD_FINGERPRINT: "f" * 16,
        DEAD_ATTEMPTS: "1",
        DEAD_FIRST_AT: "2026-03-14T11:59:00+00:00",
        DEAD_LAST_AT: "2026-03-14T11:59:30+00:00",
        "traceparent": f"00-{'a' * 32}-{'b' * 16}-01",
    }


def garbage(body: bytes = b"\xff\x00not an envelope") -> Letter:
    return Letter(
        dead_queue=dead_queue(QUEUE),
        origin_queue=QUEUE,
        body=body,
        headers={DEAD_QUEUE: QUEUE, DEAD_REASON: "undecodable"},
        message_id="",
        content_type="application/octet-stream",
        priority=0,
    )
