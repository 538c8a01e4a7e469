"""Every failpoint of the code has a deed that leads a process past it, and no other has one."""

from itertools import product

import pytest

from deploy.local.credentials import SERVICES
from tests.crashes.pairs import PAIRS
from tests.crashes.points import ROWS, cases, named_points, sampled

SENDING = tuple(sorted(one for one in named_points() if one.startswith("relay.")))
OPERATING = tuple(sorted(one for one in named_points() if "operation_" in one))


def test_every_failpoint_is_died_at() -> None:
    assert {one.point for one in ROWS} == named_points()


@pytest.mark.parametrize("service", SERVICES)
def test_who_sends_dies_at_any_two_of_its_steps(service: str) -> None:
    steps = SENDING + OPERATING if service == "monitor" else SENDING

    tried = {
        (one.row.point, one.then.point)
        for one in PAIRS
        if one.then is not None and one.row.service == one.then.service == service
    }

    assert tried == {*product(steps, steps)}


def test_a_case_is_named_once() -> None:
    names = [str(one) for one in cases()]

    assert len(names) == len({*names})


def test_a_sample_follows_from_its_seed() -> None:
    assert sampled(5, 1) == sampled(5, 1) != sampled(5, 2)
    assert sampled(None, 1) == list(cases())
