"""An older major is brought to the newest one pure step at a time."""

from copy import deepcopy
from typing import Any

import pytest

from shared.contracts.registry import BODIES, newest_major
from shared.contracts.upcasts import STEPS, Step, upcast

Steps = dict[tuple[str, int], Step]

TYPE = "document.read"


def _rename(body: dict[str, Any]) -> dict[str, Any]:
    return {"pages": body["page_count"]}


def _wrap(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "language": "unknown"}


STEPS_OF_TEST: Steps = {(TYPE, 1): _rename, (TYPE, 2): _wrap}


@pytest.mark.parametrize(
    ("major", "newest", "body"),
    [
        pytest.param(
            1, 3, {"pages": 4, "language": "unknown"}, id="the oldest takes all steps"
        ),
        pytest.param(2, 3, {"page_count": 4, "language": "unknown"}, id="the next takes one"),
        pytest.param(3, 3, {"page_count": 4}, id="the newest takes none"),
        pytest.param(1, 2, {"pages": 4}, id="nothing goes further than the newest"),
    ],
)
def test_a_body_takes_the_steps_between_its_version_and_ours(
    major: int, newest: int, body: dict[str, Any]
) -> None:
    assert upcast(TYPE, major, newest, {"page_count": 4}, STEPS_OF_TEST) == body


def test_a_step_leaves_the_received_body_as_it_was() -> None:
    received = {"page_count": 4}
    before = deepcopy(received)

    upcast(TYPE, 1, 3, received, STEPS_OF_TEST)

    assert received == before


def test_a_version_that_never_was_has_no_step() -> None:
    with pytest.raises(KeyError):
        upcast(TYPE, 0, 3, {"page_count": 4}, STEPS_OF_TEST)


@pytest.mark.parametrize("type_", BODIES)
def test_every_published_major_has_its_way_to_the_newest(type_: str) -> None:
    needed = {(type_, major) for major in range(1, newest_major(BODIES[type_]))}

    assert needed <= set(STEPS)


def test_no_step_leads_where_nobody_is() -> None:
    assert not [
        (type_, major)
        for type_, major in STEPS
        if type_ not in BODIES or major >= newest_major(BODIES[type_])
    ]
