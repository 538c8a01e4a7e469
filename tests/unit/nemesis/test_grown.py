"""Who has grown beyond measure: three times what he was, or far more descriptors than few."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.nemesis.grown import Grown, Size, _size
from tests.system.stack import Stack

BEFORE = Size(100, 20)


@pytest.mark.parametrize(
    ("largest", "expected"),
    [
        (Size(300, 60), False),
        (Size(301, 20), True),
        (Size(100, 100), False),
        (Size(100, 101), True),
    ],
)
def test_three_times_as_large_is_bounded_and_more_is_not(largest: Size, expected: bool) -> None:
    assert largest.exceeds(BEFORE) is expected


def test_the_largest_that_was_seen_counts(tmp_path: Path) -> None:
    grown = Grown(Stack.below(tmp_path), before={"ingest": BEFORE, "review": BEFORE})
    grown.largest = {"ingest": Size(90, 19).larger(Size(400, 18)), "review": BEFORE}

    assert grown.beyond == {"ingest": (BEFORE, Size(400, 19))}


async def test_who_could_not_watch_has_not_seen_that_all_stayed_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = Grown(Stack.below(tmp_path))

    async def fails(_: Grown) -> None:
        raise ValueError("a line of /proc that nobody knows")

    monkeypatch.setattr(Grown, "_watch", fails)

    with pytest.raises(ValueError, match="that nobody knows"):
        async with grown.watched():
            await asyncio.sleep(0)


def test_a_process_has_a_size() -> None:
    mine = _size(os.getpid())

    assert mine.resident_bytes > 1_000_000
    assert mine.descriptors > 2
