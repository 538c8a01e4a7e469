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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TextIO

from deploy.local import browser, packages, postgres, prometheus, rabbitmq, servers
from deploy.local.arguments import TIERS
from deploy.local.endpoints import endpoints
from deploy.local.errors import StackError
from deploy.local.nodes import side_by_side, start_nodes, stop_node, stop_nodes
from deploy.local.ports import remembered
from deploy.local.report import say
from deploy.local.state import REPOSITORY, State, changing

TESTS = REPOSITORY / "tests"
BENCHES = TESTS / "bench"
WITH_SERVERS = ("conformance", "broker", "system", "nemesis", "teeth")
WITH_BROWSER = "system"
WITH_PROMETHEUS = ("contract", "system")
# About half of all, on servers of their own: the first restarts them, which the others must not
# notice.
BESIDE = ("broker", "conformance", "unit")
FOLDER, BESIDE_FOLDER = "test", "beside"
GIVEN = "PAPERLINE_TEST_DATABASE_URL"
FOLDER_GIVEN = "PAPERLINE_TEST_STATE"


@dataclass(frozen=True, slots=True)
class Ran:
    title: str
    code: int
    took_s: float


def check() -> int:
    programs = packages.VENV / "bin"
    steps = {
        "format": [str(programs / "ruff"), "format", "--check", "."],
        "lint": [str(programs / "ruff"), "check", "."],
        "types": [str(programs / "mypy"), "--strict"],
        "import contracts": [str(programs / "lint-imports")],
        "house": pytest_of("house"),
    }
    return _run_all(steps, dict(os.environ))


def test(state: State, tier: str | None, extra: list[str], *, slow_too: bool) -> int:
    tiers = [tier] if tier else [name for name in TIERS if (TESTS / name).is_dir()]
    fast_only = [] if slow_too else ["-m", "not slow"]
    steps = {name: [*pytest_of(name), *fast_only, *extra] for name in tiers}
    install_for(tiers)
    if not any(name in WITH_SERVERS for name in tiers):
        return _run_all(steps, {**os.environ, FOLDER_GIVEN: str(state.root / FOLDER)})
    beside = {name: steps.pop(name) for name in BESIDE if not tier and GIVEN not in os.environ}
    if not beside:
        with own_servers(state, FOLDER) as [environment]:
            return _run_all(steps, environment)
    with own_servers(state, FOLDER, BESIDE_FOLDER) as [environment, another]:
        return run_beside(steps, environment, beside, another)


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


def pytest_of(tier: str) -> list[str]:
    return [str(packages.PYTHON), "-m", "pytest", f"tests/{tier}"]


def _run_all(steps: dict[str, list[str]], environment: dict[str, str]) -> int:
    """Every step runs, also after a failure: one look shows all there is to mend."""
    return _summed_up([_run(title, command, environment) for title, command in steps.items()])


def run_beside(
    steps: dict[str, list[str]],
    environment: dict[str, str],
    beside: dict[str, list[str]],
    another: dict[str, str],
) -> int:
    """Tests that kill servers mostly wait for them, so two tiers share the machine well. What
    runs beside, one after the other, is shown when all of it has ended."""
    with tempfile.TemporaryFile("a+") as told, ThreadPoolExecutor(1) as pool:
        say(f"── {', '.join(beside)}: beside the others, shown at the end")
        running = [
            pool.submit(_run, title, command, another, told)
            for title, command in beside.items()
        ]
        ran = [_run(name, step, environment) for name, step in steps.items()]
        ran += [one.result() for one in running]
        told.seek(0)
        shutil.copyfileobj(told, sys.stdout)
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
