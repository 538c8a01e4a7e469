"""The runbook's lists are closed: what the code can say, an operator can look up.

A reason nobody explained or a metric that was renamed is found by the person on call at night;
here it is found before.
"""

import ast
import re
import shlex
from typing import Any

import pytest
import yaml

from deploy.local.arguments import TOOLS
from deploy.local.roles import SERVICE_ROLES
from shared.process.doors import DOORS
from shared.topology.__main__ import COMMANDS
from tests.house.compose_files import services
from tests.house.guides import Shown, shown_in
from tests.house.repository import (
    ROOT,
    SERVICES,
    Source,
    called,
    calls,
    files,
    modules,
    require,
)

SAYING = {"DeadLetter", "Rejected", "Unacceptable"}
_ROW = re.compile(r"^\| `([a-z_]+)` \|", re.MULTILINE)
_METRIC = re.compile(r"`?\b(paperline_[a-z_]+)")
_SUFFIXES = re.compile(r"_(total|bucket|count|sum)$")
_ALL_OF_IT = re.MULTILINE | re.DOTALL
# Of the servers themselves, and whose each is.
_SERVER = {"psql": "database", "rabbitmqctl": "broker", "rabbitmq-diagnostics": "broker"}
_JOBS = "deploy/k8s/base/jobs.yaml"


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
        name
        for name in sorted(named - {*SERVICE_ROLES})
        if f'"{name.removeprefix("paperline_")}"' not in declared
    ]

    assert not unknown


def test_every_reason_is_explained_once() -> None:
    rows = _ROW.findall(_runbook())

    assert len(rows) == len(set(rows))


def _ways() -> list[Shown]:
    [section] = re.findall(r"^## How a command is typed here$(.+?)^## ", _runbook(), _ALL_OF_IT)
    ways = shown_in(section, "deploy/RUNBOOK.md")
    return [one for one in ways if re.search(r"^docker compose | exec ", one.text)]


@pytest.mark.parametrize("way", _ways(), ids=lambda one: one.text[:60])
def test_a_module_can_be_run_as_it_is_said(way: Shown) -> None:
    """There is such a container or pod, and what it is told is understood in it."""
    _, *words = shlex.split(way.text)
    plain = [one for one in words if not one.startswith("-")]

    if way.text.startswith("docker compose run"):
        service, *told = plain[2:]
        begins = services()[service].get("entrypoint", ["python", "-m", "services"])
        told = told or services()[service]["command"]
        assert told[0] in (COMMANDS if begins[-1] == "shared.topology" else DOORS)
    else:
        place = words[words.index("exec") + 1]
        if way.text.startswith("docker compose"):
            assert place in services()
        told = words[words.index("--" if "--" in words else place) + 1 :]
        if told[0] in TOOLS:
            assert _SERVER[told[0]] == place or _SERVER[told[0]] in _servers()[place]
            return
        assert place in SERVICES or place.partition("/")[2] in _deployments()
        module = told[told.index("-m") + 1]
        assert (ROOT / module.replace(".", "/") / "__main__.py").is_file()


def _servers() -> dict[str, str]:
    """As the operators of the cluster's examples name what `exec` is told, and whose it is."""
    names = {"RabbitmqCluster": "{}-server-0", "Cluster": "service/{}-rw"}
    return {
        names[one["kind"]].format(one["metadata"]["name"]): one["metadata"]["namespace"]
        for name in ("broker", "database")
        for one in yaml.safe_load_all((ROOT / f"deploy/k8s/examples/{name}.yaml").read_text())
        if one["kind"] in names
    }


def _deployments() -> set[str]:
    return {
        one["metadata"]["name"]
        for file in files("deploy/k8s/base", suffix=".yaml")
        for one in yaml.safe_load_all(file.text())
        if one["kind"] == "Deployment"
    }


def test_a_job_is_told_another_word() -> None:
    """A line of one job, and of nothing else that an overlay holds."""
    told = re.compile(r"- apply$", re.MULTILINE)
    manifests = {str(one): one.text() for one in files("deploy/k8s", suffix=".yaml")}
    found = {name: len(told.findall(text)) for name, text in manifests.items()}

    assert {name: count for name, count in found.items() if count} == {_JOBS: 1}
    jobs = yaml.safe_load_all(told.sub("- verify", manifests[_JOBS]))
    args = {one["metadata"]["name"]: _arguments(one) for one in jobs}
    assert args["topology"] == ["verify"]
    assert {tuple(one) for name, one in args.items() if name != "topology"} == {("migrate",)}


def _arguments(job: dict[str, Any]) -> list[str]:
    [container] = job["spec"]["template"]["spec"]["containers"]
    arguments: list[str] = container["args"]
    return arguments
