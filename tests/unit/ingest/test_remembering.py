"""What is remembered of ended documents, and that nobody sees by it what he may not."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from services.ingest.api.remembering import OVERHEAD_BYTES, PART_MAX, Memory
from services.ingest.handlers import delete_document
from shared.observability.metrics import REGISTRY
from tests import builders
from tests.fakes.clock import FakeClock
from tests.unit.ingest.desk import STRANGER, SUBMITTER, Desk, is_problem

KEY = "data/versions/one.json"


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def completed(desk: Desk, data: bytes = b'{"read": 1}') -> str:
    document_id = await desk.accepted()
    desk.blobs.objects[KEY] = data
    await desk.told(builders.stored(document_id=document_id, result_key=KEY))
    return document_id


def counted(outcome: str) -> float:
    labels = {"outcome": outcome}
    return REGISTRY.get_sample_value("paperline_detail_cache_total", labels) or 0


async def test_a_result_is_read_once_for_all_who_ask(desk: Desk) -> None:
    path = f"/v1/documents/{await completed(desk)}/result"
    hits, misses = counted("hit"), counted("miss")

    first = await desk.get(path)
    desk.blobs.away = True
    again = await desk.get(path)

    assert (first.content, again.content) == (b'{"read": 1}',) * 2
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["content-type"] == "application/json"
    assert (counted("hit") - hits, counted("miss") - misses) == (1, 1)


async def test_nobody_is_shown_another_ones_from_memory(desk: Desk) -> None:
    path = f"/v1/documents/{await completed(desk)}"
    for route in ("", "/result"):
        assert (await desk.get(path + route)).status_code == 200

        is_problem(await desk.get(path + route, STRANGER), 404, "no-such-document")


async def test_a_deletion_by_another_replica_is_seen_at_once(desk: Desk) -> None:
    document_id = await completed(desk)
    path = f"/v1/documents/{document_id}"
    await desk.get(path)
    await desk.get(f"{path}/result")

    await delete_document(UUID(document_id), owner_id=None, actor="anna", use=desk.use)

    is_problem(await desk.get(path), 410, "deleted")
    is_problem(await desk.get(f"{path}/result"), 404, "no-such-document")


async def test_a_newer_version_is_seen_at_once(desk: Desk) -> None:
    document_id = await completed(desk)
    path = f"/v1/documents/{document_id}"
    before = (await desk.get(path)).json()
    await desk.get(f"{path}/result")
    desk.blobs.objects["data/versions/two.json"] = b'{"read": 2}'

    await desk.told(
        builders.finalised(document_id=document_id, result_key="data/versions/two.json")
    )

    assert (before["result_version"], (await desk.get(path)).json()["result_version"]) == (1, 2)
    assert (await desk.get(f"{path}/result")).content == b'{"read": 2}'


async def test_what_has_not_ended_is_never_remembered(desk: Desk) -> None:
    document_id = await desk.accepted()
    misses = counted("miss")

    for _ in range(2):
        assert (await desk.get(f"/v1/documents/{document_id}")).status_code == 200
        is_problem(await desk.get(f"/v1/documents/{document_id}/result"), 409, "not-ready")
        is_problem(await desk.get(f"/v1/documents/{UUID(int=1)}"), 404, "no-such-document")

    assert counted("miss") == misses


async def test_a_large_result_is_streamed_and_not_kept(desk: Desk) -> None:
    data = b'"' + b"x" * (3 << 20) + b'"'
    path = f"/v1/documents/{await completed(desk, data)}/result"

    assert (await desk.get(path)).content == data

    desk.blobs.away = True
    is_problem(await desk.client.get(path, headers=SUBMITTER), 503, "unavailable")


def test_what_is_remembered_ends_with_its_time() -> None:
    clock = FakeClock()
    memory = Memory(clock, ttl_s=300, bytes_max=1 << 20)
    memory.keep("one", b"1")

    clock.advance(299)
    assert memory.recall("one") == b"1"
    clock.advance(1)
    assert memory.recall("one") is None


def test_the_least_recently_asked_goes_first() -> None:
    room = PART_MAX * (OVERHEAD_BYTES + 100)
    memory = Memory(FakeClock(), ttl_s=300, bytes_max=room)
    for number in range(PART_MAX):
        memory.keep(number, b"x" * 100)
    memory.recall(0)

    memory.keep("new", b"x" * 100)

    assert memory.recall(1) is None
    assert memory.recall(0) is not None
    assert memory.recall("new") is not None


@pytest.mark.parametrize("limits", [(0, 1 << 20), (300, 0)], ids=["no time", "no room"])
def test_without_time_or_room_nothing_is_remembered(limits: tuple[int, int]) -> None:
    memory = Memory(FakeClock(), ttl_s=limits[0], bytes_max=limits[1])

    memory.keep("one", b"")
    memory.keep("two", b"2")

    assert memory.recall("two") is None
