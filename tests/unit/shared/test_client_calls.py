"""The client and the API it was made for, over HTTP, with everything behind it in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec, TypeVar
from uuid import uuid4

import pytest

from shared.client import Client, Refused, Status, Wishes
from shared.web.server import listen, serve_on
from tests import builders
from tests.locked import LOCKED, PASSWORD, text_of
from tests.unit.ingest.desk import REVIEWER, SUBMITTER, Desk
from tests.zips import packed

P = ParamSpec("P")
R = TypeVar("R")


class Served(Desk):
    """Calls go through threads: the client blocks, and who answers is in this very loop."""

    def __init__(self) -> None:
        super().__init__()
        self.address = ""

    def door(self, headers: dict[str, str] = SUBMITTER) -> Client:
        return Client(self.address, headers["Authorization"].removeprefix("Bearer "))

    async def ask(self, call: Callable[P, R], *args: P.args, **words: P.kwargs) -> R:
        return await asyncio.to_thread(call, *args, **words)


@pytest.fixture
async def desk() -> AsyncIterator[Served]:
    desk, stopping = Served(), asyncio.Event()
    with listen("127.0.0.1", 0) as listener:
        desk.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with asyncio.TaskGroup() as group, desk.client:
            group.create_task(serve_on(desk.app, listener, stopping))
            yield desk
            stopping.set()


@pytest.fixture
def client(desk: Served) -> Iterator[Client]:
    with desk.door() as client:
        yield client


@pytest.fixture
def invoice(tmp_path: Path) -> Path:
    path = tmp_path / 'Rechnung "März" 100%.pdf'
    path.write_bytes(builders.PDF)
    return path


async def test_a_file_is_handed_in_with_all_that_is_said_of_it(
    desk: Served, client: Client, invoice: Path
) -> None:
    wishes = Wishes(
        "urgent", ["2026", "travel"], {"case": 7}, datetime(2026, 12, 1, tzinfo=UTC)
    )

    accepted = await desk.ask(client.submit, invoice, wishes=wishes)

    row = desk.documents.rows[accepted.document_id]
    assert (row.filename, row.priority, row.sha256) == (invoice.name, 5, builders.SHA256)
    assert (row.tags, row.metadata) == (["2026", "travel"], {"case": 7})
    assert row.due_at == wishes.due_at
    assert (accepted.status, accepted.replayed) == ("queued", False)


async def test_the_same_key_is_the_same_document(
    desk: Served, client: Client, invoice: Path
) -> None:
    first = await desk.ask(client.submit, invoice, idempotency_key="one")
    again = await desk.ask(client.submit, invoice, idempotency_key="one")

    assert again.document_id == first.document_id
    assert (first.replayed, again.replayed) == (False, True)


async def test_a_password_opens_the_document_it_comes_with(
    desk: Served, client: Client
) -> None:
    accepted = await desk.ask(client.submit, LOCKED, filename="a.pdf", password=PASSWORD)

    row = desk.documents.rows[accepted.document_id]
    assert text_of(desk.blobs.objects[row.content_key]) == "Total 119.00 EUR"


async def test_a_refusal_says_what_was_wrong(desk: Served, client: Client) -> None:
    with pytest.raises(Refused) as wrong:
        await desk.ask(client.submit, LOCKED, password="guessed")
    with pytest.raises(Refused, match="one of bulk, normal, high, urgent") as invalid:
        await desk.ask(client.submit, builders.PDF, wishes=Wishes("soon"))

    assert (wrong.value.status, wrong.value.reason) == (422, "wrong_password")
    assert invalid.value.errors[0]["pointer"] == "/query/priority"
    assert not wrong.value.may_pass


async def test_an_unknown_key_is_refused(desk: Served) -> None:
    with (
        Client(desk.address, "paperline_no_key") as stranger,
        pytest.raises(Refused) as refused,
    ):
        await desk.ask(stranger.page)

    assert (refused.value.status, refused.value.reason) == (401, "unauthenticated")


async def test_a_document_is_followed_to_its_end(desk: Served, client: Client) -> None:
    document_id = (await desk.ask(client.submit, builders.PDF)).document_id
    before = await desk.ask(client.status, document_id)
    unchanged = await desk.ask(client.status, document_id, before)
    impatient = await desk.ask(client.wait, document_id, within_s=0)
    desk.blobs.objects["data/one.json"] = (
        f'{{"document_id": "{document_id}", "engine": "offline", "confidence": 0.9,'
        '"fields": {"total": {"value": "119.00", "confidence": 0.9}, "currency": "EUR"}}'
    ).encode()

    waiting = asyncio.ensure_future(desk.ask(client.wait, document_id, every_s=0.01))
    await desk.told(builders.stored(document_id=document_id, result_key="data/one.json"))
    ended = await waiting

    assert (before.status, before.ended) == ("queued", False)
    assert unchanged is before
    assert impatient == before
    assert (ended.status, ended.was_read, ended.progress) == ("completed", True, 100)
    result = await desk.ask(client.result, document_id)
    assert (result.engine, result.value("total"), result.value("currency")) == (
        "offline",
        "119.00",
        "EUR",
    )
    assert result.value("seller.name") == ""


async def test_a_duplicate_names_its_original(desk: Served, client: Client) -> None:
    original, copy = [
        (await desk.ask(client.submit, builders.PDF)).document_id for _ in range(2)
    ]

    await desk.told(
        builders.stored(document_id=original),
        builders.stored(document_id=copy, duplicate=True),
    )

    assert (await desk.ask(client.document, copy)).original_id == original
    assert (await desk.ask(client.document, original)).original_id is None


async def test_a_document_is_cancelled_once_and_twice(desk: Served, client: Client) -> None:
    document_id = (await desk.ask(client.submit, builders.PDF)).document_id

    first: Status = await desk.ask(client.cancel, document_id)
    again = await desk.ask(client.cancel, document_id)

    assert first.status == again.status == "cancelled"


async def test_a_document_that_has_ended_is_not_cancelled(desk: Served, client: Client) -> None:
    document_id = (await desk.ask(client.submit, builders.PDF)).document_id
    await desk.told(builders.stored(document_id=document_id))

    with pytest.raises(Refused) as refused:
        await desk.ask(client.cancel, document_id)

    assert refused.value.reason == "already_ended"


async def test_a_document_is_deleted_and_is_gone(desk: Served, client: Client) -> None:
    document_id = (await desk.ask(client.submit, builders.PDF)).document_id

    await desk.ask(client.delete, document_id)
    await desk.ask(client.delete, document_id)

    with pytest.raises(Refused) as refused:
        await desk.ask(client.status, document_id)
    assert refused.value.status == 410


async def test_the_original_comes_back_in_pieces(desk: Served, client: Client) -> None:
    document_id = (await desk.ask(client.submit, builders.PDF)).document_id

    with desk.door(REVIEWER) as reviewer:
        original = await desk.ask(lambda: b"".join(reviewer.content(document_id)))
        with pytest.raises(Refused) as refused:
            await desk.ask(lambda: [*reviewer.content(uuid4())])

    assert original == builders.PDF
    assert refused.value.status == 404


async def test_a_list_goes_on_over_all_its_pages(desk: Served, client: Client) -> None:
    ids = []
    for number in range(5):
        wishes = Wishes(tags=["odd" if number % 2 else "even"])
        ids.append((await desk.ask(client.submit, builders.PDF, wishes=wishes)).document_id)
        desk.clock.advance(1)

    all_of_them = await desk.ask(lambda: [*client.documents(page_items=2)])
    odd = await desk.ask(lambda: [*client.documents(page_items=1, tag="odd")])

    assert [one.document_id for one in all_of_them] == ids[::-1]
    assert [one.document_id for one in odd] == [ids[3], ids[1]]
    assert odd[0].tags == ("odd",)


async def test_many_files_are_one_batch(desk: Served, client: Client, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ('a "1".pdf', "b\r\n.txt", "ü.pdf")]
    for number, file in enumerate(files):
        file.write_bytes(
            b"no document" if file.suffix == ".txt" else builders.PDF + b"%d" % number
        )

    batch = await desk.ask(client.submit_batch, files, wishes=Wishes("high", ["2026"]))
    same = await desk.ask(client.batch, batch.batch_id, batch)

    assert [one.filename for one in batch.items] == ['a "1".pdf', "ü.pdf"]
    assert [(one.position, one.reason) for one in batch.rejected] == [(1, "unsupported_type")]
    assert {(row.priority, *row.tags) for row in desk.documents.rows.values()} == {(4, "2026")}
    assert not batch.ended
    assert same.counts == batch.counts


async def test_an_archive_is_a_batch_that_can_be_waited_for(
    desk: Served, client: Client
) -> None:
    archive = packed(("a.pdf", builders.PDF), ("b.pdf", builders.PDF + b"\n"))
    batch = await desk.ask(client.submit_archive, archive, idempotency_key="night")

    for one in batch.items:
        await desk.told(builders.stored(document_id=one.document_id))
    ended = await desk.ask(client.wait_batch, batch.batch_id)

    assert (ended.ended, ended.counts) == (True, {"completed": 2})
    assert (await desk.ask(client.batch, batch.batch_id, ended)) is ended


async def test_what_is_left_of_a_batch_is_cancelled(desk: Served, client: Client) -> None:
    batch = await desk.ask(client.submit_archive, packed(("a.pdf", builders.PDF)))

    cancelled = await desk.ask(client.cancel_batch, batch.batch_id)

    assert cancelled.counts == {"cancelled": 1}
