"""Metrics answer a question each, under names and labels that last."""

import re
from pathlib import Path

import pytest
from prometheus_client.metrics import MetricWrapperBase

from shared.observability import metrics
from shared.observability.exposition import (
    OPENMETRICS,
    observe,
    render,
    start_at_zero,
    start_queues_at_zero,
)
from shared.observability.tracing import span

ALL = {name: one for name, one in vars(metrics).items() if isinstance(one, MetricWrapperBase)}
SOURCE = Path(metrics.__file__).read_text()
UNPREFIXED = {
    "documents_processed",
    "processing_duration_seconds",
    "extraction_confidence",
}


@pytest.mark.parametrize("name", ALL)
def test_a_metric_is_preceded_by_its_question(name: str) -> None:
    before = SOURCE.partition(f"\n{name} = ")[0].rpartition("\n")[2]

    assert before.startswith("# ")


@pytest.mark.parametrize("name", ALL)
def test_a_metric_is_ours_by_its_name(name: str) -> None:
    exposed = ALL[name]._name

    assert exposed.startswith("paperline_") or exposed in UNPREFIXED


@pytest.mark.parametrize("name", ALL)
def test_no_label_is_an_identity(name: str) -> None:
    assert not [label for label in ALL[name]._labelnames if re.search("id$|key|owner", label)]


def test_what_a_dashboard_rates_exists_before_it_happens() -> None:
    start_at_zero()
    start_queues_at_zero(["extractor.extract"])

    text = render()[0].decode()
    assert 'documents_processed_total{status="failed"}' in text
    assert 'paperline_redelivered_total{queue="extractor.extract"}' in text
    assert (
        'paperline_deliveries_total{decision="done",queue="extractor.extract",reason="done"}'
        in text
    )
    assert 'paperline_dead_letters_total{queue="extractor.extract",reason="bug"}' in text


def test_the_exposition_names_its_own_content_type() -> None:
    body, content_type = render()

    assert content_type.startswith("text/plain")
    assert b"process_resident_memory_bytes" in body
    assert b"_created" not in body


def test_a_slow_observation_leads_to_its_trace() -> None:
    with span("process", parent=f"00-{'ab' * 16}-{'cd' * 8}-01"):
        observe(metrics.HTTP_SECONDS.labels("/exemplary"), 2.0)

    body, content_type = render(f"{OPENMETRICS};version=1.0.0,text/plain;q=0.5")

    assert content_type.startswith(OPENMETRICS)
    [line] = [
        one for one in body.decode().splitlines() if '{le="2.5",route="/exemplary"}' in one
    ]
    assert f'# {{trace_id="{"ab" * 16}"}} 2.0' in line
    assert body.endswith(b"# EOF\n")


def test_who_does_not_ask_for_openmetrics_gets_text_without_exemplars() -> None:
    with span("process"):
        observe(metrics.HTTP_SECONDS.labels("/plain"), 2.0)

    body, content_type = render("text/html,*/*;q=0.1")

    assert content_type.startswith("text/plain")
    assert b"trace_id" not in body
