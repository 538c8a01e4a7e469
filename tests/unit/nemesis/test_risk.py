"""Which answers may be paid for twice: those that somebody may have lost, and no others."""

import pytest

from tests.gemini_double.ledger import Call
from tests.nemesis.plan import Trouble
from tests.nemesis.risk import Risk, may_lose


def answered(at: float, sha256: str = "digest") -> Call:
    """Within a second."""
    return Call(at, "m", sha256, (), "ok", (), "", {}, status=200, seconds=1.0)


def trouble(pair: str) -> Trouble:
    kind, _, target = pair.partition(" ")
    return Trouble(0, kind, target, 1)


def lost(pair: str, *calls: Call, began: float = 100, ended: float = 110) -> list[float]:
    risk = Risk()
    risk.note(trouble(pair), began, ended)
    return [call.at for call, _ in risk.lost(calls)]


@pytest.mark.parametrize(
    "pair",
    [
        *("killed extractor", "frozen extractor-2", "database_killed", "sessions_ended"),
        *("network_silent postgres", "bytes_flipped provider", "store_fails store"),
    ],
)
def test_what_cuts_the_way_of_an_answer_may_lose_it(pair: str) -> None:
    assert may_lose(trouble(pair))


@pytest.mark.parametrize(
    "pair",
    [
        *("clock_ahead extractor", "stopped extractor", "killed storage", "broker_frozen"),
        *("network_slow provider", "store_is_slow store", "network_silent amqp"),
        *("provider_hangs", "messages_doubled"),
    ],
)
def test_what_leaves_an_answer_where_it_is_excuses_nobody(pair: str) -> None:
    assert not may_lose(trouble(pair))


def test_only_an_answer_that_was_in_hand_meanwhile_is_lost() -> None:
    calls = [answered(at) for at in (96, 98.5, 105, 110.5, 112)]

    assert lost("network_silent postgres", *calls) == [98.5, 105, 110.5]


def test_an_answer_that_is_held_up_is_in_hand_for_longer() -> None:
    risk = Risk()
    risk.note(trouble("network_slow postgres"), 90, 99.5)
    risk.note(trouble("killed extractor"), 100, 100)

    assert [call.at for call, _ in risk.lost([answered(92), answered(80)])] == [92]
