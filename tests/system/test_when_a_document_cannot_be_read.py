"""A document that fails, its dead letter, and what an operator can do about it."""

import asyncio
from collections import Counter
from http import HTTPStatus
from typing import Any
from uuid import UUID

import pytest

from shared.bus.headers import DEAD_REASON, RUN
from shared.topology.queues import EXTRACT
from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.tap import publish_letter


async def the_letter(client: Client, document_id: UUID, *, run: int = 0) -> dict[str, Any]:
    """The document's dead letter of that run, once the monitor has it."""

    async def is_kept() -> bool:
        return any(one["run"] == run for one in await client.letters(document_id))

    await eventually(is_kept)
    [letter] = [one for one in await client.letters(document_id) if one["run"] == run]
    return letter


async def test_it_fails_with_a_reason_and_a_dead_letter(client: Client) -> None:
    document_id = await client.hand_in(invoice(ENCRYPTED))
    ended = await client.ends(document_id)
    letter = await the_letter(client, document_id)

    assert ended["status"] == "failed"
    assert "encrypted" in ended["error_message"]
    assert (letter["reason"], letter["state"]) == ("encrypted", "open")
    assert (letter["origin_queue"], letter["type"]) == (EXTRACT.name, "document.extract")
    # What no retry can cure is not retried.
    assert letter["attempts"] == 1


async def test_a_replay_that_fails_again_says_so(client: Client) -> None:
    document_id = await client.hand_in(invoice(ENCRYPTED))
    letter = await the_letter(client, document_id)

    replay = await client.replay(letter["letter_id"])
    outcome = await client.settles(replay)

    assert (replay.json()["run"], outcome) == (1, "refailed")
    newer = await the_letter(client, document_id, run=1)
    assert (newer["job_id"], newer["state"]) == (letter["job_id"], "open")
    assert (await the_letter(client, document_id))["state"] == "refailed"

    async def has_failed_again() -> bool:
        document = await client.document(document_id)
        return (document["status"], document["run"]) == ("failed", 1)

    await eventually(has_failed_again)


@pytest.fixture(scope="module")
async def healed(client: Client, stack: Stack) -> tuple[UUID, list[int], str]:
    """A document whose bytes were missing, and were there again when it was replayed twice:
    its id, how the two requests were answered, and how the accepted one ended."""
    content = invoice()
    await stack.stop("extractor")
    document_id = await client.hand_in(content)
    sha256 = (await client.document(document_id))["sha256"]
    bytes_ = stack.blobs / "sha256" / sha256[:2] / sha256
    bytes_.rename(bytes_.with_suffix(".away"))
    await stack.up()
    letter = await the_letter(client, document_id)
    assert letter["reason"] == "source_missing"
    bytes_.with_suffix(".away").rename(bytes_)

    answers = await asyncio.gather(*(client.replay(letter["letter_id"]) for _ in range(2)))
    [accepted] = [one for one in answers if one.status_code == HTTPStatus.ACCEPTED]
    outcome = await client.settles(accepted)
    return document_id, sorted(one.status_code for one in answers), outcome


Healed = tuple[UUID, list[int], str]


async def test_a_replay_finishes_what_failed(client: Client, healed: Healed) -> None:
    document_id, _, outcome = healed
    ended = await client.ends(document_id)

    async def is_completed() -> bool:
        return bool((await client.document(document_id))["status"] == "completed")

    await eventually(is_completed)
    assert outcome == "done"
    assert (ended["run"], (await the_letter(client, document_id))["state"]) == (1, "resolved")


async def test_a_replay_asked_for_twice_has_one_effect(
    client: Client, records: Records, healed: Healed
) -> None:
    document_id, answers, _ = healed
    await eventually(records.is_quiet, within_s=20, every_s=0.25)

    told = Counter(await client.events(document_id))

    assert answers == [HTTPStatus.ACCEPTED, HTTPStatus.CONFLICT]
    assert (told["document.extracted"], told["document.stored"]) == (1, 1)
    assert told["review.opened"] == 1


async def test_a_replay_of_what_is_done_does_nothing(
    client: Client, stack: Stack, records: Records, healed: Healed
) -> None:
    document_id, _, _ = healed
    before = Counter(await client.events(document_id))
    resolved = await the_letter(client, document_id)
    path = f"/ops/v1/dead-letters/{resolved['letter_id']}/payload"
    order = await client.get("monitor", path)
    # As a consumer would leave behind that gave the job up before another finished it.
    await publish_letter(
        stack, EXTRACT.name, order["body"], {RUN: "1", DEAD_REASON: "attempts_exhausted"}
    )
    late = await the_letter(client, document_id, run=1)

    outcome = await client.settles(await client.replay(late["letter_id"]))

    assert outcome == "already_applied"
    await eventually(records.is_quiet, within_s=20, every_s=0.25)
    assert Counter(await client.events(document_id)) == before
    assert (await client.document(document_id))["status"] == "completed"


async def test_a_deletion_takes_its_letters_and_those_that_come_late(
    client: Client, stack: Stack, records: Records
) -> None:
    document_id = await client.hand_in(invoice(ENCRYPTED))
    letter = await the_letter(client, document_id)
    path = f"/ops/v1/dead-letters/{letter['letter_id']}"
    order = await client.get("monitor", f"{path}/payload")
    replay = await client.replay(letter["letter_id"])
    assert await client.settles(replay) == "refailed"
    await the_letter(client, document_id, run=1)

    answer = await client.delete("ingest", f"/v1/documents/{document_id}")
    assert answer.status_code == HTTPStatus.NO_CONTENT
    # What was promised to this client is gone because it wanted so.
    client.promised.discard(document_id)

    async def is_erased() -> bool:
        [tombstone] = await records.rows(
            "SELECT stage FROM ingest.documents WHERE document_id = $1", document_id
        )
        return bool(tombstone["stage"] == "done")

    await eventually(is_erased, within_s=20)
    assert await client.letters(document_id) == []
    for gone in (path, replay.headers["Location"]):
        assert (await client.ask("monitor", gone)).status_code == HTTPStatus.NOT_FOUND

    late = {RUN: "2", DEAD_REASON: "attempts_exhausted"}
    await publish_letter(stack, EXTRACT.name, order["body"], late)
    # In the same dead queue, and after it.
    after = await client.hand_in(invoice(ENCRYPTED))
    await the_letter(client, after)
    assert await client.letters(document_id) == []
    # None of them can be taken for one that was lost.
    runs = "SELECT run FROM monitor.letters_purged WHERE document_id = $1 ORDER BY run"
    assert [row["run"] for row in await records.rows(runs, document_id)] == [0, 1, 2]
