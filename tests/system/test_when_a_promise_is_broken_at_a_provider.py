"""A provider that was asked or paid more often than was due, and what excuses it."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.verify.history import History
from tests.gemini_double.server import GeminiDouble
from tests.system.client import Client
from tests.system.kept import World, kept_world
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.verdict import broken_by, sources

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
async def world(client: Client, stack: Stack, records: Records) -> World:
    return await kept_world(client, stack, records)


async def test_a_content_that_was_paid_for_twice_is_named(stack: Stack, world: World) -> None:
    now = time.time()
    async with GeminiDouble() as double:
        double.ledger.moments[world.sha256] = [(now - 60, True, now - 59), (now, True, now)]
        given = replace(sources(stack), provider_url=double.url)

        found = await world.judged(given)

    assert found == {"I7 spend": {world.sha256}, "I7 both_ledgers": {world.sha256}}


@pytest.mark.parametrize(
    ("ago_s", "is_excused"), [(58, True), (30, False), (90, False), (-30, False)]
)
async def test_a_death_excuses_only_whose_answer_was_in_hand(
    ago_s: float, is_excused: bool, stack: Stack, world: World, tmp_path: Path
) -> None:
    now = time.time()
    written = tmp_path / "history"
    death = {"kind": "killed", "service": "extractor", "point": None, "at": now - ago_s}
    written.write_text(json.dumps(death) + "\n")
    async with GeminiDouble() as double:
        double.ledger.moments[world.sha256] = [(now - 60, True, now - 59), (now, True, now)]
        given = replace(sources(stack), provider_url=double.url, history=History(written))

        found = await world.judged(given)

    assert ("I7 spend" not in found) == is_excused


CANCELLED = "UPDATE ingest.documents SET status = 'cancelled' WHERE document_id = '<copy>';"
READ_BY_ITSELF = """UPDATE ingest.document_events SET body = body || '{"cache_hit": false}'
                     WHERE document_id = '<copy>' AND type = 'document.extracted';"""
NEVER_BEGUN = """DELETE FROM ingest.document_events
                  WHERE document_id = '<copy>' AND type LIKE 'document.%ted'
                    AND type <> 'document.accepted';"""


@pytest.mark.parametrize(
    ("what", "answers", "is_due"),
    [
        (CANCELLED + READ_BY_ITSELF, 2, True),
        (CANCELLED + READ_BY_ITSELF, 3, False),
        (CANCELLED + NEVER_BEGUN, 2, False),
        (CANCELLED, 2, False),
        (READ_BY_ITSELF, 2, False),
    ],
    ids=["its answer", "one more", "before it was begun", "as a copy", "not cancelled"],
)
async def test_a_cancel_excuses_only_the_answer_that_it_took_away(
    what: str, answers: int, is_due: bool, stack: Stack, world: World
) -> None:
    now = time.time()
    async with GeminiDouble() as double, broken_by(stack, world.named(what)) as given:
        double.ledger.moments[world.sha256] = [(now, True, now)] * answers

        found = await world.judged(replace(given, provider_url=double.url))

    assert ("I7 spend" not in found) == is_due


async def test_a_reading_for_which_nobody_was_asked_is_named(
    stack: Stack, world: World
) -> None:
    told = f"""UPDATE ingest.document_events
                  SET body = body || '{{"engine": "gemini"}}',
                      at = now() + interval '1 minute'
                WHERE document_id = '{world.read}' AND type = 'document.extracted'"""
    async with GeminiDouble() as double, broken_by(stack, told) as given:
        found = await world.judged(replace(given, provider_url=double.url))

    assert found == {"I7 both_ledgers": {world.sha256}}


async def test_a_content_that_was_asked_about_more_often_than_tried_is_named(
    stack: Stack, world: World
) -> None:
    async with GeminiDouble() as double:
        double.ledger.moments[world.sha256] = [(time.time(), False, time.time())] * 9
        given = replace(sources(stack), provider_url=double.url)

        found = await world.judged(given)

    assert found == {"I7 attempts": {world.sha256}}
