"""The runbook's lists are closed: what the code can say, an operator can look up.

A reason nobody explained or a metric that was renamed is found by the person on call at night;
here it is found before.
"""

import ast
import re

from tests.house.repository import ROOT, Source, called, calls, modules, require

SAYING = {"DeadLetter", "Rejected", "Unacceptable"}
_ROW = re.compile(r"^\| `([a-z_]+)` \|", re.MULTILINE)
_METRIC = re.compile(r"`?\b(paperline_[a-z_]+)")
_SUFFIXES = re.compile(r"_(total|bucket|count|sum)$")


def _runbook() -> str:
    return (ROOT / "deploy" / "RUNBOOK.md").read_text()


def _reasons(module: Source) -> set[str]:
    """Codes written where a message is given up: `Rejected("too_large")`."""
    return {
        call.args[0].value
        for call in calls(module)
        if called(call).split(".")[-1] in SAYING
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def test_every_reason_a_message_can_die_of_is_explained() -> None:
    explained = set(_ROW.findall(_runbook()))

    require(lambda one: _reasons(one) - explained, modules("shared", "services"))


def test_a_pooler_is_advised_in_one_mode_only() -> None:
    """A pool holds its connections: by session, a pooler would hold as many at the server."""
    guides = [(ROOT / "deploy" / name).read_text() for name in ("RUNBOOK.md", "SIZING.md")]

    for guide in guides:
        assert re.findall(r"pooler\s+in\s+(\S+)\s+mode", guide) == ["*transaction*"]


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
