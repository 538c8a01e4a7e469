"""A world with its API in front, and a client of it."""

import httpx

from services.ingest.api import Front, build
from services.ingest.domain.retention import RetentionRules
from services.ingest.handlers import record_facts
from services.ingest.handlers.follow import Feed
from services.ingest.handlers.retain import Keeping
from shared.contracts.body import DocumentFact
from shared.web.cursors import Cursors
from tests import builders
from tests.fakes.audit import InMemoryAuditLog
from tests.fakes.batches import InMemoryStandings
from tests.fakes.keys import SpeakingKeys, key_of
from tests.fakes.quotas import InMemoryQuotas
from tests.fakes.sessions import InMemorySessions
from tests.unit.ingest.world import World

SUBMITTER = key_of(builders.OWNER, "submitter")
STRANGER = key_of("globex", "submitter")
REVIEWER = key_of("anna", "reviewer")
OPERATOR = key_of("otto", "operator")


class Desk(World):
    def __init__(self) -> None:
        super().__init__()
        self.feed = Feed(self.documents, streams_max=3)
        self.sessions = InMemorySessions()
        self.keys = SpeakingKeys()
        self.quotas = InMemoryQuotas()
        self.batch_feed = Feed(InMemoryStandings(self.batches), streams_max=3)
        front = Front(
            Cursors("a secret of the desk"),
            self.feed,
            self.batch_feed,
            sessions=self.sessions,
            quotas=self.quotas,
            keeping=Keeping(RetentionRules(default_days=3650), dry_run=True),
            audit=InMemoryAuditLog(),
        )
        self.app = build(self.use, self.keys, front, upload_s=30, requests_max=100)
        transport = httpx.ASGITransport(self.app)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://ingest")

    async def upload(self, **headers: str) -> httpx.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(
            "/v1/documents", content=builders.PDF, headers=SUBMITTER | names
        )

    async def accepted(self) -> str:
        return str((await self.upload(x_filename="invoice.pdf")).json()["document_id"])

    async def told(self, *facts: DocumentFact, run: int = 0) -> None:
        await record_facts([builders.job(fact, run=run) for fact in facts], self.use)

    async def get(self, path: str, headers: dict[str, str] = SUBMITTER) -> httpx.Response:
        return await self.client.get(path, headers=headers)


def is_problem(answer: httpx.Response, status: int, name: str) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["type"] == f"/problems/{name}"
    assert set(problem) >= {"title", "trace_id", "retryable"}
