"""Somebody who is quicker: at a port that a stack has chosen, before it listens there."""

import socket
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from deploy.local import ports
from deploy.local.state import State


@contextmanager
def taking(*names: str, times: int = 1) -> Iterator[dict[str, list[int]]]:
    """Of each name the ports that were chosen first are taken, so many of them; all of them
    are held until the block ends."""
    taken = defaultdict[str, list[int]](list)
    choose = ports.ensure
    with ExitStack() as held, pytest.MonkeyPatch.context() as patch:

        def ensure(state: State, wanted: list[str]) -> dict[str, int]:
            chosen = choose(state, wanted)
            for name in {*names} & {*wanted}:
                if len(taken[name]) < times:
                    taken[name].append(chosen[name])
                    held.enter_context(socket.create_server(("127.0.0.1", chosen[name])))
            return chosen

        patch.setattr(ports, "ensure", ensure)
        # Who is there is not about to go.
        patch.setattr(ports, "DYING_S", 0.0)
        yield taken
