"""A locked document that comes with its password: kept open, the password kept nowhere."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import httpx
import pytest
from pypdfium2 import PdfiumError

from services.ingest.adapters import unlocking
from services.ingest.adapters.unlocking_child import NOT_LOCKED
from services.ingest.domain.documents import Document
from shared.errors import Rejected
from shared.observability.logging import JsonLines
from shared.observability.tracing import configure_tracing, shutdown_tracing
from shared.sandbox.frames import Frame
from shared.sandbox.worker import Worker
from tests import builders
from tests.doors import unlocker
from tests.eventually import eventually
from tests.fakes.collector import Collector
from tests.locked import LOCKED, PASSWORD, locked, locked_by_aes, text_of
from tests.unit.ingest.desk import SUBMITTER, Desk, is_problem

SAMPLES = Path(__file__).parents[3] / "deploy" / "samples"
HEADER = "X-Document-Password"


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def upload(desk: Desk, data: bytes, password: str, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await desk.client.post(
        "/v1/documents",
        content=data,
        headers=SUBMITTER | {HEADER: quote(password)} | names,
    )


def row_of(desk: Desk, answer: httpx.Response) -> Document:
    assert answer.status_code == 202, answer.text
    return desk.documents.rows[UUID(answer.json()["document_id"])]


@pytest.mark.parametrize("strength", [40, 128])
@pytest.mark.parametrize("password", [PASSWORD, "the owner"])
async def test_what_is_kept_is_the_document_without_its_lock(
    desk: Desk, strength: int, password: str
) -> None:
    scan = locked(strength=strength)

    row = row_of(desk, await upload(desk, scan, password))

    assert {*desk.blobs.objects} == {row.content_key}
    assert text_of(desk.blobs.objects[row.content_key]) == "Total 119.00 EUR"
    assert row.media_type == "application/pdf"
    assert row.size_bytes == len(desk.blobs.objects[row.content_key])


@pytest.mark.parametrize("password", [PASSWORD, "the owner"])
async def test_the_lock_of_a_newer_kind_is_taken_off_too(desk: Desk, password: str) -> None:
    scan = locked_by_aes()
    with pytest.raises(PdfiumError, match="password"):
        text_of(scan)

    first = row_of(desk, await upload(desk, scan, password))
    again = row_of(desk, await upload(desk, scan, password))

    assert {*desk.blobs.objects} == {first.content_key} == {again.content_key}
    assert text_of(desk.blobs.objects[first.content_key]) == "Total 119.00 EUR"
    is_problem(await upload(desk, scan, "guessed"), 422, "wrong-password")


async def test_a_locked_document_opens_into_the_same_bytes_each_time(desk: Desk) -> None:
    first = await upload(desk, LOCKED, PASSWORD, idempotency_key="one")
    again = await upload(desk, LOCKED, PASSWORD, idempotency_key="one")
    owners = await upload(desk, LOCKED, "the owner", idempotency_key="one")

    assert again.content == owners.content == first.content
    assert again.headers["idempotency-replayed"] == "true"


async def test_a_wrong_password_is_told_and_nothing_is_kept(desk: Desk) -> None:
    answer = await upload(desk, LOCKED, "guessed")

    is_problem(answer, 422, "wrong-password")
    assert not desk.blobs.objects
    assert not desk.documents.rows


@pytest.mark.parametrize(
    "scan",
    [
        pytest.param(builders.PDF, id="a PDF that nothing reads"),
        pytest.param((SAMPLES / "de-kanzlei-birkenau.pdf").read_bytes(), id="an open PDF"),
        pytest.param(locked(""), id="one that everybody may read"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(99), id="an image"),
        pytest.param(LOCKED[:200], id="the beginning of a locked PDF"),
    ],
)
async def test_a_password_that_opens_nothing_changes_nothing(desk: Desk, scan: bytes) -> None:
    row = row_of(desk, await upload(desk, scan, "not needed"))

    assert desk.blobs.objects == {row.content_key: scan}


async def test_a_locked_document_without_a_password_is_taken_as_it_is(desk: Desk) -> None:
    row = row_of(
        desk, await desk.client.post("/v1/documents", content=LOCKED, headers=SUBMITTER)
    )

    assert desk.blobs.objects == {row.content_key: LOCKED}


async def test_a_form_names_the_password_before_its_file(desk: Desk) -> None:
    answer = await desk.client.post(
        "/v1/documents",
        data={"password": PASSWORD},
        files={"file": ("one.pdf", LOCKED)},
        headers=SUBMITTER,
    )

    row = row_of(desk, answer)
    assert text_of(desk.blobs.objects[row.content_key]) == "Total 119.00 EUR"
    assert row.filename == "one.pdf"


@pytest.mark.parametrize("rest", [b"", bytes(60_000)], ids=["a small file", "a large file"])
async def test_a_form_that_names_it_later_is_refused_and_not_kept(
    desk: Desk, rest: bytes
) -> None:
    answer = await desk.client.post(
        "/v1/documents",
        files=[("file", ("one.pdf", LOCKED + rest)), ("password", (None, PASSWORD))],
        headers=SUBMITTER,
    )

    is_problem(answer, 422, "invalid")
    assert answer.json()["errors"][0]["pointer"] == "/body/password"
    assert not desk.blobs.objects


@pytest.mark.parametrize(
    ("query", "header"),
    [
        ("?password=canary-7f3a", "x"),
        ("", "canary-7f3a%00"),
        ("", "canary-7f3a%FF"),
        ("", "canary-7f3a" * 50),
    ],
    ids=["in the address", "with a zero", "not UTF-8", "too long"],
)
async def test_a_password_that_cannot_be_one_is_refused_without_repeating_it(
    desk: Desk, query: str, header: str
) -> None:
    answer = await desk.client.post(
        f"/v1/documents{query}", content=LOCKED, headers=SUBMITTER | {HEADER: header}
    )

    is_problem(answer, 422, "invalid")
    assert "canary" not in answer.text
    assert not desk.blobs.objects


@pytest.mark.parametrize("password", [PASSWORD, "guessed canary-7f3a"], ids=["right", "wrong"])
@pytest.mark.parametrize("as_form", [False, True], ids=["body", "form"])
async def test_the_password_is_in_no_log_no_trace_no_answer_and_no_table(
    desk: Desk, password: str, as_form: bool, caplog: pytest.LogCaptureFixture
) -> None:
    collector = Collector()
    configure_tracing("ingest", collector.address)
    caplog.set_level(logging.DEBUG)
    try:
        if as_form:
            answer = await desk.client.post(
                "/v1/documents",
                data={"password": password},
                files={"file": ("one.pdf", LOCKED)},
                headers=SUBMITTER,
            )
        else:
            answer = await upload(desk, LOCKED, password, idempotency_key="one")
    finally:
        shutdown_tracing()
        collector.close()

    logged = [JsonLines("ingest").format(one) for one in caplog.records]
    traced = [str(one) for one in collector.spans]
    kept = [desk.documents.rows, desk.documents.events, desk.documents.claims]
    told = [answer.text, answer.headers, desk.ledger.sent, kept, logged, traced]
    assert traced
    assert "canary" not in repr(told)
    assert not any(b"canary" in data for data in desk.blobs.objects.values())


async def test_nobody_can_read_it_off_the_process_that_opens_the_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    ask = Worker.ask

    async def watched(worker: Worker, asked: Frame, *, wall_s: float | None = None) -> Frame:
        about = Path(f"/proc/{worker.pid}")
        seen.extend((about / name).read_text() for name in ("cmdline", "environ"))
        return await ask(worker, asked, wall_s=wall_s)

    monkeypatch.setattr(Worker, "ask", watched)

    pieces = [piece async for piece in unlocker().unlocked(_stream(LOCKED), PASSWORD)]

    assert text_of(b"".join(pieces)) == "Total 119.00 EUR"
    assert len(seen) == 2
    assert "canary" not in "".join(seen)


async def test_no_child_that_has_known_a_password_opens_a_second_document() -> None:
    door = unlocker()

    [piece async for piece in door.unlocked(_stream(LOCKED), PASSWORD)]

    assert door._children.size == 0


async def test_a_child_that_dies_is_a_document_that_cannot_be_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unlocking, "CHILD", "tests.dying_child")
    door = unlocker()

    with pytest.raises(Rejected) as refused:
        [piece async for piece in door.unlocked(_stream(LOCKED), PASSWORD)]

    assert (refused.value.reason, refused.value.detail) == (
        "unreadable",
        "The document cannot be opened.",
    )


class Slow:
    """A child that holds what it was given until it is let go."""

    def __init__(self) -> None:
        self.holds = self.held_most = 0
        self.may_answer = asyncio.Event()

    async def ask(self, _given: Frame) -> Frame:
        self.holds += 1
        self.held_most = max(self.held_most, self.holds)
        await self.may_answer.wait()
        self.holds -= 1
        return Frame({"found": NOT_LOCKED})


async def test_who_waits_for_a_child_waits_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    door, child = unlocker(), Slow()
    monkeypatch.setattr(door, "_children", child)

    async def one() -> bytes:
        return b"".join([piece async for piece in door.unlocked(_stream(LOCKED), PASSWORD)])

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one()) for _ in range(6)]
        await eventually(lambda: door._waiting == 6 and child.holds == 2)
        child.may_answer.set()

    assert child.held_most == 2
    assert [task.result() for task in tasks] == [LOCKED] * 6


async def _stream(data: bytes) -> AsyncIterator[bytes]:
    yield data
