"""Loopback ports of a stack: free when first chosen, then remembered.

The search begins at a block derived from the state folder and passes over those in which
somebody else listens: a stack has the rest of its block too, where a service of it is about to
start again. It stays below the range the kernel hands to outgoing connections, or a port that
is free now would be someone's connection when the stack starts again.
"""

import socket
import threading
import time

from deploy.local.state import State, read_json, write_json

FIRST, LAST, BLOCK = 20000, 31999, 40
DYING_S, POLL_S = 5.0, 0.1
# Servers that start side by side choose theirs side by side.
_choosing = threading.Lock()


def remembered(state: State) -> dict[str, int]:
    return {name: int(port) for name, port in read_json(state.root / "ports.json").items()}


def ensure(state: State, names: list[str]) -> dict[str, int]:
    """Ports for components that do not run yet; one taken by somebody else is chosen anew."""
    with _choosing:
        ports = remembered(state)
        for name in names:
            if not _is_free_soon(ports.get(name, 0)):
                ports[name] = _next_free(state, set(ports.values()))
        write_json(state.root / "ports.json", ports)
    return ports


def _is_free_soon(port: int) -> bool:
    """Whoever had it may be dying still, and those who talk to it know no other."""
    ends_at = time.monotonic() + DYING_S
    while not is_free(port):
        if port == 0 or time.monotonic() >= ends_at:
            return False
        time.sleep(POLL_S)
    return True


def is_free(port: int) -> bool:
    if port == 0:
        return False
    with socket.socket() as listener:
        # Without it a port whose last connections are still closing would count as taken.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(1)
        except OSError:
            return False
    return True


def _next_free(state: State, assigned: set[int]) -> int:
    blocks = [range(first, first + BLOCK) for first in range(FIRST, LAST + 1, BLOCK)]
    home = int(state.name, 16) % len(blocks)
    for block in blocks[home:] + blocks[:home]:
        others = [port for port in block if port not in assigned]
        if others and all(is_free(port) for port in others):
            return others[0]
    raise RuntimeError(f"somebody listens in every {BLOCK} ports from {FIRST} to {LAST}")
