"""Between acceptance and the broker: who is let in, who waits, and in which order they go."""

import asyncio

from services.ingest.domain.documents import Details
from services.ingest.handlers import receive_document, record_facts
from services.ingest.handlers.release import keep_releasing, release_documents
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentAcceptedV1
from shared.contracts.orders import ExtractDocumentV1
from tests import builders
from tests.eventually import eventually
from tests.unit.ingest.world import FakeUpload, World


def _world(window: int) -> World:
    world = World()
    world.releases.window = window
    return world


async def _accept(
    world: World, count: int, owner: str = "acme", priority: Priority = Priority.NORMAL
) -> None:
    for _ in range(count):
        details = Details(owner, "invoice.pdf", priority)
        await receive_document(FakeUpload(details=details), world.use)


async def _release_all(world: World) -> None:
    while await release_documents(world.use):
        continue


def _orders(world: World) -> list[ExtractDocumentV1]:
    return [body for body in world.ledger.sent if isinstance(body, ExtractDocumentV1)]


def _stages(world: World) -> list[str]:
    return [row.stage for row in world.documents.rows.values()]


async def _extract_one(world: World) -> None:
    done = {row.document_id for row in world.documents.rows.values() if row.engine}
    order = next(one for one in _orders(world) if one.document_id not in done)
    fact = builders.extracted(document_id=order.document_id)
    await record_facts([builders.job(fact)], world.use)


async def test_what_the_window_has_no_room_for_is_accepted_and_held() -> None:
    world = _world(window=2)

    await _accept(world, 5)

    assert len(_orders(world)) == 2
    assert _stages(world).count("held") == 3
    assert sum(isinstance(one, DocumentAcceptedV1) for one in world.ledger.sent) == 5


async def test_a_document_past_extraction_lets_the_next_one_go() -> None:
    world = _world(window=2)
    await _accept(world, 5)
    await _release_all(world)
    assert len(_orders(world)) == 2

    await _extract_one(world)
    await _release_all(world)

    assert len(_orders(world)) == 3
    assert _stages(world).count("held") == 2


async def test_an_urgent_document_is_released_at_once_beyond_the_window() -> None:
    world = _world(window=1)
    await _accept(world, 3)

    await _accept(world, 1, priority=Priority.URGENT)

    assert [one.priority for one in _orders(world)] == [Priority.NORMAL, Priority.URGENT]


async def test_more_urgent_documents_go_first() -> None:
    world = _world(window=1)
    await _accept(world, 1)
    for priority in (Priority.BULK, Priority.NORMAL, Priority.HIGH):
        await _accept(world, 1, priority=priority)

    for _ in range(3):
        await _extract_one(world)
        await _release_all(world)

    assert [one.priority for one in _orders(world)][1:] == [4, 3, 1]


async def test_a_client_with_three_is_not_behind_a_client_with_a_hundred() -> None:
    world = _world(window=1)
    await _accept(world, 100, owner="big")
    await _accept(world, 3, owner="small")

    for _ in range(8):
        await _extract_one(world)
        await _release_all(world)

    assert [one.owner_id for one in _orders(world)].count("small") == 3


async def test_the_oldest_moves_under_endless_urgent_load_and_then_as_urgently() -> None:
    world = _world(window=1)
    await _accept(world, 1, priority=Priority.URGENT)
    await _accept(world, 3, owner="patient", priority=Priority.BULK)

    for _ in range(21):
        await _accept(world, 1, priority=Priority.URGENT)
        await _release_all(world)

    patient = [one for one in _orders(world) if one.owner_id == "patient"]
    assert len(patient) == 3
    assert {one.priority for one in patient} == {Priority.URGENT}
    assert len(_orders(world)) == 1 + 21 + 3


async def test_a_document_that_ended_while_it_waited_is_not_released() -> None:
    world = _world(window=1)
    await _accept(world, 2)
    waiting = next(iter(world.releases.waiting))
    await record_facts([builders.job(builders.failed(document_id=waiting))], world.use)

    await _extract_one(world)
    await _release_all(world)

    assert len(_orders(world)) == 1


async def test_the_releaser_hears_of_free_places() -> None:
    world = _world(window=1)
    await _accept(world, 2)
    releaser = asyncio.ensure_future(keep_releasing(world.use, world.bell, every_s=3600))

    await _extract_one(world)
    await eventually(lambda: len(_orders(world)) == 2)
    releaser.cancel()
