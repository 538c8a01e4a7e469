"""The same bytes, again and again and at once: read by an engine once, and lost never."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from itertools import cycle
from secrets import token_hex
from uuid import UUID, uuid4

import httpx
import pytest

from tests.eventually import eventually
from tests.system.client import TIMEOUT_S, Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.records import EFFECTS, Records
from tests.system.replicas import replica_of
from tests.system.stack import Stack

log = logging.getLogger(__name__)

SOME, MANY = 60, 1000
INGESTS = 3
# More than these at once are asked to come back, and do.
CONNECTIONS = 200
# Its first answer takes two seconds longer: time for copies to come.
SLOW_ENGINE = "extractor.engine_answered:delay"
KILLED = "extractor.engine_answered:kill"
COPY_WAITS = "the same content is being read"
WAITING = """
SELECT FROM ingest.documents WHERE starts_with(filename, $1) AND starts_with(waiting_for, $2)
"""
ATTEMPTS = "SELECT attempts FROM ingest.documents WHERE starts_with(filename, $1)"
WAITS = """
SELECT count(*) AS waits FROM ingest.document_events JOIN ingest.documents USING (document_id)
 WHERE type = 'document.waiting' AND starts_with(filename, $1)
"""
EFFECTS_EACH = ("document.accepted", "document.extracted", "document.stored", "review.opened")


async def hand_in_often(
    clients: Sequence[Client], content: bytes, name: str, *, count: int
) -> list[UUID]:
    """All at the same instant, each a document of its own, in turn by one client or another."""
    uploads = (
        client.hand_in(content, filename=f"{name}-{number}.pdf")
        for number, client in zip(range(count), cycle(clients), strict=False)
    )
    return list(await asyncio.gather(*uploads))


async def require_one_original(records: Records, name: str, *, count: int) -> UUID:
    """Which of them was read: all the others are its duplicates, and each can be reviewed."""
    await eventually(records.is_quiet, within_s=60, every_s=0.25)
    found = await records.rows(EFFECTS, name)
    statuses = Counter(row["status"] for row in found)
    assert statuses == {"completed": 1, "duplicate": count - 1}
    left = {(row["results"], row["items"], *row["letters"]) for row in found}
    assert left == {(1, 1)}, "one result, one review item, no dead letter"
    assert {row["attempts"] for row in await records.rows(ATTEMPTS, name)} == {1}
    told = await records.rows(TOLD, name, list(EFFECTS_EACH))
    assert {row["type"]: row["documents"] for row in told} == dict.fromkeys(EFFECTS_EACH, count)
    assert {row["most"] for row in told} == {1}
    [original] = [row["document_id"] for row in found if row["status"] == "completed"]
    # An analyst must not count an invoice twice.
    with_files = {
        row["document_id"] for row in found if records.files(row["document_id"], "json")
    }
    assert with_files == {original}
    return UUID(str(original))


TOLD = """
SELECT type, count(*) AS documents, max(times) AS most
  FROM (SELECT event.type, event.document_id, count(*) AS times
          FROM ingest.document_events AS event JOIN ingest.documents USING (document_id)
         WHERE starts_with(filename, $1) AND event.type = ANY ($2)
         GROUP BY event.type, event.document_id) AS each
 GROUP BY type
