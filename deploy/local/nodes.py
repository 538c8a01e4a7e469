"""The private servers of a stack, started and stopped side by side.

Starting is safe at any moment and in any mess: what runs stays, what died is swept and comes
back with its data, a port somebody else took is replaced, also at the last moment. What goes on
running is told its accounts and rights again where a newer version has other ones.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from deploy.local import ports, postgres, processes, rabbitmq, told
from deploy.local.credentials import credentials
from deploy.local.endpoints import has_private_broker, has_private_database
from deploy.local.errors import PortTaken
from deploy.local.provision import provision
from deploy.local.report import step
from deploy.local.starting import on_free_ports
from deploy.local.state import State

NODES = {postgres.COMPONENT: "PostgreSQL", rabbitmq.COMPONENT: "RabbitMQ"}
PORTS = {postgres.COMPONENT: (postgres.COMPONENT,), rabbitmq.COMPONENT: rabbitmq.PORTS}


def side_by_side(*work: Callable[[], object]) -> None:
    """All at once; the first failure is raised after every one has come to its end."""
    with ThreadPoolExecutor(max_workers=max(len(work), 1)) as pool:
        for finished in [pool.submit(piece) for piece in work]:
            finished.result()


def start_nodes(state: State, names: Iterable[str] | None = None) -> None:
    """Those that do not run, on the ports they had: whoever knows them shall find them."""
    credentials(state)
    side_by_side(*(partial(_bring_up, state, name) for name in names or _private()))


def stop_nodes(state: State) -> None:
    side_by_side(*(partial(stop_node, state, name) for name in NODES))


def stop_node(state: State, name: str, *, kill: bool = False) -> None:
    """`kill` as a crash would: what it leaves behind is the next start's to clear."""
    if kill:
        processes.kill(state, name)
    elif processes.running(state, name):
        with step(f"{NODES[name]} stopped"):
            _stop(state, name)
    else:
        _stop(state, name)


def restart_node(state: State, name: str, *, kill: bool) -> None:
    stop_node(state, name, kill=kill)
    start_nodes(state, [name])


def _private() -> list[str]:
    private = {
        postgres.COMPONENT: has_private_database(),
        rabbitmq.COMPONENT: has_private_broker(),
    }
    return [name for name, ours in private.items() if ours]


def _bring_up(state: State, name: str) -> None:
    if not processes.running(state, name):
        on_free_ports(partial(_choose, state, name), partial(_start, state, name))
    elif told.is_told(state, name):
        return
    else:
        with step(f"{NODES[name]}: accounts and rights") as work:
            _renew(state, name)
            work.note("as this version has them")
    told.remember(state, name)


def _renew(state: State, name: str) -> None:
    known = ports.remembered(state)
    if name == rabbitmq.COMPONENT:
        rabbitmq.renew_rights(state, known)
    else:
        provision(state, postgres.admin_url(state, known[name]))


def _choose(state: State, name: str) -> None:
    # First what a crash left: it may still hold the port.
    _stop(state, name)
    ports.ensure(state, list(PORTS[name]))


def _start(state: State, name: str) -> None:
    known = ports.remembered(state)
    with step(NODES[name]) as work:
        try:
            if name == rabbitmq.COMPONENT:
                work.note(rabbitmq.start(state, known))
            else:
                work.note(postgres.start(state, known[name]))
                provision(state, postgres.admin_url(state, known[name]))
        except PortTaken:
            # A broker goes on for a while without its epmd, and nobody is to find it well.
            _stop(state, name)
            raise
        work.note(f"127.0.0.1:{known[PORTS[name][0]]}")


def _stop(state: State, name: str) -> None:
    if name == rabbitmq.COMPONENT:
        rabbitmq.stop(state)
    else:
        postgres.stop(state)
