"""`kill -9` of ingest at each of its own steps: the client tries again, and nothing is doubled.

A process is told beforehand where to kill itself. Whoever talks to it sees a connection that
breaks, nothing else, and repeats the same request at another. A step that the code names and
nobody dies at here is a failure too.
"""

import ast
import asyncio
from collections.abc import Awaitable, Callable, Iterator
from http import HTTPStatus
from secrets import token_hex
from uuid import UUID, uuid4

import httpx
import pytest

from deploy.local.state import REPOSITORY
from shared.blobs.open import open_blobs
from shared.blobs.pieces import in_one_piece
from shared.contracts.orders import SubmitDocumentV1
from shared.publishing import Submitter
from tests.eventually import eventually
from tests.system.client import Client, client_of
from tests.system.invoices import INVOICE, OTHER_INVOICE, batch_of, invoice, several
from tests.system.records import Records
from tests.system.replicas import replica_of
from tests.system.stack import Stack

Request = Callable[[Client], Awaitable[httpx.Response]]

BEFORE, AFTER = "ingest.before_commit", "ingest.after_commit"
WEBHOOKS = "tests/broker/test_when_a_webhook_sender_is_killed.py"
RETENTION = "tests/broker/test_when_retention_is_killed.py"
ELSEWHERE = {("deliver", "ingest.delivered"): WEBHOOKS, ("retain", "ingest.expired"): RETENTION}
ERASED = "SELECT content_key, stage FROM ingest.documents WHERE document_id = $1"
TOLD = "SELECT type FROM ingest.document_events WHERE document_id = $1"

_died_at: set[tuple[str, str]] = set()


def dies_at(module: str, *steps: str) -> pytest.MarkDecorator:
    _died_at.update((module, step) for step in steps)
    return pytest.mark.parametrize("step", steps)


async def repeated(request: Request, client: Client, step: str) -> httpx.Response:
    """What is answered to the second try; the first was cut off by a death."""
    settings = {"PAPERLINE_FAILPOINT": f"{step}:kill"}
    async with replica_of(client.stack, "ingest", 2, **settings) as doomed:
        async with client_of(doomed) as other:
            with pytest.raises(httpx.TransportError):
                await request(other)
        await dies(doomed, doomed.component)
    return await request(client)


async def dies(stack: Stack, component: str = "ingest") -> None:
    await eventually(lambda: not stack.runs(component), within_s=60, every_s=0.05)


@dies_at("receive", BEFORE, AFTER)
async def test_an_upload_is_one_document(step: str, client: Client, records: Records) -> None:
    name, content, key = token_hex(6), invoice(), str(uuid4())
    calls = await client.engine_calls()

    async def upload(one: Client) -> httpx.Response:
        return await one.upload(content, filename=f"{name}.pdf", idempotency_key=key)

    answer = await repeated(upload, client, step)

    assert answer.status_code == HTTPStatus.ACCEPTED, answer.text
    assert ("Idempotency-Replayed" in answer.headers) == (step == AFTER)
    await eventually(lambda: records.has_ended(name, count=1), within_s=60, every_s=0.1)
    await records.require_each_once(name, count=1)
    assert await client.engine_calls() == calls + 1
    await records.require_balance(client.promised)


@dies_at("batches", BEFORE, AFTER)
async def test_a_batch_is_one_batch(step: str, client: Client, records: Records) -> None:
    batch, key = batch_of(12), str(uuid4())

    async def hand_in(one: Client) -> httpx.Response:
        return await one.http.post(
            one.stack.address("ingest_api") + "/v1/batches",
            files=[("files", (name, content)) for name, content in batch.files.items()],
            headers={"Authorization": f"Bearer {one.stack.key}", "Idempotency-Key": key},
        )

    answer = await repeated(hand_in, client, step)

    assert answer.status_code == HTTPStatus.ACCEPTED, answer.text
    assert ("Idempotency-Replayed" in answer.headers) == (step == AFTER)
    client.promised |= await records.documents(batch.name)
    await eventually(lambda: records.has_ended(batch.name, count=12), within_s=60, every_s=0.1)
    await records.require_each_once(batch.name, count=12)
    view = await client.get("ingest", answer.headers["Location"])
    shown = {UUID(one["document_id"]) for one in view["items"]}
    assert shown == await records.documents(batch.name)
    await records.require_balance(client.promised)


@dies_at("submit", BEFORE, AFTER)
async def test_a_submission_is_one_document(
    step: str, client: Client, stack: Stack, records: Records
) -> None:
    name = token_hex(6)
    blob = await open_blobs(f"file://{stack.blobs}").write(in_one_piece(invoice()))
    submission = SubmitDocumentV1(
        owner_id="local", idempotency_key=name, content_key=blob.key, filename=f"{name}.pdf"
    )

    async with Submitter((stack.state.root / "publisher").read_text().strip()) as submitter:
        async with stack.armed("ingest", f"{step}:kill"):
            submitting = asyncio.ensure_future(submitter.submit(submission))
            await dies(stack)
        answer = await submitting
        again = await submitter.submit(submission)

    assert (answer.outcome, again.repeated) == ("accepted", True)
    assert await records.documents(name) == {answer.document_id} == {again.document_id}
    client.promised |= await records.documents(name)
    await eventually(lambda: records.has_ended(name, count=1), within_s=60, every_s=0.1)
    await records.require_each_once(name, count=1)
    await records.require_balance(client.promised)


