"""Watching what was started until it is ready, or until it has ended instead.

Between choosing a port and listening there somebody else may take it. Then ours ends, and what
answers at that port is not ours: so nobody is taken for ready because something answers, and
where a port was all that stood in the way, another is chosen.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from deploy.local import ports, processes, sockets
from deploy.local.errors import PortTaken, StackError
from deploy.local.report import say
from deploy.local.state import State

TRIES = 3
T = TypeVar("T")


def on_free_ports(
    choose: Callable[[], object], start: Callable[[], T], tries: int = TRIES
) -> T:
    """Chosen anew and started again while somebody else is quicker, but not for ever."""
    choose()
    try:
        return start()
    except PortTaken as taken:
        if tries == 1:
            raise StackError(
                f"{taken}. So it was {TRIES} times in a row: `ss -ltnp` tells who is there; "
                "then run the command again"
            ) from taken
        say(f"  … {taken}; another is chosen")
    return on_free_ports(choose, start, tries - 1)


def watch(
    state: State,
    components: Mapping[str, Mapping[str, int]],
    *,
    until: Callable[[], bool],
    within_s: float,
) -> bool:
    """Whether it was ready in time. Each component stands with the ports that it is to listen
    on; `until` must not be fooled by somebody else who listens there."""

    def ended() -> list[str]:
        return [one for one in components if processes.running(state, one) is None]

    ready = processes.wait_until(lambda: bool(ended()) or until(), within_s)
    if gone := ended():
        wanted = {name: port for one in gone for name, port in components[one].items()}
        raise _why(state, gone[0], wanted)
    return ready


def listens(state: State, component: str, port: int) -> bool:
    """That process and no other, as the kernel tells. Of a server under another account it may
    tell nothing, so those are asked in their own way."""
    return f"127.0.0.1:{port}" in sockets.listening(processes.family(state, component))


def last_lines(state: State, component: str, *, count: int = 15) -> str:
    text = state.log(component).read_text(errors="replace")
    return "\n".join(text.splitlines()[-count:])


def _why(state: State, component: str, wanted: Mapping[str, int]) -> StackError:
    # Nothing of ours listens there any more, so whoever does is somebody else.
    taken = [f"{port} ({name})" for name, port in wanted.items() if not ports.is_free(port)]
    if taken:
        return PortTaken(
            f"{component} found its port {', '.join(taken)} taken by somebody else"
        )
    return StackError(
        f"{component} ended while starting; the last of its log:\n"
        f"{last_lines(state, component)}\n"
        f"Once that is mended, run the command again; more of it: "
        f"./paperline{state.named} logs {component}"
    )
