"""A bad deploy must not bury the day: when deaths become the rule, the queue stops."""

from collections.abc import Iterable

import pytest

from shared.bus.decision import DeadLetter, Decision, Done, Wait
from shared.bus.pausing import Protection

DONE = Done()
BUG = DeadLetter("bug", "bug")
EXHAUSTED = DeadLetter("attempts_exhausted", "exhausted")
REJECTED = DeadLetter("encrypted", "rejected")


def after(decisions: Iterable[Decision]) -> Protection:
    protection = Protection()
    for decision in decisions:
        protection.note(decision)
    return protection


@pytest.mark.parametrize(
    ("decisions", "trips"),
    [
        pytest.param([], False, id="nothing has happened yet"),
        pytest.param([BUG] * 9, False, id="nine deliveries are too few to judge"),
        pytest.param([BUG] * 10, True, id="ten deaths in a row are enough"),
        pytest.param([BUG] * 2 + [DONE] * 8, False, id="a fifth of ten may die"),
        pytest.param([BUG] * 3 + [DONE] * 7, True, id="more than a fifth of ten may not"),
        pytest.param([BUG] * 10 + [DONE] * 40, False, id="a fifth of fifty may die"),
        pytest.param([BUG] * 11 + [DONE] * 39, True, id="more than a fifth of fifty may not"),
        pytest.param([EXHAUSTED] * 10, True, id="exhausted attempts count as deaths"),
        pytest.param([REJECTED] * 50, False, id="bad documents are no fault of ours"),
        pytest.param(
            [DeadLetter("poison", "poison")] * 50, False, id="poison is its own alarm"
        ),
        pytest.param([DeadLetter("expired", "expired")] * 50, False, id="waiting is no death"),
        pytest.param([Wait(10, 2, 0, "503")] * 50, False, id="retries are no deaths"),
        pytest.param([BUG] * 50 + [DONE] * 50, False, id="only the last fifty count"),
        pytest.param(
            [DONE] * 1000 + [BUG] * 11, True, id="a good morning does not excuse the afternoon"
        ),
    ],
)
def test_a_queue_trips_when_too_many_of_its_last_deliveries_died(
    decisions: list[Decision], trips: bool
) -> None:
    assert after(decisions).tripped is trips


def test_a_queue_that_never_succeeded_trips_too() -> None:
    assert after([BUG] * 10).tripped


def test_the_detail_says_how_bad_it_is() -> None:
    protection = after([BUG] * 12 + [DONE] * 60)

    assert protection.detail == "0 of the last 50 deliveries died"
    assert after([BUG] * 4 + [DONE] * 8).detail == "4 of the last 12 deliveries died"


def test_after_a_reset_it_judges_anew() -> None:
    protection = after([BUG] * 50)

    protection.reset()

    assert not protection.tripped
    for _ in range(9):
        protection.note(BUG)
    assert not protection.tripped
