"""The machines of `tests/unit/models`, on the tables that the fakes stand for."""

from typing import Any

import pytest

from tests.models import dead_letters, documents, on_postgres, operations, review_items
from tests.models.playing import ON_A_DATABASE, play

MACHINES = {
    "a document": (documents.Documents, on_postgres.ingest),
    "a review item": (review_items.ReviewItems, on_postgres.desk),
    "a dead letter": (dead_letters.DeadLetters, on_postgres.monitor),
    "an operation": (operations.Operations, on_postgres.monitor),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_on_a_database_it_does_what_its_model_does(name: str) -> None:
    # Each machine fits its own setting; no type says so of them all.
    machine: Any
    opened: Any
    machine, opened = MACHINES[name]

    play(machine, opened, steps=ON_A_DATABASE)
