"""`./paperline test brokers`: the same promises on every broker that Paperline says it runs on.

Each broker comes with its own servers below the state folder, and with whatever a test of the
system starts besides. What a broker cannot be had for is left out, and said so in the table:
a machine without root or without a mirror proves less, and must not look as if it proved all.
Tests marked slow are left out on every broker, as of every tier, unless `--all` asks for them:
then it is the whole system suite.
"""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from deploy.local import broker_api, processes, servers, trees
from deploy.local.errors import StackError
from deploy.local.quality import (
    GIVEN,
    install_for,
    own_servers,
    pytest_of,
    tell_what_was_survived,
)
from deploy.local.report import say
from deploy.local.state import REPOSITORY, State

FOLDER, TREES = "brokers", "trees"
MACHINE = "machine"
# Which line of RabbitMQ is where: on a machine of Debian bookworm, and in the suites after it.
LINES: Mapping[str, str] = {MACHINE: "3.10", "trixie": "4.0", "sid": "4.3"}
SUITES = tuple(suite for suite in LINES if suite != MACHINE)
PACKAGES = ("rabbitmq-server",)
ROLLING = "rolling"
# What runs, and with which mark: of the broker's tier only what speaks to a broker.
PARTS = {
    "broker": ("broker", "amqp"),
    "cluster": ("brokers", ""),
    "cuts": ("cuts", ""),
    "system": ("system", ""),
    ROLLING: ("system", ""),
}
# Tells the system suite that its broker has three nodes, which are killed one by one.
NODES_DIE = "PAPERLINE_TEST_NODES_DIE"
NOTHING_CHOSEN = 5
TELLS_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Wishes:
    on: Sequence[str] = ()
    parts: Sequence[str] = ()
    slow_too: bool = False

    def __post_init__(self) -> None:
        for chosen, known in ((self.on, (MACHINE, *SUITES)), (self.parts, tuple(PARTS))):
            if strange := sorted(set(chosen) - set(known)):
                raise StackError(f"no {', '.join(strange)} here; there are: {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class Counts:
    passed: int = 0
    skipped: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Ran:
    broker: str
    version: str
    part: str
    code: int
    counts: Counts
    took_s: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    broker: str
    why: str


def test(state: State, wishes: Wishes, extra: Sequence[str]) -> int:
    if os.environ.pop(GIVEN, None):
        say(f"{GIVEN} is not used: these tests are about brokers of their own")
    parts = wishes.parts or tuple(PARTS)
    install_for([PARTS[part][0] for part in parts])
    told: list[Ran | LeftOut] = []
    began = time.time()
    for broker in wishes.on or (MACHINE, *SUITES):
        try:
            with _running(state, broker) as version:
                for part in parts:
                    say(f"── {part} on RabbitMQ {version} ({broker})")
                    own = State(state.root / FOLDER / f"{broker}-{part}")
                    told.append(_run(own, broker, version, part, wishes, extra))
        except trees.NoTree as why:
            told.append(LeftOut(broker, str(why)))
            say(f"── left out: RabbitMQ of {broker}: {why}")
    tell_what_was_survived((state.root / FOLDER).glob("*/test"), began)
    say("── summary")
    for line in table(told):
        say(line)
    return 1 if any(isinstance(one, Ran) and one.code for one in told) else 0


@contextmanager
def _running(state: State, broker: str) -> Iterator[str]:
    """Everything that is started within uses this broker; its version."""
    before = os.environ.pop(servers.RABBITMQ_TREE, None)
    try:
        if broker == MACHINE:
            servers.install_servers(postgres=True, rabbitmq=True)
        else:
            tree = state.root / TREES / f"rabbitmq-{broker}"
            os.environ[servers.RABBITMQ_TREE] = str(trees.made(tree, broker, PACKAGES))
        programs = servers.require(servers.rabbitmq_programs(), "rabbitmq-server")
        yield programs.parent.name.partition("-")[2]
    finally:
        os.environ.pop(servers.RABBITMQ_TREE, None)
        if before is not None:
            os.environ[servers.RABBITMQ_TREE] = before


def _run(
    own: State, broker: str, version: str, part: str, wishes: Wishes, extra: Sequence[str]
) -> Ran:
    tier, mark = PARTS[part]
    marks = " and ".join(filter(None, (mark, "" if wishes.slow_too else "not slow")))
    report = own.root / "tests.xml"
    chosen = ["-m", marks] if marks else []
    command = [*pytest_of(tier), *chosen, f"--junitxml={report}", *extra]
    began = time.monotonic()
    with own_servers(own, "test") as [environment]:
        version = _answering(environment["PAPERLINE_TEST_AMQP_API_URL"]) or version
        if part == ROLLING:
            environment[NODES_DIE] = "1"
        report.unlink(missing_ok=True)
        code = subprocess.run(
            command, env=environment, cwd=REPOSITORY, stdin=subprocess.DEVNULL, check=False
        ).returncode
    took_s = time.monotonic() - began
    code = 0 if code == NOTHING_CHOSEN else code
    return Ran(broker, version, part, code, counted(report), took_s)


def _answering(api_url: str) -> str:
    """The version of what really answers. A node that has just come up knows itself late."""
    told: list[str] = []

    def tells() -> bool:
        with suppress(StackError):
            told.append(str(broker_api.get(api_url, "overview")["rabbitmq_version"]))
        return bool(told)

    processes.wait_until(tells, TELLS_WITHIN_S)
    return "".join(told)


def counted(report: Path) -> Counts:
    """What pytest wrote down; nothing when it did not come to write."""
    if not report.exists():
        return Counts()
    suites = ElementTree.parse(report).getroot().iter("testsuite")  # noqa: S314 -- our own
    found = {"tests": 0, "skipped": 0, "failures": 0, "errors": 0}
    for suite in suites:
        for name in found:
            found[name] += int(suite.get(name, "0"))
    failed = found["failures"] + found["errors"]
    return Counts(found["tests"] - failed - found["skipped"], found["skipped"], failed)


def table(told: Sequence[Ran | LeftOut]) -> list[str]:
    lines = [
        f"    {'broker':<8} {'version':<9} {'part':<8} "
        f"{'passed':>6} {'skipped':>7} {'failed':>6} {'seconds':>8}"
    ]
    for one in told:
        if isinstance(one, LeftOut):
            lines.append(f"  – {one.broker:<8} left out: {one.why.splitlines()[0]}")
            continue
        counts = one.counts
        lines.append(
            f"  {'✗' if one.code else '✓'} {one.broker:<8} {one.version:<9} {one.part:<8} "
            f"{counts.passed:>6} {counts.skipped:>7} {counts.failed:>6} {one.took_s:>8.1f}"
        )
    return lines
