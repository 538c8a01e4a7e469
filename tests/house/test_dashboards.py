"""An alert or a panel over a metric that does not exist is silent, which looks like health."""

import json
import re
from functools import cache

import pytest
import yaml

from tests.house.repository import ROOT, Source, files

_METRIC = re.compile(
    r"\b(paperline_\w+|documents_processed\w*|processing_duration\w*|extraction_confidence\w*)"
)
_SUFFIXES = re.compile(r"_(total|bucket|count|sum)$")

ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
DASHBOARDS = files("deploy/grafana", suffix=".json")

every_dashboard = pytest.mark.parametrize("dashboard", DASHBOARDS, ids=str)


@cache
def _declared() -> set[str]:
    text = (ROOT / "shared" / "observability" / "metrics.py").read_text()
    names = re.findall(
        r'\b(?:Counter|Gauge|Histogram|_counter|_gauge|_histogram)\(\s*"(\w+)"', text
    )
    return {_SUFFIXES.sub("", name) for name in names}


def _unknown(text: str) -> list[str]:
    named = {
        _SUFFIXES.sub("", name).removeprefix("paperline_") for name in _METRIC.findall(text)
    }
    return sorted(named - _declared())


def test_every_alert_asks_for_a_metric_that_exists() -> None:
    rules = yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]

    assert not [name for rule in rules for name in _unknown(rule["expr"])]


def test_every_alert_has_its_heading_in_the_runbook() -> None:
    headings = re.findall(r"^### (.+)$", (ROOT / "deploy" / "RUNBOOK.md").read_text(), re.M)
    rules = yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]

    for rule in rules:
        wanted = rule["annotations"]["runbook"]
        assert any(heading.startswith(wanted) for heading in headings), wanted


@every_dashboard
def test_every_panel_asks_for_a_metric_that_exists(dashboard: Source) -> None:
    panels = json.loads(dashboard.text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]

    assert expressions
    assert not [name for one in expressions for name in _unknown(one)]


@every_dashboard
def test_every_panel_says_what_it_is_for(dashboard: Source) -> None:
    assert all(panel["description"] for panel in json.loads(dashboard.text())["panels"])
