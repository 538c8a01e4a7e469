"""Documents, review items, dead letters and operations against a small model of each."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.models import dead_letters, documents, operations, review_items
from tests.models.playing import ALL, DAILY, PARTS, play

MACHINES = {
    "an operation": (operations.Operations, operations.in_memory),
    "a dead letter": (dead_letters.DeadLetters, dead_letters.in_memory),
    "a review item": (review_items.ReviewItems, review_items.in_memory),
    "a document": (documents.Documents, documents.in_memory),
}


@pytest.fixture(params=MACHINES)
def played(request: pytest.FixtureRequest) -> Callable[[int], None]:
    machine, opened = MACHINES[request.param]
    # Each machine fits its own setting; no type says so of them all.
    some: Any = machine
    return lambda steps: play(some, opened, steps=steps)


def test_it_does_what_its_model_does(played: Callable[[int], None]) -> None:
    played(DAILY)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_it_still_does_after_thousands_of_steps(
    part: int, played: Callable[[int], None]
) -> None:
    played(ALL // PARTS)
