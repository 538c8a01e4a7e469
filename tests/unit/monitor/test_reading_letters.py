"""A letter may be anything at all, and is kept all the same."""

import re
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.monitor.domain.letters import read_letter
from shared.bus.headers import DEAD_HEADERS, REPLAY, RUN
from shared.bus.letters import Letter
from shared.contracts.identity import new_id
from shared.topology.ladder import rest
from tests.unit.monitor.world import QUEUE, dead_letter, garbage


def test_what_a_readable_letter_says_is_found_in_its_facts() -> None:
    job_id, document_id = new_id(), new_id()
    letter = dead_letter(job_id=job_id, document_id=document_id, run=2)

    facts = read_letter(letter, new_id()).facts

    assert (facts.job_id, facts.document_id, facts.run) == (job_id, document_id, 2)
    assert (facts.type, facts.owner_id) == ("document.extract", "acme")
    assert (facts.reason, facts.category, facts.attempts) == ("unreadable", "rejected", 1)
    assert facts.first_failed_at is not None
    assert facts.body_bytes == len(letter.body)


def test_what_cannot_be_read_is_kept_whole_under_its_digest() -> None:
    read = read_letter(garbage(), new_id())

    assert read.body == garbage().body
    assert read.facts.job_id is None
    assert read.facts.reason == "undecodable"
    assert read.natural_key == read_letter(garbage(), new_id()).natural_key
    assert read.natural_key != read_letter(garbage(b"other"), new_id()).natural_key


def test_a_letter_is_the_same_in_the_same_run_and_another_in_the_next() -> None:
    job_id = new_id()

    first, again, next_run = (
        read_letter(dead_letter(job_id=job_id, run=run), new_id()).natural_key
        for run in (0, 0, 1)
    )

    assert first == again
    assert first != next_run


def test_what_found_no_way_home_from_the_ladder_still_knows_its_queue() -> None:
    lost = replace(
        dead_letter(),
        dead_queue="unroutable",
        origin_queue=rest(3.75, QUEUE).routing_key,
        headers={},
    )

    facts = read_letter(lost, new_id()).facts

    assert facts.origin_queue == QUEUE
    assert facts.reason == "unroutable"


@pytest.mark.parametrize("told", ["", "a/b", "a&state=open", "?", "f" * 201])
def test_what_has_no_fingerprint_of_ours_is_of_one_kind_with_what_looks_the_same(
    told: str,
) -> None:
    plain = dead_letter(dead_fingerprint=told)
    others = {
        name: replace(plain, headers={**plain.headers, f"paperline-dead-{name}": "another"})
        for name in ("message", "reason", "exception")
    }
    found = read_letter(plain, new_id()).facts.fingerprint
    same = {
        name: read_letter(letter, new_id()).facts.fingerprint == found
        for name, letter in others.items()
    }

    # It stands in an address, and letters are asked for by it.
    assert re.fullmatch(r"[0-9a-f]{16}", found)
    assert same == {"message": True, "reason": False, "exception": False}


def test_a_nul_and_half_a_surrogate_become_something_a_table_can_hold() -> None:
    letter = dead_letter(dead_message="a\0b\ud800")

    message = read_letter(letter, new_id()).facts.message

    assert message == "a\ufffdb?"


@pytest.mark.parametrize(
    "moment",
    ["", "yesterday", "0001-01-01T00:00:00+14:00", "2026-03-14"],
    ids=["absent", "words", "before time began", "a date"],
)
def test_a_moment_that_is_none_does_not_stop_a_letter(moment: str) -> None:
    facts = read_letter(dead_letter(dead_first_at=moment), new_id()).facts

    assert facts.first_failed_at is None or facts.first_failed_at.tzinfo is not None


@given(
    body=st.binary(max_size=300),
    headers=st.dictionaries(
        st.sampled_from(sorted(DEAD_HEADERS | {RUN, REPLAY})), st.text(max_size=2000)
    ),
    queue=st.text(max_size=300),
    priority=st.integers(),
)
def test_nothing_in_a_letter_can_stop_its_reading(
    body: bytes, headers: dict[str, str], queue: str, priority: int
) -> None:
    letter = Letter(QUEUE + ".dead", queue, body, headers, "", "", priority)

    facts = read_letter(letter, UUID(int=1)).facts

    assert len(facts.origin_queue) <= 200
    assert 0 <= facts.priority <= 255
    assert 0 <= facts.run < 10**9
