"""Every failpoint of the code has a deed that leads a process past it, and no other has one."""

from tests.crashes.points import ROWS, cases, named_points, sampled


def test_every_failpoint_is_died_at() -> None:
    assert {one.point for one in ROWS} == named_points()


def test_a_case_is_named_once() -> None:
    names = [str(one) for one in cases()]

    assert len(names) == len({*names})


def test_a_sample_follows_from_its_seed() -> None:
    assert sampled(5, 1) == sampled(5, 1) != sampled(5, 2)
    assert sampled(None, 1) == list(cases())
