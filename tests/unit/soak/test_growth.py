"""What a soak calls growth, and what only the beginning of a life."""

import pytest

from tests.soak.growth import HOUR_S, Growth, Seen, growth_of, lives_of, most_of


def life(
    *,
    pid: int = 1,
    began_s: float = 0,
    minutes: float,
    mb_per_hour: float = 0,
    settles: float = 0,
) -> list[Seen]:
    """Looked at every five seconds; it settles in the first fifth of its life."""
    length_s = minutes * 60
    return [
        Seen(
            began_s + at_s,
            "storage",
            pid,
            100 + settles * min(1, at_s / (length_s / 5)) + mb_per_hour * at_s / HOUR_S,
            descriptors=30,
            threads=8,
        )
        for at_s in range(0, int(length_s) + 1, 5)
    ]


def growth(*lives: list[Seen]) -> Growth:
    return growth_of(lives_of("storage", [one for life in lives for one in life]))


def test_a_process_that_settles_and_stays_does_not_grow() -> None:
    found = growth(life(minutes=30, settles=40))

    assert found.mb_per_hour == pytest.approx(0, abs=1e-6)
    assert found.is_bounded


def test_a_leak_of_hours_is_seen() -> None:
    found = growth(life(minutes=120, mb_per_hour=20))

    assert found.mb_per_hour == pytest.approx(20)
    assert not found.is_bounded


def test_a_leak_of_short_lives_is_seen_once_it_is_large() -> None:
    lives = [
        life(pid=n, began_s=n * 300, minutes=5, mb_per_hour=120, settles=2) for n in range(4)
    ]

    found = growth(*lives)

    assert found.lives == 4
    assert found.mb_per_hour == pytest.approx(120)
    assert not found.is_bounded


def test_a_life_that_began_higher_is_no_growth() -> None:
    found = growth(life(pid=1, minutes=5), life(pid=2, began_s=300, minutes=5, settles=9))

    assert found.mb_per_hour == pytest.approx(0, abs=1e-6)
    assert (found.first_mb, found.last_mb) == (100, 109)


def test_of_a_moment_nothing_is_said() -> None:
    with pytest.raises(ValueError, match="long enough"):
        growth(life(minutes=1)[:1])
    with pytest.raises(ValueError, match="too little"):
        most_of([1])


def test_what_goes_up_and_down_is_bounded_and_what_only_goes_up_is_not() -> None:
    assert most_of([30, 36, 31, 33, 38, 30]).is_bounded
    assert not most_of([*range(30, 130)]).is_bounded
