"""From a fact to what an owner is told: once per fact, and nothing of what an invoice says."""

from services.ingest.domain.batches import Reference
from services.ingest.handlers import cancel_document, delete_document
from services.ingest.handlers.batches import receive_references
from services.ingest.handlers.record import record_facts
from tests import builders
from tests.unit.ingest.webhook_world import ToldWorld


async def test_an_owner_is_told_how_a_document_ended_and_where_to_look() -> None:
    world = ToldWorld()
    await world.endpoint()
    document_id = await world.accepted()

    await world.record(builders.stored(document_id=document_id))

    own = f"/v1/documents/{document_id}"
    links = {"self": own, "result": f"{own}/result"}
    told = {"document_id": str(document_id), "status": "completed", "links": links}
    assert world.said() == [("document.ended", told)]


async def test_a_fact_that_comes_twice_tells_once() -> None:
    world = ToldWorld()
    await world.endpoint()
    document_id = await world.accepted()
    jobs = [
        builders.job(fact)
        for fact in (
            builders.stored(document_id=document_id),
            builders.review_decided(document_id=document_id),
            builders.finalised(document_id=document_id),
        )
    ]

    await record_facts([*jobs, *jobs], world.use)
    await record_facts(jobs, world.use)

    assert sorted(event for event, _ in world.said()) == [
        "document.ended",
        "document.finalised",
        "review.decided",
    ]


async def test_nothing_of_what_an_invoice_says_is_told() -> None:
    world = ToldWorld()
    await world.endpoint()
    document_id = await world.accepted()

    await world.record(
        builders.stored(document_id=document_id),
        builders.review_decided(document_id=document_id, reviewer="anna"),
        builders.finalised(document_id=document_id),
    )

    told = repr(world.said())
    for word in ("Nordlicht", "R-2026-0815", "119.00", "invoice.pdf", "anna", builders.OWNER):
        assert word not in told


async def test_a_failure_is_told_without_its_words() -> None:
    world = ToldWorld()
    await world.endpoint()
    document_id = await world.accepted()

    await world.record(builders.failed(document_id=document_id, detail="on page 3: IBAN DE…"))

    [(event, data)] = world.said()
    assert (event, data["status"]) == ("document.ended", "failed")
    assert "IBAN" not in repr(data)


async def test_a_cancelled_document_has_ended_and_a_deleted_one_says_nothing_more() -> None:
    world = ToldWorld()
    await world.endpoint()
    cancelled, deleted = await world.accepted(), await world.accepted()
    await cancel_document(cancelled, actor="anna", owner_id=None, use=world.use)
    await delete_document(deleted, owner_id=None, actor="acme", use=world.use)

    await world.record(
        builders.review_decided(document_id=deleted), builders.finalised(document_id=cancelled)
    )

    assert [(event, data["document_id"], data["status"]) for event, data in world.said()] == [
        ("document.ended", str(cancelled), "cancelled"),
        ("document.ended", str(deleted), "cancelled"),
    ]


async def test_a_complete_batch_is_told_with_its_counts() -> None:
    world = ToldWorld()
    await world.endpoint("batch.completed")
    await world.accepted()
    item = Reference(builders.CONTENT_KEY, "a.pdf")
    received = await receive_references(builders.OWNER, [item], None, world.use)
    [member] = await world.batches.list_members(received.batch_id)

    await world.record(builders.stored(document_id=member.document_id))

    [(event, data)] = world.said()
    assert (event, data["batch_id"]) == ("batch.completed", str(received.batch_id))
    assert (data["completed"], data["failed"], data["revision"]) == (1, 0, 1)
    assert "owner_id" not in data


async def test_an_endpoint_is_told_what_it_asked_for_and_nobody_else_is() -> None:
    world = ToldWorld()
    wants = await world.endpoint("review.decided")
    await world.endpoint(owner_id="globex")
    document_id = await world.accepted()

    await world.record(
        builders.stored(document_id=document_id),
        builders.review_decided(document_id=document_id),
    )

    assert (world.only().webhook_id, world.only().event) == (wants, "review.decided")
