"""Timelines and logs over HTTP: who may see them, and what stands in them."""

from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from services.monitor.handlers.watching import watch_facts
from shared.contracts.facts import DocumentStartedV1
from tests import builders
from tests.fakes.clock import NOON
from tests.fakes.keys import key_of
from tests.unit.monitor.world import World, dead_letter, garbage

VERA = key_of("vera", "viewer")
OLGA = key_of("olga", "operator")
EDITH = key_of("edith", "editor")
SAM = key_of("sam", "submitter")


async def test_a_timeline_leads_to_its_letters(world: World, client: httpx.AsyncClient) -> None:
    document_id = uuid4()
    fact = DocumentStartedV1(
        document_id=document_id, owner_id="acme", accepted_at=NOON, attempt=1
    )
    traceparent = f"00-{'a' * 32}-{'b' * 16}-01"
    await watch_facts([replace(builders.job(fact), traceparent=traceparent)], world.ports)
    letter = await world.kept(dead_letter(document_id=document_id))

    shown = (await client.get(f"/ops/v1/documents/{document_id}/timeline", headers=VERA)).json()

    assert shown["trace_ids"] == ["a" * 32]
    [died] = [one for one in shown["entries"] if one["kind"] == "dead_letter"]
    assert died["links"] == {"letter": f"/ops/v1/dead-letters/{letter.letter_id}"}
    view = (await client.get(died["links"]["letter"], headers=VERA)).json()
    assert view["links"]["timeline"] == f"/ops/v1/documents/{document_id}/timeline"


@pytest.mark.parametrize("find", ["invoice", str(uuid4())])
async def test_what_nobody_knows_is_an_empty_page(client: httpx.AsyncClient, find: str) -> None:
    answer = await client.get("/ops/v1/documents", params={"find": find}, headers=VERA)

    assert answer.json() == {"documents": []}


async def test_a_timeline_of_nothing_is_not_found(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"/ops/v1/documents/{uuid4()}/timeline", headers=VERA)

    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("key", "timeline", "log"),
    [(VERA, 404, 403), (OLGA, 404, 403), (EDITH, 404, 200), (SAM, 403, 403)],
)
async def test_a_log_needs_a_right_of_its_own(
    world: World,
    client: httpx.AsyncClient,
    key: dict[str, str],
    timeline: int,
    log: int,
) -> None:
    letter = await world.kept(dead_letter())

    answers = [
        await client.get(f"/ops/v1/documents/{uuid4()}/timeline", headers=key),
        await client.get(f"/ops/v1/dead-letters/{letter.letter_id}/log", headers=key),
    ]

    assert [one.status_code for one in answers] == [timeline, log]


async def test_each_attempt_that_kept_a_log_is_shown_and_the_look_is_on_record(
    world: World, client: httpx.AsyncClient
) -> None:
    letter = await world.kept(dead_letter(dead_attempts="3"))
    for attempt, text in ((1, b"first\n"), (3, b"Traceback \xff\n")):
        key = f"logs/{letter.document_id}/{letter.job_id}.0.{attempt}.log"
        await world.blobs.put(key, text)

    answer = await client.get(f"/ops/v1/dead-letters/{letter.letter_id}/log", headers=EDITH)

    assert answer.json()["attempts"] == [
        {"attempt": 1, "text": "first\n"},
        {"attempt": 3, "text": "Traceback \ufffd\n"},
    ]
    [entry] = world.trail.entries
    assert (entry.actor, entry.action) == ("edith", "log_viewed")


async def test_a_letter_that_cannot_be_read_has_no_log(
    world: World, client: httpx.AsyncClient
) -> None:
    letter = await world.kept(garbage())

    answer = await client.get(f"/ops/v1/dead-letters/{letter.letter_id}/log", headers=EDITH)

    assert (answer.status_code, answer.json()["attempts"]) == (200, [])
