"""The book of what was survived: whoever failed is in it as well, and says so."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.nemesis.entry import Entry, entered
from tests.nemesis.results import FILE, ORDEAL, Line, page, read, sums
from tests.nemesis.verdict import Verdict


@dataclass(slots=True)
class Somebody:
    name: str = "somebody"
    promised: set[UUID] = field(default_factory=lambda: {uuid4(), uuid4()})
    read_anew: set[UUID] = field(default_factory=set)
    cancelled: set[UUID] = field(default_factory=set)


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAPERLINE_TEST_STATE", str(tmp_path))
    return tmp_path / FILE


def verdict(**lost: str) -> Verdict:
    missing: Mapping[UUID, str] = {uuid4(): why for why in lost.values()}
    return Verdict(2, missing, {}, recovered=0, longest_gap=timedelta(seconds=3))


async def one_is_queued() -> Verdict:
    return verdict(one="it is queued")


async def the_books_are_away() -> Verdict:
    raise ConnectionRefusedError(111, "refused")


async def test_what_fails_in_the_middle_has_its_line_and_has_lost_what_did_not_end(
    book: Path,
) -> None:
    with pytest.raises(AssertionError):
        async with entered(Entry(ORDEAL, "7", faults=4), Somebody(), one_is_queued):
            raise AssertionError("not within 300 s")

    [line] = read([book])
    assert (line.name, line.faults, line.lost) == ("7", 4, 1)
    assert line.failure == "AssertionError: not within 300 s"


async def test_without_books_all_that_was_promised_is_lost(book: Path) -> None:
    with pytest.raises(ValueError, match="first"):
        async with entered(Entry(ORDEAL, "7"), Somebody(), the_books_are_away):
            raise ValueError("first")

    [line] = read([book])
    assert (line.documents, line.lost) == (2, 2)


async def test_what_went_well_says_nothing_of_failing(book: Path) -> None:
    entry = Entry(ORDEAL, "7", verdict=verdict())

    async with entered(entry, Somebody(), the_books_are_away):
        pass

    assert [(one.lost, one.failure) for one in read([book])] == [(0, "")]


def line_of(name: str, **more: object) -> Line:
    zero = dict.fromkeys(("faults", "documents", "lost", "doubled", "recovered"), 0)
    times = {"longest_gap_s": 0.0, "took_s": 1.0, "at": 1_772_323_200.0}
    told = {"kind": ORDEAL, "name": name, "commit": "abc-dirty", **zero, **times, **more}
    return Line(**json.loads(json.dumps(told)))


def test_the_page_names_day_and_commit_and_what_failed_or_was_left_out() -> None:
    failed = line_of("2", failure="AssertionError: late", left_out="libfaketime")

    told = page([line_of("1", rest_s=12.3, throughput=0.97), failed])

    assert "| 1 | 2026-03-01 |" in told
    assert "| 12.3 s | 97% |" in told
    assert "FAILED: AssertionError: late; without libfaketime" in told
    assert told.endswith("Of abc-dirty, on 2026-03-01.")


def test_the_page_names_what_met_nobody_in_all_seeds_together() -> None:
    once = {"killed storage": {"struck": 1, "missed": 0, "late": 0}}
    never = {"network_slow amqp": {"struck": 2, "missed": 2, "late": 1}}

    told = page([line_of("1", met=once), line_of("2", met=never)])

    assert "- network_slow amqp: struck 2 times and met nobody, 1 too late" in told
    assert "- killed storage:" not in told


def test_a_line_that_was_written_before_there_were_pairs_names_none() -> None:
    assert "What met nobody" not in page([line_of("1")])


def test_the_sums_count_the_runs_that_failed() -> None:
    [row] = sums([line_of("1"), line_of("2", failure="late")])

    assert row[:3] == (ORDEAL, "2", "1")
