"""What a key may hand in within a day: counted where it is accepted, told on the answer."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import pytest

from services.ingest.handlers import receive_document
from shared.access.keys import Quota
from tests import builders
from tests.unit.ingest.desk import SUBMITTER, Desk, is_problem
from tests.unit.ingest.world import FakeUpload

SIZE = len(builders.PDF)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


def agree(desk: Desk, documents: int | None = None, size: int | None = None) -> None:
    desk.keys.quotas[builders.OWNER] = Quota(documents, size)


async def files(desk: Desk, count: int) -> httpx.Response:
    parts: Sequence[tuple[str, Any]] = [
        ("files", (f"{nth}.pdf", builders.PDF + bytes([nth]), "application/pdf"))
        for nth in range(count)
    ]
    return await desk.client.post("/v1/batches", files=parts, headers=SUBMITTER)


async def test_what_is_left_of_the_day_is_told(desk: Desk) -> None:
    agree(desk, 3, 10 * SIZE)

    answer = await desk.upload()

    assert answer.status_code == 202
    assert answer.headers["ratelimit-policy"] == (
        f'"day";q=3;w=86400, "day-bytes";q={10 * SIZE};qu="content-bytes";w=86400'
    )
    assert answer.headers["ratelimit"] == f'"day";r=2;t=3600, "day-bytes";r={9 * SIZE};t=3600'


async def test_beyond_the_documents_of_the_day_nothing_is_even_read(desk: Desk) -> None:
    agree(desk, 2)
    for _ in range(2):
        assert (await desk.upload()).status_code == 202
    desk.blobs.objects.clear()

    answer = await desk.upload()

    is_problem(answer, 429, "quota-exceeded")
    assert "2 documents a day" in answer.json()["detail"]
    assert answer.headers["retry-after"] == "3600"
    assert answer.headers["ratelimit"] == '"day";r=0;t=3600'
    assert answer.json()["retryable"] is True
    assert not desk.blobs.objects
    assert len(desk.documents.rows) == 2


async def test_a_document_larger_than_what_is_left_is_not_accepted(desk: Desk) -> None:
    agree(desk, None, SIZE + 1)
    assert (await desk.upload()).status_code == 202
    sent = len(desk.ledger.sent)

    answer = await desk.upload()

    is_problem(answer, 429, "quota-exceeded")
    assert f"{SIZE + 1} bytes a day" in answer.json()["detail"]
    assert len(desk.ledger.sent) == sent


async def test_a_repetition_costs_nothing_and_is_answered_when_the_day_is_used_up(
    desk: Desk,
) -> None:
    agree(desk, 1)
    first = await desk.upload(idempotency_key="invoice-17")

    again = await desk.upload(idempotency_key="invoice-17")
    other = await desk.upload(idempotency_key="invoice-18")

    assert again.json()["document_id"] == first.json()["document_id"]
    assert again.headers["idempotency-replayed"] == "true"
    is_problem(other, 429, "quota-exceeded")


async def test_a_batch_counts_as_many_as_it_has_or_is_refused_as_a_whole(desk: Desk) -> None:
    agree(desk, 5)

    fits = await files(desk, 3)
    too_many = await files(desk, 3)
    fits_again = await files(desk, 2)

    assert (fits.status_code, fits_again.status_code) == (202, 202)
    assert fits.headers["ratelimit"] == '"day";r=2;t=3600'
    is_problem(too_many, 429, "quota-exceeded")
    assert "3 are used and this is 3 more" in too_many.json()["detail"]


async def test_a_key_without_a_quota_costs_no_question(desk: Desk) -> None:
    answer = await desk.upload()

    assert answer.status_code == 202
    assert desk.quotas.asked == 0
    assert "ratelimit" not in answer.headers


async def test_what_comes_by_message_is_nobodys_key(desk: Desk) -> None:
    agree(desk, 1)

    for _ in range(2):
        await receive_document(FakeUpload(), desk.use)

    assert desk.quotas.asked == 0


async def test_a_key_revoked_while_its_upload_arrives_hands_nothing_in(desk: Desk) -> None:
    async def slowly() -> AsyncIterator[bytes]:
        yield builders.PDF[:8]
        desk.keys.revoked.add(builders.OWNER)
        yield builders.PDF[8:]

    answer = await desk.client.post("/v1/documents", content=slowly(), headers=SUBMITTER)

    is_problem(answer, 401, "unauthenticated")
    assert not desk.documents.rows
    assert not desk.ledger.sent
