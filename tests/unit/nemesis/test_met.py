"""Whom no trouble ever met is said, run by run and over all of them."""

from tests.nemesis.met import MISSES_MAX, Meetings, Met, met_nobody, together


def meetings(**of: Met) -> Meetings:
    return Meetings({name.replace("__", " "): met for name, met in of.items()})


def test_a_pair_that_strikes_again_and_again_and_never_meets_anybody_is_none() -> None:
    often, once = Met(MISSES_MAX + 1, MISSES_MAX + 1), Met(1, 1)
    at_last = Met(MISSES_MAX + 1, MISSES_MAX)

    found = meetings(killed__review=often, killed__storage=once, killed__monitor=at_last)

    assert found.never == ["killed review"]


def test_a_kind_that_met_one_target_is_not_taken_to_have_met_the_others() -> None:
    told = [
        meetings(network_slow__store=Met(2, 2, 1), network_slow__amqp=Met(1, 0)).told(),
        meetings(network_slow__store=Met(1, 1), network_slow__amqp=Met(1, 1)).told(),
    ]

    found = met_nobody(together(told))

    assert "network_slow store: struck 3 times and met nobody, 1 too late" in found
    assert not [one for one in found if one.startswith("network_slow amqp")]


def test_a_pair_that_was_never_drawn_is_named_as_well() -> None:
    assert "sessions_ended: never drawn" in met_nobody(Meetings())
