"""What a sweep sends: the same work under a new run, and an end when nothing helps."""

from uuid import uuid4

from services.ingest.domain.sweeping import Patience
from services.ingest.handlers import receive_document, record_facts
from services.ingest.handlers.sweep import sweep_documents
from services.ingest.ports import Released, Stuck
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentFailedV1
from shared.contracts.identity import derived_id
from shared.contracts.orders import ExtractDocumentV1
from shared.observability.metrics import SWEPT
from tests import builders
from tests.unit.ingest.world import FakeUpload, World

PATIENCE = Patience(3600, 360, 900)


def _stuck(run: int = 1, *, lost: bool = False) -> Stuck:
    document = Released(
        document_id=uuid4(),
        owner_id=builders.OWNER,
        accepted_at=builders.ACCEPTED_AT,
        priority=3,
        content_key=builders.CONTENT_KEY,
        sha256=builders.SHA256,
        size_bytes=len(builders.PDF),
        media_type="application/pdf",
        filename="invoice.pdf",
        run=run,
        traceparent=None,
    )
    return Stuck(document, "extract", lost, attempts=2)


def _swept() -> float:
    return float(SWEPT.labels("extract")._value.get())


async def test_a_stuck_document_is_ordered_again_as_the_next_run() -> None:
    world, stuck, before = World(), _stuck(run=2), _swept()
    world.sweeps.stuck = [stuck]

    assert await sweep_documents(world.use, PATIENCE) == 1

    [message] = world.ledger.messages
    document_id = stuck.document.document_id
    assert isinstance(message.body, ExtractDocumentV1)
    assert message.body.document_id == document_id
    assert message.body.priority is Priority.URGENT
    assert message.run == 2
    assert message.job_id == derived_id(document_id, "extract", 2)
    assert _swept() == before + 1


async def test_what_stays_lost_fails_and_says_so() -> None:
    world, stuck = World(), _stuck(run=3, lost=True)
    world.sweeps.stuck = [stuck]

    await sweep_documents(world.use, PATIENCE)

    [message] = world.ledger.messages
    assert isinstance(message.body, DocumentFailedV1)
    assert (message.body.reason, message.run) == ("lost", 3)


async def test_a_document_given_up_ends_like_any_other() -> None:
    world = World()
    document_id = (await receive_document(FakeUpload(), world.use)).document_id
    fact = builders.failed(document_id=document_id, reason="lost")

    await record_facts([builders.job(fact, run=3)], world.use)

    assert world.documents.rows[document_id].status == "failed"
    assert (world.documents.rows[document_id].error_message or "").startswith("lost")


async def test_only_one_replica_sweeps_at_a_time() -> None:
    world = World()
    world.sweeps.stuck, world.sweeps.another_sweeps = [_stuck()], True

    assert await sweep_documents(world.use, PATIENCE) == 0
    assert world.ledger.messages == []
