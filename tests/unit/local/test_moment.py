"""For how long a backup holds everything back, and what it does not wait for."""

import pytest

from deploy.local.backup import of_left
from deploy.local.moment import Held, is_worth_waiting

IN_HAND = Held("storage.store", 3, 1)
DESERTED = Held("storage.store", 3, 0)
SOON, LATE = Held("delay.02", 1, 0), Held("delay.12", 1, 0)


@pytest.mark.parametrize("held", [IN_HAND, SOON], ids=["taken", "comes home soon"])
def test_what_comes_to_its_end_is_waited_for(held: Held) -> None:
    assert is_worth_waiting([DESERTED, held], 30)


def test_an_empty_broker_is_not_waited_for() -> None:
    assert not is_worth_waiting([], 30)


@pytest.mark.parametrize("held", [DESERTED, LATE], ids=["nobody takes it", "rests for long"])
def test_what_would_hold_everybody_up_is_not_waited_for(held: Held) -> None:
    assert not is_worth_waiting([held], 30)


def test_patience_has_an_end() -> None:
    assert not is_worth_waiting([IN_HAND], 0)


def test_what_was_left_in_the_broker_is_told_by_queue() -> None:
    [line] = of_left({"storage.store": 3, "delay.12": 1})

    assert "1 of delay.12, 3 of storage.store" in line


def test_an_empty_broker_is_told_as_well() -> None:
    assert of_left({}) == ["not in it      nothing: the broker was empty"]
