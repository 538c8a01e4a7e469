"""What runs, as a table: component, state, pid, address, since when."""

import time

from rich.box import SIMPLE_HEAD
from rich.table import Table

from deploy.local import gemini_double, ports, processes, services, tls
from deploy.local.credentials import SERVICES
from deploy.local.endpoints import has_private_broker, has_private_database
from deploy.local.nodes import NODES
from deploy.local.reading import console
from deploy.local.state import State

PAGES = {"ingest": "upload page:", "review": "review desk:", "monitor": "console:    "}
ADDRESSES = {
    "postgres": ("postgres",),
    "rabbitmq": ("amqp", "broker_api"),
    gemini_double.COMPONENT: (gemini_double.COMPONENT,),
}


def show(state: State) -> int:
    """0 when everything runs and is ready, 1 otherwise."""
    table = Table(title=str(state.root), title_justify="left", box=SIMPLE_HEAD)
    for heading in ("component", "state", "pid", "address", "since"):
        table.add_column(heading, overflow="fold")
    words = []
    for component in _expected(state):
        process = processes.running(state, component)
        word = _state_of(state, component, process)
        words.append(word)
        pid = str(process.pid) if process else ""
        since = _since(process.since) if process else ""
        table.add_row(component, word, pid, _address(state, component), since)
    console().print(table)
    for service, page in PAGES.items():
        if processes.running(state, service):
            known = ports.remembered(state)
            console().print(f"{page} {tls.address(known[f'{service}_api'])}/")
    return 0 if all(word in ("running", "ready") for word in words) else 1


def _expected(state: State) -> list[str]:
    private = {"postgres": has_private_database(), "rabbitmq": has_private_broker()}
    # Only where somebody asked for it: then it is missed when it has died.
    double = gemini_double.COMPONENT
    wanted = [double] if state.record(double).exists() else []
    return [*(node for node in NODES if private[node]), *wanted, *SERVICES]


def _state_of(state: State, component: str, process: processes.Running | None) -> str:
    if process is None:
        return "died" if state.record(component).exists() else "stopped"
    if component in (*NODES, gemini_double.COMPONENT):
        return "running"
    ready, why = services.readiness(ports.remembered(state)[f"{component}_ops"])
    return "ready" if ready else f"not ready: {why[:120]}"


def _address(state: State, component: str) -> str:
    known = ports.remembered(state)
    names = ADDRESSES.get(component, (f"{component}_api", f"{component}_ops"))
    return " ".join(
        f"{name.rpartition('_')[2]} 127.0.0.1:{known[name]}" for name in names if name in known
    )


def _since(moment: float) -> str:
    seconds = int(time.time() - moment)
    units = ((86400, "d"), (3600, "h"), (60, "min"))
    size, unit = next(((size, unit) for size, unit in units if seconds >= size), (1, "s"))
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
    return f"{began} ({seconds // size} {unit})"
