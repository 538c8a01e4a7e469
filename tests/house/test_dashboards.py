"""An alert or a panel over a metric that does not exist is silent, which looks like health."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.grafana.__main__ import DASHBOARDS as TABLE
from deploy.grafana.__main__ import text_of
from deploy.grafana.panels import Dashboard
from tests.house.repository import ROOT, Source, files

_METRIC = re.compile(
    r"\b(paperline_\w+|documents_processed\w*|processing_duration\w*|extraction_confidence\w*)"
)
_SUFFIXES = re.compile(r"_(total|bucket|count|sum)$")

_CAUSE_CHECK_REMEDY = re.compile(
    r"\*\*Cause\.\*\*(.+)\*\*Check\.\*\*(.+)\*\*Remedy\.\*\*(.+)", re.DOTALL
)
# Less is no sentence.
WORDS_MIN = 5

ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
RECORDING = ROOT / "deploy" / "prometheus" / "recording.yml"
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


@cache
def _headings() -> list[str]:
    """Without what stands in brackets behind them."""
    found = re.findall(r"^### (.+)$", (ROOT / "deploy" / "RUNBOOK.md").read_text(), re.M)
    return [heading.partition(" (")[0] for heading in found]


@cache
def _sections() -> dict[str, str]:
    text = (ROOT / "deploy" / "RUNBOOK.md").read_text()
    found = re.findall(r"^### (.+)\n([\s\S]*?)(?=^##|\Z)", text, re.M)
    return {heading.partition(" (")[0]: body for heading, body in found}


def _rules(file: Path) -> list[dict[str, Any]]:
    groups = yaml.safe_load(file.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.mark.parametrize("file", [ALERTS, RECORDING], ids=lambda file: file.name)
def test_every_rule_asks_for_metrics_that_exist(file: Path) -> None:
    assert not [name for rule in _rules(file) for name in _unknown(rule["expr"])]


def test_every_alert_has_its_heading_in_the_runbook() -> None:
    for rule in _rules(ALERTS):
        assert _headings().count(rule["annotations"]["runbook"]) == 1, rule["alert"]


@pytest.mark.parametrize("alert", _rules(ALERTS), ids=lambda alert: alert["alert"])
def test_its_section_says_what_causes_it_where_to_look_and_what_to_do(
    alert: dict[str, Any],
) -> None:
    section = _sections()[alert["annotations"]["runbook"]].strip()

    parts = _CAUSE_CHECK_REMEDY.fullmatch(section)

    assert parts, "it has to have the three of them, in this order"
    assert all(len(part.split()) >= WORDS_MIN for part in parts.groups())


def test_every_alert_says_who_is_called_and_how_urgently() -> None:
    for rule in _rules(ALERTS):
        assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]
        assert rule["labels"]["owner"], rule["alert"]


@every_dashboard
def test_every_panel_asks_for_a_metric_that_exists(dashboard: Source) -> None:
    panels = json.loads(dashboard.text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]

    assert expressions
    assert not [name for one in expressions for name in _unknown(one)]


def test_the_files_are_written_from_the_table() -> None:
    written = {one.path.stem: one.text() for one in DASHBOARDS}

    assert written == {one.name: text_of(one) for one in TABLE}, "python -m deploy.grafana"


@pytest.mark.parametrize("dashboard", TABLE, ids=lambda one: one.name)
def test_every_panel_asks_a_question_and_names_a_section_of_the_runbook(
    dashboard: Dashboard,
) -> None:
    for panel in dashboard.panels:
        assert "?" in panel.question, panel.title
        assert panel.runbook in _headings(), panel.title
