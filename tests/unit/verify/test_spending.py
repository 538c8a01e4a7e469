"""Whose death excuses that an answer was paid for once more: who had this very one in hand."""

import pytest

from deploy.verify.history import Death
from deploy.verify.provider import Asked, Call

TWICE = Asked((Call(100, True, 102), Call(160, True, 161)))


@pytest.mark.parametrize(
    ("at", "expected"),
    [(101, 1), (104, 1), (98, 0), (130, 0), (160, 0)],
    ids=["while asked", "before it was kept", "before", "long since kept", "with the last"],
)
def test_only_who_had_the_answer_in_hand_loses_it(at: float, expected: int) -> None:
    assert TWICE.lost([Death(at, at)]) == expected


def test_a_death_of_which_only_the_time_around_is_known_is_one() -> None:
    assert TWICE.lost([Death(90, 140)]) == 1


def test_one_death_loses_no_more_answers_than_were_in_hand() -> None:
    thrice = Asked((*TWICE.calls, Call(200, True, 201)))

    assert thrice.lost([Death(101, 101)]) == 1
