"""What is about to run out is one number, and who does not answer is a gap."""

from services.monitor.domain.capacity import (
    BROKER_DISK,
    BROKER_MEMORY,
    DATABASE_CONNECTIONS,
    of_node,
    scarcest,
)
from services.monitor.handlers.capacity import measure_capacity
from shared.errors import Retryable
from shared.observability.metrics import REGISTRY
from tests.fakes.capacity import FakeServer


def shown(resource: str) -> float | None:
    return REGISTRY.get_sample_value("paperline_capacity_share", {"resource": resource})


def test_a_node_is_full_when_it_raises_its_alarm() -> None:
    assert of_node(400, 400, 100, 100) == {BROKER_MEMORY: 1.0, BROKER_DISK: 1.0}


def test_a_node_without_a_byte_free_is_full() -> None:
    assert of_node(0, 400, 0, 100)[BROKER_DISK] == 1.0


def test_of_several_nodes_the_one_counts_that_stops_first() -> None:
    found = scarcest([of_node(100, 400, 1_000, 100), of_node(300, 400, 200, 100)])

    assert found == {BROKER_MEMORY: 0.75, BROKER_DISK: 0.5}


async def test_every_server_is_asked_and_shown() -> None:
    await measure_capacity([FakeServer(**{DATABASE_CONNECTIONS: 0.5}), FakeServer(other=0.1)])

    assert (shown(DATABASE_CONNECTIONS), shown("other")) == (0.5, 0.1)


async def test_who_does_not_answer_leaves_a_gap_and_the_others_are_shown() -> None:
    database, broker = FakeServer(**{DATABASE_CONNECTIONS: 0.5}), FakeServer(other=0.1)
    await measure_capacity([database, broker])
    database.error = Retryable("no answer", dependency="postgres")

    await measure_capacity([database, broker])

    assert (shown(DATABASE_CONNECTIONS), shown("other")) == (None, 0.1)
