"""Metrics answer a question each, under names and labels that last."""

import re
from pathlib import Path

import pytest
from prometheus_client.metrics import MetricWrapperBase

from shared.observability import metrics

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
    metrics.start_at_zero(["extractor.extract"])

    text = metrics.render()[0].decode()
    assert 'documents_processed_total{status="failed"}' in text
    assert 'paperline_redelivered_total{queue="extractor.extract"}' in text
    assert (
        'paperline_deliveries_total{decision="done",queue="extractor.extract",reason="done"}'
        in text
    )


def test_the_exposition_names_its_own_content_type() -> None:
    body, content_type = metrics.render()

    assert content_type.startswith("text/plain")
    assert b"process_resident_memory_bytes" in body
    assert b"_created" not in body
