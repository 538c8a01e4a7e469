"""An alert that never fires looks like health, one that always does is switched off.

promtool decides both, over series made up for it. Without it nothing here is known, and the
tests say so.
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.local.prometheus import ADVICE, prometheus_program
from tests.contract.alert_cases import CASES, ended, uploads
from tests.contract.cases import Series
from tests.house.repository import ROOT

FOLDER = ROOT / "deploy" / "prometheus"
RULES = [FOLDER / "recording.yml", FOLDER / "alerts.yml"]
ALERTS: dict[str, Any] = {
    rule["alert"]: rule
    for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
}
RECORDED = {
    rule["record"]
    for group in yaml.safe_load((FOLDER / "recording.yml").read_text())["groups"]
    for rule in group["rules"]
}


@pytest.fixture(scope="module")
def promtool() -> Path:
    program = prometheus_program("promtool")
    if program is None:
        pytest.skip(f"no promtool, so no rule was tried: {ADVICE}")
    return program


def test_every_alert_has_a_case_and_no_case_is_of_an_alert_that_is_gone() -> None:
    assert CASES.keys() == ALERTS.keys()


def test_what_an_alert_takes_from_a_recorded_rule_is_recorded() -> None:
    taken = {
        name
        for rule in ALERTS.values()
        for name in re.findall(r"paperline:[a-z_]+(?::\w+)?", rule["expr"])
    }

    assert taken
    assert not taken - RECORDED


def test_the_files_are_what_prometheus_reads(promtool: Path) -> None:
    # What it shows to the services is on the machine that runs it, not here.
    configs = [
        _run(promtool, "check", "config", "--syntax-only", FOLDER / name)
        for name in ("prometheus.yml", "prometheus-tls.yml")
    ]
    rules = _run(promtool, "check", "rules", *RULES)

    for said in (*configs, rules):
        assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_fires_in_its_case_and_in_no_other(
    promtool: Path, tmp_path: Path, name: str
) -> None:
    case, rule = CASES[name], ALERTS[name]
    fired = {
        "exp_labels": {**rule["labels"], **case.labels},
        "exp_annotations": rule["annotations"],
    }
    tests = [
        _test(case.fires, [{"alertname": name, "eval_time": case.at, "exp_alerts": [fired]}]),
        *(_test(one, [{"alertname": name, "eval_time": case.at}]) for one in case.quiet),
    ]

    said = _tried(promtool, tmp_path, tests)

    assert case.quiet
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_burn_of_a_budget_is_its_share_of_errors_by_what_is_allowed(
    promtool: Path, tmp_path: Path
) -> None:
    # 3 of 1,000 where 1 may fail; 2 of 100 where 1 may be late.
    series = [*uploads("0+997x80", "0+3x80"), *ended("0+98x80", "0+100x80")]
    windows = {"5m": "60m", "30m": "70m", "1h": "75m", "6h": "75m", "3d": "75m"}
    expected = [
        {
            "expr": f'round(paperline:slo_burn:{window}{{slo="{slo}"}}, 0.01)',
            "eval_time": at,
            "exp_samples": [{"labels": f'{{slo="{slo}"}}', "value": burn}],
        }
        for window, at in windows.items()
        for slo, burn in (("uploads", 3), ("stored_in_time", 2))
    ]

    said = _tried(promtool, tmp_path, [_test(series, promql=expected)])

    assert said.returncode == 0, said.stdout + said.stderr


def test_a_provider_that_is_away_counts_in_one_of_the_two_figures_only(
    promtool: Path, tmp_path: Path
) -> None:
    away = ['paperline_breaker_state{dependency="gemini"} 0x40 2x40']
    both = "paperline:slo_burn:5m"
    expected = [
        {"expr": f"count({both})", "eval_time": at, "exp_samples": [{"value": count}]}
        for at, count in (("30m", 2), ("60m", 1))
    ]

    said = _tried(
        promtool, tmp_path, [_test([*ended("0+9x80", "0+10x80"), *away], promql=expected)]
    )

    assert said.returncode == 0, said.stdout + said.stderr


def test_a_review_item_that_comes_late_burns_the_budget_of_reviewing(
    promtool: Path, tmp_path: Path
) -> None:
    labels = 'queue="review.open"'
    series = [
        f'paperline_critical_seconds_bucket{{{labels}, le="30.0"}} 0+9x80',
        f"paperline_critical_seconds_count{{{labels}}} 0+10x80",
    ]
    burn = 'round(paperline:slo_burn:1h{slo="review_visible"}, 0.01)'
    expected = [
        {
            "expr": burn,
            "eval_time": "70m",
            "exp_samples": [{"labels": '{slo="review_visible"}', "value": 10}],
        }
    ]

    said = _tried(promtool, tmp_path, [_test(series, promql=expected)])

    assert said.returncode == 0, said.stdout + said.stderr


def _test(
    series: Series,
    alerts: Iterable[dict[str, Any]] = (),
    promql: Iterable[dict[str, Any]] = (),
) -> dict[str, Any]:
    named = [one.rsplit("} ", 1) if "} " in one else one.split(" ", 1) for one in series]
    return {
        "interval": "1m",
        "input_series": [
            {"series": name + ("}" if "{" in name else ""), "values": values}
            for name, values in named
        ],
        "alert_rule_test": list(alerts),
        "promql_expr_test": list(promql),
    }


def _tried(
    promtool: Path, folder: Path, tests: list[dict[str, Any]]
) -> subprocess.CompletedProcess[str]:
    file = folder / "tests.yml"
    told = {
        "rule_files": [str(one) for one in RULES],
        "evaluation_interval": "1m",
        "tests": tests,
    }
    file.write_text(yaml.safe_dump(told))
    return _run(promtool, "test", "rules", file)


def _run(promtool: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([promtool, *words], capture_output=True, text=True, check=False)
