"""What Grafana would not show it does not tell either: a file that it cannot place, a panel
over another, a source that it does not have. Its published schema (12.1), as far as we use it.
"""

from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

from tests.house.repository import ROOT, Source, files

COLUMNS = 24
PROVISIONING = ROOT / "deploy" / "grafana" / "provisioning"
# Of those that it knows, which are hundreds.
Unit = Literal["short", "s", "bytes", "percentunit", "currencyUSD"]

every_dashboard = pytest.mark.parametrize(
    "file", files("deploy/grafana", suffix=".json"), ids=str
)


class Part(BaseModel):
    """Strict: a number in quotes is none, and what is misspelt would be left out in silence."""

    model_config = ConfigDict(strict=True, extra="forbid")


class DataSource(Part):
    type: Literal["prometheus"]
    uid: str


class Position(Part):
    x: int = Field(ge=0)
    y: int = Field(ge=0)
    w: int = Field(gt=0, le=COLUMNS)
    h: int = Field(gt=0)

    def cells(self) -> set[tuple[int, int]]:
        return {
            (x, y)
            for x in range(self.x, self.x + self.w)
            for y in range(self.y, self.y + self.h)
        }


class Defaults(Part):
    unit: Unit
    min: float


class FieldConfig(Part):
    defaults: Defaults
    overrides: list[dict[str, Any]]


class Legend(Part):
    showLegend: bool
    displayMode: Literal["list", "table", "hidden"]
    placement: Literal["bottom", "right"]
    calcs: list[str]


class Tooltip(Part):
    mode: Literal["single", "multi", "none"]
    sort: Literal["asc", "desc", "none"]


class Options(Part):
    legend: Legend
    tooltip: Tooltip


class Target(Part):
    refId: str = Field(pattern="^[A-Z]$")
    datasource: DataSource
    expr: str = Field(min_length=1)
    legendFormat: str = Field(min_length=1)
    exemplar: bool


class Panel(Part):
    id: int = Field(gt=0)
    type: Literal["timeseries"]
    title: str = Field(min_length=1)
    description: str = Field(min_length=1)
    datasource: DataSource
    gridPos: Position
    fieldConfig: FieldConfig
    options: Options
    targets: list[Target] = Field(min_length=1)


class Time(Part):
    model_config = ConfigDict(strict=True, extra="forbid", populate_by_name=True)

    since: str = Field(alias="from", pattern="^now-")
    to: Literal["now"]


class Dashboard(Part):
    uid: str = Field(pattern="^[a-z-]{1,40}$")
    title: str = Field(min_length=1)
    tags: list[str]
    timezone: Literal["", "utc", "browser"]
    schemaVersion: int = Field(ge=36, le=41)
    version: int
    editable: bool
    refresh: str = Field(pattern=r"^\d+[sm]$")
    time: Time
    panels: list[Panel] = Field(min_length=1)


@cache
def _read(file: Source) -> Dashboard:
    return Dashboard.model_validate_json(file.text())


@cache
def _provisioned(kind: str) -> dict[str, Any]:
    [file] = (PROVISIONING / kind).glob("*.yml")
    told = yaml.safe_load(file.read_text())
    assert isinstance(told, dict)
    return told


@every_dashboard
def test_its_panels_can_be_told_apart_and_none_lies_over_another(file: Source) -> None:
    panels = _read(file).panels

    assert len({one.id for one in panels}) == len(panels)
    assert len({one.title for one in panels}) == len(panels)
    assert all(one.gridPos.x + one.gridPos.w <= COLUMNS for one in panels)
    over = [
        (one.title, other.title)
        for one, other in combinations(panels, 2)
        if one.gridPos.cells() & other.gridPos.cells()
    ]
    assert not over


@every_dashboard
def test_its_queries_can_be_told_apart_and_ask_a_source_that_is_provisioned(
    file: Source,
) -> None:
    known = {one["uid"]: one["type"] for one in _provisioned("datasources")["datasources"]}

    for panel in _read(file).panels:
        assert max(Counter(one.refId for one in panel.targets).values()) == 1
        asked = [panel.datasource, *(one.datasource for one in panel.targets)]
        assert {(one.uid, one.type) for one in asked} <= known.items()


def test_no_two_dashboards_have_the_same_place() -> None:
    read = [_read(file) for file in files("deploy/grafana", suffix=".json")]

    assert len({one.uid for one in read}) == len({one.title for one in read}) == len(read) == 6


def test_the_files_are_mounted_where_grafana_looks_for_them() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    mounted = [one.split(":")[1] for one in compose["services"]["grafana"]["volumes"]]
    [provider] = _provisioned("dashboards")["providers"]

    assert provider["options"]["path"] in mounted
    assert "/etc/grafana/provisioning" in mounted


def test_a_trace_is_looked_for_in_a_source_that_is_provisioned() -> None:
    sources = _provisioned("datasources")["datasources"]
    led_to = [
        one["datasourceUid"]
        for source in sources
        for one in source.get("jsonData", {}).get("exemplarTraceIdDestinations", [])
    ]

    assert led_to
    assert {*led_to} <= {one["uid"] for one in sources}
