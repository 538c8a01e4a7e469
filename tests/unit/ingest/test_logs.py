"""The logs of one document, streamed from the object store."""

from collections.abc import AsyncIterator

import pytest

from tests.unit.ingest.desk import STRANGER, Desk, is_problem


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def test_the_logs_of_a_document_are_read_in_the_order_of_their_names(desk: Desk) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}/logs"
    desk.blobs.objects |= {
        f"logs/{document_id}/2-store.log": b"stored\n",
        f"logs/{document_id}/1-extract.log": b"read\n",
    }

    answer = await desk.get(path)

    assert answer.text == "read\nstored\n"
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    is_problem(await desk.get(path, STRANGER), 404, "no-such-document")


async def test_a_document_without_logs_says_so(desk: Desk) -> None:
    document_id = await desk.accepted()

    is_problem(await desk.get(f"/v1/documents/{document_id}/logs"), 404, "no-logs")
