"""What an operator is asked, by API and within the time that is promised for it.

The times are those of a person who looks and thinks; here they are bounds that nothing comes
near. Five hundred letters of one deploy are sent back in `tests/broker`.
"""

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from pathlib import Path
from secrets import token_hex
from typing import Any
from uuid import UUID

import pytest

from deploy.local.state import REPOSITORY
from shared.bus.headers import DEAD_REASON
from shared.topology.queues import EXTRACT
from tests.broker.vhosts import BrokerApi
from tests.eventually import eventually
from tests.gemini_double.script import Step
from tests.gemini_double.server import GeminiDouble
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.keys import issued_key
from tests.system.stack import VHOST, Stack
from tests.system.tap import publish_letter

CONFIG = REPOSITORY / "deploy" / "configs" / "extraction_module_schema.yaml"
QUEUE = f"/ops/v1/queues/{EXTRACT.name}"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began <= seconds


@asynccontextmanager
async def without_a_provider(stack: Stack, folder: Path) -> AsyncIterator[GeminiDouble]:
    """The extractor reads with a provider alone, which is away until it is told otherwise."""
    quick = folder / "extraction.yaml"
    text = CONFIG.read_text()
    for slow, fast in (
        ("failure_threshold: 5", "failure_threshold: 1"),
        ("recovery_timeout_seconds: 60", "recovery_timeout_seconds: 1"),
        ("backoff_base_seconds: 10", "backoff_base_seconds: 1"),
    ):
        assert slow in text
        text = text.replace(slow, fast)
    quick.write_text(text)
    double = await GeminiDouble().start()
    double.script.tell(Step("error_503"))
    settings = {
        "ENGINES": "offline,gemini",
        "GEMINI_API_KEY": "a key",
        "GEMINI_BASE_URL": double.url,
        "PAPERLINE_EXTRACTION_CONFIG": str(quick),
    }
    try:
        async with stack.armed("extractor", "", **settings):
            yield double
    finally:
        await double.close()


@pytest.mark.slow
async def test_a_provider_was_away_and_nothing_is_lost(
    client: Client, stack: Stack, tmp_path: Path
) -> None:
    async with without_a_provider(stack, tmp_path) as double:
        documents = [await client.hand_in(invoice()) for _ in range(3)]

        with within(180):
            # The cause, and the switch that keeps everybody from burning attempts on it.
            pause = await paused(client, "gemini_away")
            assert pause["detail"]
            await eventually(lambda: told_of_breaker(client), within_s=60, every_s=0.5)
            waiting = await client.get("monitor", timeline_of(documents[0]))
            assert "document.waiting" in {one["what"] for one in waiting["entries"]}
            # Nothing is lost: each is where it was accepted, and none has died.
            assert [await client.letters(one) for one in documents] == [[], [], []]
            sums = await client.get("monitor", "/ops/v1/conservation")
            assert sums["accepted"] == sums["in_flight"] + sums["ended"]

            double.script.forget()
            ended = [await client.ends(one, within_s=90) for one in documents]
            await eventually(lambda: is_taken_from(client), within_s=30, every_s=0.25)

        assert [one["status"] for one in ended] == ["completed"] * 3


