"""The double of the model's provider as a part of the stack: `up --gemini-double`.

With it the demonstration shows two readers without a key, and no document leaves the machine.
Its key opens nothing, so it may stand here.
"""

import hashlib
from functools import partial

from deploy.local import packages, ports, processes
from deploy.local.errors import StackError
from deploy.local.report import step
from deploy.local.starting import listens, on_free_ports, watch
from deploy.local.state import REPOSITORY, State

COMPONENT = "gemini_double"
SOURCES = REPOSITORY / "tests" / COMPONENT
KEY = "double"
LISTENS_WITHIN_S = 20.0
ENDS_WITHIN_S = 5.0


def start(state: State, surroundings: dict[str, str]) -> None:
    """Nothing happens when it runs and its code is the same."""
    print_now = _fingerprint()
    process = processes.running(state, COMPONENT)
    if process is not None and process.fingerprint == print_now:
        return
    stop(state)
    on_free_ports(
        partial(ports.ensure, state, [COMPONENT]),
        partial(_start, state, surroundings, print_now),
    )


def stop(state: State) -> bool:
    return processes.stop(state, COMPONENT, patience_s=ENDS_WITHIN_S)


def _start(state: State, surroundings: dict[str, str], print_now: str) -> None:
    port = ports.remembered(state)[COMPONENT]
    command = [str(packages.PYTHON), "-m", "tests.gemini_double", "--port", str(port)]
    launch = processes.Launch(
        COMPONENT, command, surroundings, REPOSITORY, fingerprint=print_now
    )
    with step("Gemini double") as work:
        processes.start(state, launch)
        if not watch(
            state,
            {COMPONENT: {COMPONENT: port}},
            until=lambda: listens(state, COMPONENT, port),
            within_s=LISTENS_WITHIN_S,
        ):
            raise StackError(f"the Gemini double does not listen; see {state.log(COMPONENT)}")
        work.note(f"127.0.0.1:{port}")


def variables(state: State) -> dict[str, str]:
    """What points the extractor at it; nothing when it does not run."""
    if processes.running(state, COMPONENT) is None:
        return {}
    port = ports.remembered(state)[COMPONENT]
    return {"GEMINI_API_KEY": KEY, "GEMINI_BASE_URL": f"http://127.0.0.1:{port}"}


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()
