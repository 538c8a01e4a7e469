"""`check`, `test` and `bench`: what every change must pass, run the same way everywhere.

Tests that need a broker and a database get servers of their own below the state folder, never
those of the running stack, and may kill and restart them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

from deploy.local import browser, judges, packages, postgres, prometheus, rabbitmq, servers
from deploy.local.arguments import TIERS
from deploy.local.endpoints import endpoints
from deploy.local.errors import StackError
from deploy.local.nodes import side_by_side, start_nodes, stop_node, stop_nodes
from deploy.local.ports import remembered
from deploy.local.report import say
from deploy.local.state import REPOSITORY, State, changing

TESTS = REPOSITORY / "tests"
BENCHES = TESTS / "bench"
WITH_SERVERS = ("conformance", "broker", "system", "crashes", "nemesis", "soak", "teeth")
# Long, and part of everything all the same: the soak for minutes, and of the brokers a cluster
# of those that this machine has.
WITH_ALL = ("crashes", "teeth", "nemesis", "soak", "upgrade", "brokers", "cuts")
SHORTER = {"soak": ["--minutes", "10", "--rate", "1"]}
# What even everything leaves out, and why.
LEFT_OUT = {
    "containers": "builds all images; `./paperline test containers`",
    "fresh": "makes a bare Debian and runs the daily tiers in it; `./paperline test fresh`",
    "other brokers": "each runs most of this once more; `./paperline test brokers`",
    "longer": "`./paperline test nemesis --seeds 1-20`, `./paperline test soak --minutes 120`",
}
WITH_BROWSER = "system"
WITH_PROMETHEUS = ("contract", "system")
WITH_JUDGES = "house"
# The longest tier in two: what its servers go through, and the rest. As one step it alone would
# decide how long all of it takes.
LONGEST, SITUATIONS = "broker", "broker, situations"
# Of everything it is this one, and each half of its deaths needs no other.
DEATHS, OTHER_DEATHS = "crashes", "crashes, the other half"
# Lanes that run beside the rest, each on servers of its own: some tests restart them, which the
# others must not notice.
BESIDE = {
    "beside": (LONGEST, "contract", DEATHS),
    "aside": ("conformance", "unit", SITUATIONS, OTHER_DEATHS),
}
FOLDER = "test"
# Where ordeals and deaths write their lines.
SURVIVED = "under-fire.jsonl"
GIVEN = "PAPERLINE_TEST_DATABASE_URL"
FOLDER_GIVEN = "PAPERLINE_TEST_STATE"


@dataclass(frozen=True, slots=True)
class Ran:
    title: str
    code: int
    took_s: float


@dataclass(frozen=True, slots=True)
class Lane:
    """Steps that run one after the other, on the same servers."""

    steps: dict[str, list[str]]
    environment: dict[str, str]

    def run(self, told: TextIO | None = None) -> list[Ran]:
        return [
            _run(title, command, self.environment, told)
            for title, command in self.steps.items()
        ]


def check() -> int:
    programs = packages.VENV / "bin"
    install_for([WITH_JUDGES])
    steps = {
        "format": [str(programs / "ruff"), "format", "--check", "."],
        "lint": [str(programs / "ruff"), "check", "."],
        "types": [str(programs / "mypy"), "--strict"],
        "import contracts": [str(programs / "lint-imports")],
        "house": pytest_of("house"),
    }
    return _run_all(steps, dict(os.environ))


def test(state: State, tier: str | None, extra: list[str], *, slow_too: bool) -> int:
    tiers = [tier] if tier else [*TIERS, *(WITH_ALL if slow_too else ())]
    tiers, began = [name for name in tiers if (TESTS / name).is_dir()], time.time()
    fast_only = [] if slow_too else ["-m", "not slow"]
    steps = {name: [*pytest_of(name), *fast_only, *extra] for name in tiers}
    if tier is None:
        for name in SHORTER.keys() & steps.keys():
            steps[name] += SHORTER[name]
    install_for(tiers)
    if not any(name in WITH_SERVERS for name in tiers):
        code = _run_all(steps, {**os.environ, FOLDER_GIVEN: str(state.root / FOLDER)})
    elif tier or GIVEN in os.environ:
        with own_servers(state, FOLDER) as [environment]:
            code = _run_all(steps, environment)
    else:
        steps |= divided(steps[LONGEST])
        if DEATHS in steps:
            steps |= halved(steps[DEATHS])
        beside = [
            {name: steps.pop(name) for name in lane if name in steps}
            for lane in BESIDE.values()
        ]
        with own_servers(state, FOLDER, *BESIDE) as [environment, *others]:
            code = run_beside(Lane(steps, environment), *map(Lane, beside, others))
    tell_what_was_survived((state.root / folder for folder in (FOLDER, *BESIDE)), began)
    if slow_too and tier is None:
        for name, why in LEFT_OUT.items():
            say(f"  – left out: {name}: {why}")
    return code


def divided(command: list[str]) -> dict[str, list[str]]:
    folder, files = f"tests/{LONGEST}", "test_when_*.py"
    at = command.index(folder)
    situations = sorted(str(path) for path in (REPOSITORY / folder).glob(files))
    return {
        LONGEST: [*command, f"--ignore-glob=*/{files}"],
        SITUATIONS: [*command[:at], *situations, *command[at + 1 :]],
    }


def halved(command: list[str]) -> dict[str, list[str]]:
    halves = enumerate((DEATHS, OTHER_DEATHS), start=1)
    return {name: [*command, "--share", f"{half}/2"] for half, name in halves}


def tell_what_was_survived(folders: Iterable[Path], since: float) -> None:
    """Lost and doubled, recovered and how long it took, over all troubles of this run."""
    files = [folder / SURVIVED for folder in folders]
    written = [str(one) for one in files if one.exists() and one.stat().st_mtime >= since]
    if written:
        say("── what was survived")
        told = ["-m", "tests.nemesis.results", "--sums", "--since", str(since), *written]
        subprocess.run([str(packages.PYTHON), *told], cwd=REPOSITORY, check=False)


def bench(state: State, name: str | None, extra: list[str]) -> int:
    known = sorted(path.stem for path in BENCHES.glob("[a-z]*.py"))
    if name is None:
        say(f"Benchmarks: {', '.join(known) or 'none yet'}")
        return 0
    if name not in known:
        raise StackError(f"no benchmark {name}; there are: {', '.join(known) or 'none yet'}")
    with own_servers(state, FOLDER) as [environment]:
        command = [str(packages.PYTHON), "-m", f"tests.bench.{name}", *extra]
        return subprocess.run(command, env=environment, cwd=REPOSITORY, check=False).returncode


def install_for(tiers: Sequence[str]) -> None:
    """Programs that their tests would otherwise be left out for."""
    if any(name in WITH_PROMETHEUS for name in tiers):
        prometheus.install_prometheus()
    if WITH_BROWSER in tiers:
        browser.install_browser()
    if WITH_JUDGES in tiers:
        judges.install_judges()


def pytest_of(tier: str) -> list[str]:
    return [str(packages.PYTHON), "-m", "pytest", f"tests/{tier}"]


def _run_all(steps: dict[str, list[str]], environment: dict[str, str]) -> int:
    """Every step runs, also after a failure: one look shows all there is to mend."""
    return _summed_up(Lane(steps, environment).run())


def run_beside(lane: Lane, *others: Lane) -> int:
    """Tests that kill servers mostly wait for them, so several tiers share the machine well.
    What runs beside is shown when all has ended."""
    with ExitStack() as stack:
        told = [stack.enter_context(tempfile.TemporaryFile("a+")) for _ in others]
        pool = stack.enter_context(ThreadPoolExecutor(len(others)))
        say(f"── {', '.join(one for other in others for one in other.steps)}: shown at the end")
        running = [pool.submit(one.run, out) for one, out in zip(others, told, strict=True)]
        ran = lane.run()
        for ended, out in zip(running, told, strict=True):
            ran += ended.result()
            out.seek(0)
            shutil.copyfileobj(out, sys.stdout)
    return _summed_up(ran)


def _run(
    title: str, command: list[str], environment: dict[str, str], told: TextIO | None = None
) -> Ran:
    """`told` takes its output, instead of the terminal."""
    print(f"── {title}", file=told, flush=True)
    began = time.monotonic()
    code = subprocess.run(
        command,
        env=environment,
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        stdout=told,
        stderr=subprocess.STDOUT if told else None,
        check=False,
    ).returncode
    return Ran(title, code, time.monotonic() - began)


def _summed_up(ran: Sequence[Ran]) -> int:
    say("── summary")
    for one in ran:
        say(f"  {'✗' if one.code else '✓'} {one.title} ({one.took_s:.1f} s)")
    return 1 if any(one.code for one in ran) else 0


@contextmanager
def own_servers(state: State, *folders: str) -> Iterator[list[dict[str, str]]]:
    """A database and a broker for tests in each, unless the caller's environment names some."""
    if GIVEN in os.environ:
        yield [dict(os.environ) for _ in folders]
        return
    servers.install_servers(postgres=True, rabbitmq=True)
    for name in ("DATABASE_URL", "AMQP_URL"):
        # Tests destroy what they work on; these name something that matters to somebody.
        os.environ.pop(name, None)
    own = [State(state.root / folder) for folder in folders]
    try:
        side_by_side(*(partial(_begin, one) for one in own))
        yield [_reached(one) for one in own]
    finally:
        side_by_side(*(partial(_end, one) for one in own))
        sys.stdout.flush()


def _begin(own: State) -> None:
    with changing(own):
        start_nodes(own)


def _reached(own: State) -> dict[str, str]:
    reach, port = endpoints(own), remembered(own)[postgres.COMPONENT]
    return {
        **os.environ,
        GIVEN: postgres.admin_url(own, port, database="paperline"),
        "PAPERLINE_TEST_AMQP_URL": reach.amqp["admin"],
        "PAPERLINE_TEST_AMQP_API_URL": reach.broker_api["admin"],
        FOLDER_GIVEN: str(own.root),
    }


def _end(own: State) -> None:
    with changing(own):
        # It takes its time to stop in order, for nothing that anybody wants to keep.
        stop_node(own, rabbitmq.COMPONENT, kill=True)
        stop_nodes(own)