"""


async def test_of_many_copies_one_is_read_and_all_can_be_reviewed(
    client: Client, stack: Stack, records: Records
) -> None:
    name, content = token_hex(6), invoice()

    async with stack.armed("extractor", SLOW_ENGINE):
        await hand_in_often([client], content, name, count=SOME)
        # Who asks meanwhile is told what a copy waits for.
        await eventually(lambda: records.rows(WAITING, name, COPY_WAITS))
        await eventually(lambda: records.has_ended(name, count=SOME), within_s=60, every_s=0.2)
        assert await client.engine_calls() == 1

    original = await require_one_original(records, name, count=SOME)
    copy = (await records.documents(name) - {original}).pop()
    assert (await client.document(copy))["original_id"] == str(original)
    assert (await client.review_item(copy)).json()["duplicate"]
    await records.require_balance(client.promised)


async def test_copies_of_what_cannot_be_read_fail_alike(
    client: Client, records: Records
) -> None:
    name, content = token_hex(6), invoice(ENCRYPTED)

    documents = await hand_in_often([client], content, name, count=10)
    await eventually(lambda: records.has_ended(name, count=10), within_s=60, every_s=0.2)

    ends = [await client.document(document_id) for document_id in documents]
    assert {one["status"] for one in ends} == {"failed"}
    assert len({one["error_message"] for one in ends}) == 1
    assert "encrypted" in ends[0]["error_message"]


async def test_a_reader_killed_after_the_engine_answered_is_followed_by_another(
    client: Client, stack: Stack, records: Records
) -> None:
    name, content = token_hex(6), invoice()

    async with stack.armed("extractor", KILLED):
        await hand_in_often([client], content, name, count=10)
        await eventually(lambda: not stack.runs("extractor"), within_s=30)

    await eventually(lambda: records.has_ended(name, count=10), within_s=60, every_s=0.2)
    await require_one_original(records, name, count=10)
    # Of the process that came after it; the dead one took its count along.
    assert await client.engine_calls() == 1


@pytest.mark.slow
async def test_a_document_that_kills_every_reader_is_taken_out_after_three_deaths(
    client: Client, stack: Stack
) -> None:
    async with stack.armed("extractor", KILLED):
        document_id = await client.hand_in(invoice())
        for _ in range(3):
            # The lease of the one before has to run out first.
            await eventually(lambda: not stack.runs("extractor"), within_s=30)
            await stack.start("extractor")
        ended = await client.ends(document_id)
        assert stack.runs("extractor")

    assert ended["status"] == "failed"
    assert [one["reason"] for one in await client.letters(document_id)] == ["poison"]


@asynccontextmanager
async def clients_of_three(client: Client) -> AsyncIterator[list[Client]]:
    """The stack with three processes of ingest, and a client at the door of each."""
    async with AsyncExitStack() as opened:
        stacks = [client.stack] + [
            await opened.enter_async_context(replica_of(client.stack, "ingest", number))
            for number in range(2, INGESTS + 1)
        ]
        limits = httpx.Limits(max_connections=CONNECTIONS)
        yield [
            Client(
                stack,
                await opened.enter_async_context(
                    httpx.AsyncClient(timeout=3 * TIMEOUT_S, limits=limits)
                ),
                client.promised,
            )
            for stack in stacks
        ]


@pytest.mark.slow
async def test_a_thousand_copies_at_three_doors_are_one_engine_call(
    client: Client, stack: Stack, records: Records
) -> None:
    name, content = token_hex(6), invoice()

    async with stack.armed("extractor", SLOW_ENGINE), clients_of_three(client) as clients:
        began = time.monotonic()
        await hand_in_often(clients, content, name, count=MANY)
        accepted_s = time.monotonic() - began
        await eventually(lambda: records.has_ended(name, count=MANY), within_s=300, every_s=0.5)
        ended_s = time.monotonic() - began
        await require_one_original(records, name, count=MANY)
        assert await client.engine_calls() == 1

    [row] = await records.rows(WAITS, name)
    log.info(
        "accepted after %.1f s, all ended after %.1f s, copies sent to wait: %d",
        *(accepted_s, ended_s, row["waits"]),
    )
    await records.require_balance(client.promised)


@pytest.mark.slow
async def test_fifty_requests_under_one_key_at_three_doors_are_one_document(
    client: Client, records: Records
) -> None:
    name, content, key = token_hex(6), invoice(), str(uuid4())

    async with clients_of_three(client) as clients:
        answers = await asyncio.gather(
            *(
                one.upload(content, filename=f"{name}.pdf", idempotency_key=key)
                for _, one in zip(range(50), cycle(clients), strict=False)
            )
        )

    documents = {one.json()["document_id"] for one in answers if one.is_success}
    statuses = Counter(one.status_code for one in answers)
    assert set(statuses) <= {HTTPStatus.ACCEPTED, HTTPStatus.CONFLICT}, statuses
    assert len(documents) == 1
    assert await records.documents(name) == {UUID(one) for one in documents}
    await eventually(lambda: records.has_ended(name, count=1), within_s=60)
