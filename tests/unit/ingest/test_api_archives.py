"""A ZIP handed in as a batch: its files become documents, and nothing else does."""

import io
import json
import zipfile
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest

from tests import builders
from tests.unit.ingest.desk import SUBMITTER, Desk, is_problem
from tests.zips import packed

PDF, OTHER = builders.PDF, builders.PDF + b"\n"
ZIP = {"Content-Type": "application/zip"}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def send(desk: Desk, archive: bytes, path: str = "", **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await desk.client.post(
        f"/v1/batches{path}", content=archive, headers=SUBMITTER | ZIP | names
    )


def names(batch: Mapping[str, Any]) -> list[tuple[int, str]]:
    return [(one["position"], one["filename"]) for one in batch["items"]]


def refusals(batch: Mapping[str, Any]) -> list[tuple[int, str, str]]:
    return [(one["position"], one["filename"], one["reason"]) for one in batch["rejected"]]


async def test_the_files_of_an_archive_are_a_batch(desk: Desk) -> None:
    answer = await send(desk, packed(("a.pdf", PDF), ("deep/b.pdf", OTHER)), "?priority=high")

    assert answer.status_code == 202, answer.text
    assert names(answer.json()) == [(0, "a.pdf"), (1, "b.pdf")]
    assert {*desk.blobs.objects.values()} == {PDF, OTHER}
    assert {row.priority for row in desk.documents.rows.values()} == {4}


async def test_each_refused_member_is_listed_with_its_reason(desk: Desk) -> None:
    archive = packed(
        ("a.pdf", PDF),
        ("notes.txt", b"not an invoice"),
        ("empty.pdf", b""),
        ("inner.zip", packed(("b.pdf", PDF))),
        ("large.pdf", PDF + bytes(range(256)) * 300),
        ("../../z.pdf", OTHER),
    )

    batch = (await send(desk, archive)).json()

    assert names(batch) == [(0, "a.pdf"), (5, "z.pdf")]
    assert refusals(batch) == [
        (1, "notes.txt", "unsupported_type"),
        (2, "empty.pdf", "empty"),
        (3, "inner.zip", "nested_archive"),
        (4, "large.pdf", "too_large"),
    ]
    assert {*desk.blobs.objects.values()} == {PDF, OTHER}


async def test_a_repeated_archive_is_the_same_batch(desk: Desk) -> None:
    archive = packed(("a.pdf", PDF), ("b.txt", b"?"))

    first = await send(desk, archive, idempotency_key="night-1")
    again = await send(desk, archive, idempotency_key="night-1")
    other = await send(desk, packed(("a.pdf", OTHER)), idempotency_key="night-1")

    assert again.json()["batch_id"] == first.json()["batch_id"]
    assert again.headers["idempotency-replayed"] == "true"
    is_problem(other, 422, "idempotency-mismatch")
    assert len(desk.documents.rows) == 1


async def test_an_archive_among_other_files_stands_for_its_members(desk: Desk) -> None:
    answer = await desk.client.post(
        "/v1/batches",
        files=[
            ("files", ("first.pdf", PDF)),
            ("files", ("more.zip", packed(("a.pdf", PDF), ("b.pdf", OTHER)))),
            ("files", ("broken.zip", b"PK\x03\x04 and no more")),
            ("files", ("last.pdf", OTHER)),
        ],
        data={"manifest": json.dumps({"files": {"b.pdf": {"priority": "urgent"}}})},
        headers=SUBMITTER,
    )

    batch = answer.json()
    assert names(batch) == [(0, "first.pdf"), (1, "a.pdf"), (2, "b.pdf"), (4, "last.pdf")]
    assert refusals(batch) == [(3, "broken.zip", "bad_archive")]
    priorities = {row.filename: row.priority for row in desk.documents.rows.values()}
    assert (priorities["b.pdf"], priorities["a.pdf"]) == (5, 3)


@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        pytest.param(b"PK\x05\x06" + bytes(18), "empty", id="no file in it"),
        pytest.param(b"PK\x03\x04 nothing", "bad_archive", id="no archive"),
        pytest.param(
            packed(*((f"{n}.pdf", PDF) for n in range(1_001))), "bad_archive", id="too many"
        ),
    ],
)
async def test_an_archive_that_is_refused_whole_says_why(
    desk: Desk, archive: bytes, reason: str
) -> None:
    answer = await send(desk, archive)

    is_problem(answer, 422, "nothing-accepted")
    assert answer.json()["errors"][0]["detail"].startswith(f"{reason}: ")
    assert not desk.blobs.objects
    assert not desk.documents.rows


async def test_an_archive_that_does_not_end_is_cut_off(desk: Desk) -> None:
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w") as archive:
        archive.writestr("a.pdf", bytes(2 << 20))

    answer = await send(desk, sheet.getvalue())

    is_problem(answer, 422, "nothing-accepted")
    assert "too_large" in answer.json()["errors"][0]["detail"]


async def test_a_wish_that_cannot_be_is_told_before_the_archive_is_read(desk: Desk) -> None:
    answer = await send(desk, packed(("a.pdf", PDF)), "?priority=soon")

    is_problem(answer, 422, "invalid")
    assert not desk.blobs.objects


async def test_a_single_document_is_no_archive_and_is_told_where_to_go(desk: Desk) -> None:
    answer = await desk.client.post(
        "/v1/documents", content=packed(("a.pdf", PDF)), headers=SUBMITTER
    )

    is_problem(answer, 415, "unsupported-type")
    assert "/v1/batches" in answer.json()["detail"]
