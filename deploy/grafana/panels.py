"""What a dashboard is made of, and how it becomes the file that Grafana reads.

A panel answers one question and says where the runbook goes on. Grafana's own format repeats
the same forty lines for each; nobody would see in it that a query is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

COLUMNS, HEIGHT, WIDTH = 3, 8, 8
SOURCE = {"type": "prometheus", "uid": "prometheus"}


@dataclass(frozen=True, slots=True)
class Query:
    expr: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    question: str
    # A heading of deploy/RUNBOOK.md.
    runbook: str
    queries: Sequence[Query]
    unit: str = "short"


@dataclass(frozen=True, slots=True)
class Dashboard:
    name: str
    title: str
    panels: Sequence[Panel]


def rate(metric: str, *by: str, per: str = "") -> str:
    """`metric` with its matchers; `per` what the second is multiplied to."""
    grouped = f"sum by ({', '.join(by)})" if by else "sum"
    return f"{grouped} (rate({metric}[$__rate_interval])){per}"


def quantile(share: float, metric: str, *by: str) -> str:
    name, _, matchers = metric.partition("{")
    bucket = f"{name}_bucket" + (f"{{{matchers}" if matchers else "")
    return f"histogram_quantile({share}, {rate(bucket, 'le', *by)})"


def or_none(expr: str) -> str:
    """For what has no series before it happened for the first time: none is zero there."""
    return f"{expr} or vector(0)"


def exported(dashboard: Dashboard) -> dict[str, Any]:
    return {
        "uid": f"paperline-{dashboard.name}",
        "title": f"Paperline: {dashboard.title}",
        "tags": ["paperline"],
        "timezone": "",
        "schemaVersion": 39,
        "version": 1,
        "editable": False,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "panels": [_panel(place, one) for place, one in enumerate(dashboard.panels)],
    }


def _panel(place: int, panel: Panel) -> dict[str, Any]:
    row, column = divmod(place, COLUMNS)
    return {
        "id": place + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": f"{panel.question}\n\nRunbook: {panel.runbook}",
        "datasource": SOURCE,
        "gridPos": {"x": column * WIDTH, "y": row * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {
            "legend": {
                "showLegend": True,
                "displayMode": "list",
                "placement": "bottom",
                "calcs": [],
            },
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": [
            {
                "refId": chr(ord("A") + number),
                "datasource": SOURCE,
                "expr": query.expr,
                "legendFormat": query.legend,
                # A dot on a latency leads to the trace of one that was so slow.
                "exemplar": "_bucket" in query.expr,
            }
            for number, query in enumerate(panel.queries)
        ],
    }
