"""Every failpoint of the code has a deed that leads a process past it, and no other has one;
and what nobody dies of there says why."""

import ast
from itertools import product

import pytest

from deploy.local.credentials import SERVICES
from shared.failpoints import NAMES
from tests.crashes.case import Row
from tests.crashes.left_out import ALL, EVERYTHING, NEVER_THERE, reasons
from tests.crashes.pairs import PAIRS
from tests.crashes.points import ROWS, cases, sampled
from tests.house.repository import Source, called, calls, modules

SENDING = tuple(sorted(one for one in NAMES if one.startswith("relay.")))
OPERATING = tuple(sorted(one for one in NAMES if "operation_" in one))
SHARED = [one for one in NAMES if one.partition(".")[0] in ("consumer", "unit", "relay")]


def test_the_code_says_every_name_that_a_failpoint_may_have_and_no_other() -> None:
    met = {_name(one) for source in modules("shared", "services") for one in _met(source)}

    assert met == NAMES
    assert not [one for source in modules("deploy") for one in _met(source)]


def _met(source: Source) -> list[ast.Call]:
    return [one for one in calls(source) if called(one).rpartition(".")[2] == "failpoint"]


def _name(call: ast.Call) -> str:
    """As it is written there: one that is put together could not be found by its name."""
    match call.args:
        case [ast.Constant(str(name))]:
            return name
    return ast.unparse(call)


def test_every_failpoint_is_died_at() -> None:
    assert {one.point for one in ROWS} == NAMES


def test_what_all_services_have_is_met_in_each_or_says_why_not() -> None:
    met = {(one.point, one.service) for one in ROWS if one.point in SHARED}

    assert not met & NEVER_THERE.keys()
    assert met | NEVER_THERE.keys() == {*product(SHARED, SERVICES)}


def test_what_is_not_suffered_at_an_instant_is_left_out_for_a_reason() -> None:
    suffered = [(one.row, one.action, one.situation) for one in cases() if one.then is None]
    left_out = [(row, *what) for row in ROWS for what in row.left_out]

    assert all(why for row in ROWS for why in row.left_out.values())
    for row in ROWS:
        mine = [what for one, *what in [*suffered, *left_out] if one is row]
        assert sorted(mine) == sorted(map(list, product(EVERYTHING, ALL))), row


@pytest.mark.parametrize("row", [one for one in ROWS if one.but], ids=lambda one: one.point)
def test_no_reason_is_given_for_what_another_leaves_out_already(row: Row) -> None:
    without = [
        reasons([other for other in row.but if other is not one]).keys() for one in row.but
    ]

    assert all(kept != reasons(row.but).keys() for kept in without)


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
