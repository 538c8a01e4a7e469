"""Whose turn it is: pure, so every case is a line."""

from uuid import uuid4

import pytest

from services.ingest.domain.turns import IN_TURN, Look, Turn, next_turn

OLDEST = uuid4()


@pytest.mark.parametrize(
    ("free", "urgent", "others", "turn"),
    [
        (0, 0, 0, Turn(oldest=False, in_turn=0)),
        (3, 0, 0, Turn(oldest=False, in_turn=3)),
        # Never more than until the oldest has its turn.
        (32, 0, 0, Turn(oldest=False, in_turn=7)),
        (32, 0, 5, Turn(oldest=False, in_turn=2)),
        (32, 0, 7, Turn(oldest=True, in_turn=7)),
        (1, 0, 7, Turn(oldest=True, in_turn=0)),
        # What others owe the oldest waits for a place.
        (0, 0, 7, Turn(oldest=False, in_turn=0)),
        (0, 3, 4, Turn(oldest=False, in_turn=0)),
        # What urgent ones owe it does not.
        (0, 7, 0, Turn(oldest=True, in_turn=0)),
        (-40, 7, 0, Turn(oldest=True, in_turn=0)),
        (-40, 23, 6, Turn(oldest=True, in_turn=0, urgent_owed=16)),
        (-1, 6, 0, Turn(oldest=False, in_turn=0)),
    ],
)
def test_a_round_releases(free: int, urgent: int, others: int, turn: Turn) -> None:
    assert next_turn(Look(free, OLDEST, urgent, others)) == turn


@pytest.mark.parametrize("free", range(-3, 12))
@pytest.mark.parametrize("urgent", range(10))
@pytest.mark.parametrize("others", range(10))
def test_a_round_never_exceeds_the_window_but_for_what_urgent_ones_owe(
    free: int, urgent: int, others: int
) -> None:
    turn = next_turn(Look(free, OLDEST, urgent, others))

    beyond = turn.oldest and urgent >= IN_TURN
    assert turn.in_turn + turn.oldest <= max(free, 0) + beyond
    assert 0 <= turn.in_turn <= IN_TURN