@dies_at("split", BEFORE, AFTER)
async def test_a_file_is_split_once(
    step: str, client: Client, stack: Stack, records: Records
) -> None:
    name = token_hex(6)
    content = several(INVOICE, OTHER_INVOICE)
    pile = await client.hand_in(content, filename=f"{name}.pdf")
    await client.ends(pile)
    await client.review_item(pile)

    async with stack.armed("ingest", f"{step}:kill"):
        split = await client.split(pile, [1], [2])
        assert split.status_code == HTTPStatus.OK, split.text
        await dies(stack)

    await eventually(lambda: records.has_ended(name, count=3), within_s=60, every_s=0.1)
    client.promised |= await records.documents(name)
    await records.require_each_once(name, count=3)
    shown = await client.document(pile)
    assert shown["children"] == split.json()["children"]
    await records.require_balance(client.promised)


@dies_at("release", "ingest.before_release")
async def test_what_was_held_is_released_once(
    step: str, client: Client, stack: Stack, records: Records
) -> None:
    batch = batch_of(6)

    async with stack.armed("ingest", f"{step}:kill", PAPERLINE_PIPELINE_WINDOW="1"):
        handing_in = asyncio.ensure_future(client.hand_in_all(batch))
        await dies(stack)
    await handing_in

    await eventually(lambda: records.has_ended(batch.name, count=6), within_s=60, every_s=0.1)
    await records.require_each_once(batch.name, count=6)
    await records.require_balance(client.promised)


@dies_at("withdraw", "ingest.cancelled")
async def test_a_cancel_has_happened_once(
    step: str, client: Client, stack: Stack, records: Records
) -> None:
    name = token_hex(6)
    await stack.stop("extractor")
    document_id = await client.hand_in(invoice(), filename=name)

    async def cancel(one: Client) -> httpx.Response:
        return await one.post("ingest", f"/v1/documents/{document_id}/cancel")

    answer = await repeated(cancel, client, step)
    # What the dead one owed is sent by another; until then the document may still be read.
    await eventually(records.all_is_sent, within_s=60, every_s=0.05)
    await stack.start("extractor")
    await eventually(records.is_quiet, within_s=60, every_s=0.25)

    assert answer.status_code == HTTPStatus.CONFLICT
    assert answer.json()["detail"] == "The document is cancelled already."
    told = await client.events(document_id)
    assert told.count("document.cancelled") == 1
    assert "document.stored" not in told
    await records.require_balance(client.promised)


@dies_at("withdraw", "ingest.deleted")
async def test_a_deletion_has_happened_once(
    step: str, client: Client, records: Records
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    await client.review_item(document_id)
    [before] = await records.rows(ERASED, document_id)

    async def delete(one: Client) -> httpx.Response:
        return await one.delete("ingest", f"/v1/documents/{document_id}")

    answer = await repeated(delete, client, step)

    assert answer.status_code == HTTPStatus.NO_CONTENT
    await require_erased(client, records, document_id, before["content_key"])


@dies_at("erase", "ingest.before_erasing")
async def test_what_was_to_be_erased_is_erased_by_the_next(
    step: str, client: Client, stack: Stack, records: Records
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    await client.review_item(document_id)
    [before] = await records.rows(ERASED, document_id)

    async with stack.armed("ingest", f"{step}:kill"):
        deleting = asyncio.gather(
            client.delete("ingest", f"/v1/documents/{document_id}"), return_exceptions=True
        )
        await dies(stack)
        await deleting

    await require_erased(client, records, document_id, before["content_key"])


async def require_erased(
    client: Client, records: Records, document_id: UUID, content_key: str
) -> None:
    # What was promised to this client is gone because it wanted so.
    client.promised.discard(document_id)

    async def is_erased() -> bool:
        [tombstone] = await records.rows(ERASED, document_id)
        return bool(tombstone["stage"] == "done")

    await eventually(is_erased, within_s=60, every_s=0.1)
    assert not (client.stack.blobs / content_key).exists()
    assert [row["type"] for row in await records.rows(TOLD, document_id)] == [
        "document.deleted"
    ]
    await records.require_balance(client.promised)


def test_every_step_of_the_code_is_died_at() -> None:
    """Here, or in the file that is named."""
    assert _died_at | ELSEWHERE.keys() == set(_steps())
    for (_, step), file in ELSEWHERE.items():
        assert f'"{step}:kill"' in (REPOSITORY / file).read_text()


def _steps() -> Iterator[tuple[str, str]]:
    """Each by the module that stops there and its name."""
    for path in (REPOSITORY / "services" / "ingest").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name("failpoint"), args=[ast.Constant(str(step))]):
                    yield path.stem, step
