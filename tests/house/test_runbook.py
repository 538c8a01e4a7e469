"""The runbook's lists are closed: what the code can say, an operator can look up.

A reason nobody explained or a metric that was renamed is found by the person on call at night;
here it is found before.
"""

import ast
import re

import pytest

from tests.house.repository import ROOT, Source, modules

SAYING = {"DeadLetter", "Rejected", "Unacceptable"}
_ROW = re.compile(r"^\| `([a-z_]+)` \|", re.MULTILINE)
_METRIC = re.compile(r"`?\b(paperline_[a-z_]+)")
_SUFFIXES = re.compile(r"_(total|bucket|count|sum)$")


def _runbook() -> str:
    return (ROOT / "deploy" / "RUNBOOK.md").read_text()


def _reasons(module: Source) -> set[str]:
    """Codes written where a message is given up: `Rejected("too_large")`."""
    return {
        node.args[0].value
        for node in ast.walk(module.tree())
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in SAYING
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


@pytest.mark.parametrize("module", modules("shared", "services"), ids=str)
def test_every_reason_a_message_can_die_of_is_explained(module: Source) -> None:
    unexplained = _reasons(module) - set(_ROW.findall(_runbook()))

    assert not unexplained, f"{module}: {sorted(unexplained)} missing in deploy/RUNBOOK.md"


def test_every_metric_the_runbook_speaks_of_exists() -> None:
    declared = (ROOT / "shared" / "observability" / "metrics.py").read_text()
    named = {_SUFFIXES.sub("", name) for name in _METRIC.findall(_runbook())}

    unknown = [
        name for name in sorted(named) if f'"{name.removeprefix("paperline_")}"' not in declared
    ]

    assert not unknown


def test_every_reason_is_explained_once() -> None:
    rows = _ROW.findall(_runbook())

    assert len(rows) == len(set(rows))
