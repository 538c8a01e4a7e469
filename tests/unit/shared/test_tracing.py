"""Trace context in, trace context out; spans only when somebody collects them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Exported

from shared.observability.tracing import (
    carrier,
    configure_tracing,
    continuing,
    current_traceparent,
    shutdown_tracing,
    span,
)
from tests.fakes.certificates import authority_for, authority_in, certified_for
from tests.fakes.collector import Collector

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    configure_tracing("extractor", collector.address)
    yield collector
    shutdown_tracing()
    collector.close()


def test_a_collector_is_certified_by_whom_we_believe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever sets one of these has decided for every program of the machine.
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    server, _ = certified_for(tmp_path, "localhost")
    collector = Collector(server)
    try:
        configure_tracing("extractor", collector.address, authority_in(tmp_path))
        with span("process"):
            pass
        shutdown_tracing()
    finally:
        collector.close()

    assert [one.name for one in collector.spans] == ["process"]


def test_a_collector_of_a_stranger_is_told_nothing(tmp_path: Path) -> None:
    server, _ = certified_for(tmp_path, "localhost")
    (tmp_path / "other").mkdir()
    collector = Collector(server)
    try:
        configure_tracing("extractor", collector.address, authority_for(tmp_path / "other"))
        with span("process"):
            pass
        shutdown_tracing()
    finally:
        collector.close()

    assert collector.spans == []


def test_a_span_continues_the_trace_it_is_given() -> None:
    with span("process extractor.extract", kind="consumer", parent=PARENT) as one:
        assert one.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"
        assert one.span_id != "00f067aa0ba902b7"
        assert current_traceparent() == one.traceparent


def test_a_span_inside_a_span_belongs_to_the_same_trace() -> None:
    with span("outer") as outer, span("inner") as inner:
        assert inner.trace_id == outer.trace_id
        assert inner.span_id != outer.span_id


def test_without_a_span_there_is_nothing_to_send() -> None:
    assert current_traceparent() is None
    assert carrier() == {}


def test_the_vendors_trace_state_travels_along() -> None:
    with span("send", parent=PARENT, tracestate="vendor=1") as one:
        assert carrier() == {"traceparent": one.traceparent, "tracestate": "vendor=1"}


def test_a_senders_wish_not_to_be_sampled_is_passed_on() -> None:
    with span("process", parent=PARENT[:-2] + "00") as one:
        assert one.traceparent.endswith("-00")


@pytest.mark.parametrize(
    "unreadable",
    [
        "",
        "nonsense",
        "00-" + "0" * 32 + "-00f067aa0ba902b7-01",
        PARENT.upper(),
        "ff" + PARENT[2:],
        PARENT + "-more",
        PARENT + "\n",
    ],
)
def test_an_unreadable_parent_starts_a_new_trace(unreadable: str) -> None:
    with span("process", parent=unreadable) as one:
        assert len(one.trace_id) == 32
        assert one.trace_id != PARENT[3:35]


def test_a_newer_version_of_the_header_is_understood() -> None:
    with span("process", parent="01" + PARENT[2:] + "-more") as one:
        assert one.trace_id == PARENT[3:35]


def test_a_collector_sees_what_the_message_carries(collector: Collector) -> None:
    with span("process q", kind="consumer", parent=PARENT, attributes={"a": "b"}) as one:
        one.set("messaging.message.id", "m1")
    shutdown_tracing()

    [exported] = collector.spans
    assert exported.trace_id.hex() == one.trace_id == PARENT[3:35]
    assert exported.span_id.hex() == one.span_id
    assert exported.parent_span_id.hex() == "00f067aa0ba902b7"
    assert exported.kind == Exported.SPAN_KIND_CONSUMER
    assert {item.key for item in exported.attributes} == {"a", "messaging.message.id"}


def test_a_failure_is_named_and_not_quoted(collector: Collector) -> None:
    with pytest.raises(ValueError, match="secret"), span("process q"):
        raise ValueError("secret content of an invoice")
    shutdown_tracing()

    [exported] = collector.spans
    assert [item.value.string_value for item in exported.attributes] == ["ValueError"]
    assert b"secret" not in exported.SerializeToString()


def test_what_the_sender_does_not_sample_is_not_collected(collector: Collector) -> None:
    with span("process q", parent=PARENT[:-2] + "00"):
        pass
    shutdown_tracing()

    assert collector.spans == []


def test_what_one_sends_for_another_carries_the_trace_of_that_other() -> None:
    with span("upload") as theirs:
        carried = carrier()

    with span("commit for all") as mine:
        with continuing(carried):
            told = carrier()
        after = carrier()

    assert told == {"traceparent": theirs.traceparent}
    assert after == {"traceparent": mine.traceparent}


def test_for_one_who_carried_nothing_nothing_is_carried() -> None:
    with span("commit for all"), continuing({}):
        assert carrier() == {}