async def paused(client: Client, reason: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []

    async def is_shown() -> bool:
        overview = await client.get("monitor", "/ops/v1/overview")
        found[:] = [one for one in overview["pauses"] if one["reason"] == reason]
        [check] = [one for one in overview["checks"] if one["name"] == "pauses"]
        return bool(found) and not check["is_well"]

    await eventually(is_shown, within_s=60, every_s=0.25)
    return found[0]


async def told_of_breaker(client: Client) -> bool:
    services = (await client.get("monitor", "/ops/v1/queues"))["services"]
    [extractor] = [one for one in services if one["service"] == "extractor"]
    breaker = extractor["conditions"].get("breaker.gemini", "")
    assert breaker.startswith(("open: ", "half-open: ")), extractor
    return True


async def is_taken_from(client: Client) -> bool:
    queue = await client.get("monitor", QUEUE)
    return not queue["pauses"]


def timeline_of(document_id: object) -> str:
    return f"/ops/v1/documents/{document_id}/timeline"


async def test_an_invoice_is_found_by_id_name_or_bytes_with_every_attempt(
    client: Client,
) -> None:
    name = f"lost-{token_hex(6)}.pdf"
    document_id = await client.hand_in(invoice(ENCRYPTED), filename=name)
    sha256 = (await client.ends(document_id))["sha256"]
    await has_letters(client, document_id, 1)
    [letter] = await client.letters(document_id)
    await client.settles(await client.replay(letter["letter_id"]))
    await has_letters(client, document_id, 2)

    with within(30):
        for asked in (document_id, name, sha256):
            found = await client.get("monitor", f"/ops/v1/documents?find={asked}")
            assert [one["document_id"] for one in found["documents"]] == [str(document_id)]
        [document] = found["documents"]
        timeline = await client.get("monitor", document["links"]["timeline"])

    died = [one for one in timeline["entries"] if one["kind"] == "dead_letter"]
    assert [(one["what"], one["detail"]["run"]) for one in died] == [
        ("encrypted", 0),
        ("encrypted", 1),
    ]
    assert timeline["trace_ids"]


async def has_letters(client: Client, document_id: UUID, count: int) -> None:
    async def are_kept() -> bool:
        return len(await client.letters(document_id)) == count

    await eventually(are_kept, within_s=20)


@asynccontextmanager
async def paused_by_hand(client: Client, stack: Stack) -> AsyncIterator[None]:
    """Nobody takes from the queue of extraction, and the broker says so too."""
    reason = {"reason": "An operator looks."}
    asked = await client.post("monitor", f"{QUEUE}/pause", json={**reason, "for_s": 600})
    assert asked.status_code == HTTPStatus.ACCEPTED, asked.text
    try:
        await eventually(lambda: stands_still(client, stack), within_s=30, every_s=0.25)
        yield
    finally:
        asked = await client.post("monitor", f"{QUEUE}/resume", json=reason)
        assert asked.status_code == HTTPStatus.ACCEPTED, asked.text
        await eventually(lambda: is_taken_from(client), within_s=30, every_s=0.1)


async def stands_still(client: Client, stack: Stack) -> bool:
    queue = await client.get("monitor", QUEUE)
    reasons = [one["reason"] for one in queue["pauses"]]
    # Asked at its command line: its API tells of consumers what was true seconds ago.
    return reasons == ["operator"] and not await stack.is_consumed(EXTRACT.name)


async def test_from_a_paused_queue_nothing_is_taken_until_it_is_resumed(
    client: Client, stack: Stack
) -> None:
    async with paused_by_hand(client, stack):
        documents = [await client.hand_in(invoice()) for _ in range(5)]
        # All of them stand in the queue, and whoever would take them has let go of it.
        await eventually(lambda: has_ready(client, len(documents)), within_s=20, every_s=0.1)
        assert not await stack.is_consumed(EXTRACT.name)
        told = [await client.events(one) for one in documents]
        assert not any("document.started" in one for one in told)
        shown = await client.get("monitor", QUEUE)
        assert (shown["health"], shown["pauses"][0]["detail"]) == (
            "paused",
            "local: An operator looks.",
        )

    ended = [await client.ends(one) for one in documents]
    assert [one["status"] for one in ended] == ["completed"] * len(documents)
    assert await client.letters(documents[0]) == []


async def has_ready(client: Client, count: int) -> bool:
    queue = await client.get("monitor", QUEUE)
    assert queue["ready"] == count, queue
    return True


async def test_one_bad_message_is_mended_and_it_is_known_by_whom(
    client: Client, stack: Stack
) -> None:
    edith = f"edith-{token_hex(3)}"
    key = await issued_key(stack, edith, "editor")
    document_id, right = await spoilt(client, stack)
    [letter] = await client.letters(document_id)

    with within(120):
        home = stack.address("monitor_api") + letter["links"]["letter"]
        login = {"Authorization": f"Bearer {key}"}
        seen = await client.http.get(home, headers=login)
        wish = {"patch": {"content_key": right}, "reason": "A digit was lost."}
        sent = await client.http.post(
            f"{home}/edit-and-replay",
            json=wish,
            headers={**login, "If-Match": seen.headers["ETag"]},
        )
        assert await client.settles(sent) == "done"

    ended = await client.ends(document_id)
    assert ended["status"] == "completed"
    now = await client.get("monitor", letter["links"]["letter"])
    assert (now["state"], now["superseded_by"]) == ("superseded", sent.json()["job_id"])
    resource = f"dead-letter/{letter['letter_id']}"
    audit = await client.get("monitor", f"/v1/audit?action=letter_edited&resource={resource}")
    [line] = audit["items"]
    assert (line["actor"], line["reason"]) == (edith, "A digit was lost.")
    assert line["before"] == {"content_key": f"{right}x"}
    assert line["after"]["content_key"] == right


async def spoilt(client: Client, stack: Stack) -> tuple[UUID, str]:
    """A document whose order lies among the dead letters with a place that there is not; and
    the place it should name."""
    api = BrokerApi(stack.broker_api_url)
    wanted = {"count": 100, "ackmode": "ack_requeue_false", "encoding": "auto"}
    async with paused_by_hand(client, stack):
        document_id = await client.hand_in(invoice())
        await eventually(lambda: has_ready(client, 1), within_s=20, every_s=0.1)
        [taken] = await api.call("POST", f"queues/{VHOST}/{EXTRACT.name}/get", wanted)
        order = json.loads(taken["payload"])
        assert order["body"]["document_id"] == str(document_id)
        right = str(order["body"]["content_key"])
        order["body"]["content_key"] = f"{right}x"
        died = {DEAD_REASON: "source_missing"}
        await publish_letter(stack, EXTRACT.name, json.dumps(order), died)
        await has_letters(client, document_id, 1)
    return document_id, right


async def test_that_nothing_was_lost_is_shown_and_can_be_taken_away(client: Client) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)

    with within(60):
        report = await client.get("monitor", "/ops/v1/conservation")
        table = await client.ask("monitor", "/ops/v1/conservation?format=csv")
        proof = await client.get("monitor", "/v1/audit/verify")
        copy = await client.ask("monitor", "/v1/audit/export")

    assert report["audit"] == "intact"
    assert report["accepted"] == report["in_flight"] + report["ended"]
    promises = {one["invariant"] for one in report["violations"]}
    assert {"forgotten", "lost", "replayed_twice", "urgent_stood_behind", "starved"} <= promises
    offenders = [one for found in report["violations"] for one in found["offenders"]]
    assert str(document_id) not in {one["subject"] for one in offenders}
    assert table.headers["content-type"].startswith("text/csv")
    assert all(f"promises,{name}," in table.text for name in promises)
    assert proof["intact"]
    # The copy proves itself, and ends with the head.
    assert json.loads(copy.text.splitlines()[-1])["head"]["seq"] >= proof["head"]["seq"]
