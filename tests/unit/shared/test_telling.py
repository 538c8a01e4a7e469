"""What is told of a delivery: how long it took from its order, and what a collector wants."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Exported

from shared.bus.headers import RUN, SINCE
from shared.bus.publisher import Outcome
from shared.bus.telling import attributes_of, observe_way
from shared.ledger.rows import OutboxRow, row_for
from shared.ledger.telling import told_of
from shared.observability import conventions as names
from shared.observability.metrics import REGISTRY
from shared.observability.tracing import configure_tracing, shutdown_tracing, span
from shared.topology.queues import EXTRACT, STORE, SUBMIT, WATCH, WorkQueue
from tests.builders import extract_document
from tests.fakes.clock import NOON
from tests.fakes.collector import Collector
from tests.fakes.deliveries import delivery, envelope

LATER = NOON + timedelta(seconds=3)


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    configure_tracing("storage", collector.address)
    yield collector
    shutdown_tracing()
    collector.close()


def ways(queue: WorkQueue) -> tuple[float, float]:
    labels = {"queue": queue.name}
    name = "paperline_critical_seconds"
    count = REGISTRY.get_sample_value(f"{name}_count", labels) or 0
    return count, REGISTRY.get_sample_value(f"{name}_sum", labels) or 0


def test_the_way_from_the_order_to_its_end_is_measured() -> None:
    count, total = ways(EXTRACT)

    observe_way(delivery(EXTRACT, envelope()), LATER)

    assert ways(EXTRACT) == (count + 1, total + 3)


@pytest.mark.parametrize("header", [SINCE, RUN])
def test_what_waited_or_is_sent_once_more_says_nothing_of_the_way(header: str) -> None:
    before = ways(STORE)

    observe_way(delivery(STORE, envelope(), headers={header: "1"}), LATER)
    observe_way(delivery(STORE, envelope(attempt=2)), LATER)

    assert ways(STORE) == before


@pytest.mark.parametrize("queue", [SUBMIT, WATCH])
def test_neither_does_a_fact_or_what_comes_from_outside(queue: WorkQueue) -> None:
    before = ways(queue)

    observe_way(delivery(queue, envelope()), LATER)

    assert ways(queue) == before


def test_a_collector_is_told_which_message_and_which_document(collector: Collector) -> None:
    order = extract_document()
    taken = delivery(EXTRACT, envelope(order))

    told = attributes_of(taken)

    assert told is not None
    assert told[names.OPERATION_NAME] == "process"
    assert told[names.DESTINATION] == "extractor.extract"
    assert told[names.MESSAGE_ID] == str(taken.job_id)
    assert told[names.CONVERSATION_ID] == str(order.document_id)


def test_without_a_collector_nothing_is_put_together_for_it() -> None:
    assert attributes_of(delivery(EXTRACT, envelope())) is None


def test_the_relay_tells_of_each_message_in_the_trace_of_its_document(
    collector: Collector,
) -> None:
    with span("commit") as owed:
        rows = [_row(), _row()]

    with told_of(rows) as told:
        told([Outcome.CONFIRMED, Outcome.RETURNED])
    shutdown_tracing()

    sent = [one for one in collector.spans if one.name.startswith("publish ")]
    assert [one.name for one in sent] == ["publish jobs:extractor.extract"] * 2
    assert {one.trace_id.hex() for one in sent} == {owed.trace_id}
    assert {one.parent_span_id.hex() for one in sent} == {owed.span_id}
    errors = [attribute.value.string_value for attribute in _errors(sent)]
    assert errors == ["returned"]


def _row() -> OutboxRow:
    return row_for(extract_document(), cause=None, job_id=None, created_at=NOON)


def _errors(spans: list[Exported]) -> list[KeyValue]:
    return [one for sent in spans for one in sent.attributes if one.key == names.ERROR_TYPE]
