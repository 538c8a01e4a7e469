"""Whoever was started is watched, and nobody else is taken for it."""

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from deploy.local import ports, processes
from deploy.local.errors import PortTaken, StackError
from deploy.local.processes import Launch
from deploy.local.starting import TRIES, listens, on_free_ports, watch
from deploy.local.state import State

NAME = "listener"
LISTENS = """
import socket, sys, time
with socket.create_server(("127.0.0.1", int(sys.argv[1]))):
    time.sleep(120)
"""


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path)
    state.create()
    yield state
    processes.sweep(state, NAME)


@contextmanager
def somebody_at(port: int) -> Iterator[None]:
    with socket.create_server(("127.0.0.1", port)):
        yield


def _start(state: State, program: str) -> int:
    """On a port that was free when it was chosen."""
    port = ports.ensure(state, [NAME])[NAME]
    processes.start(state, _launch(state, program, port))
    return port


def _launch(state: State, program: str, port: int) -> Launch:
    return Launch(NAME, [sys.executable, "-c", program, str(port)], {}, state.root)


def _watch(state: State, port: int, *, within_s: float = 20.0) -> bool:
    return watch(
        state,
        {NAME: {NAME: port}},
        until=lambda: listens(state, NAME, port),
        within_s=within_s,
    )


def test_whoever_listens_at_its_own_port_is_ready(state: State) -> None:
    assert _watch(state, _start(state, LISTENS))


def test_whoever_is_late_is_not_ready_and_is_left_alone(state: State) -> None:
    port = _start(state, "import time; time.sleep(120)")

    assert not _watch(state, port, within_s=0.2)

    assert processes.running(state, NAME)


def test_somebody_else_at_the_port_is_not_taken_for_ours(state: State) -> None:
    port = _start(state, "import time; time.sleep(120)")

    with somebody_at(port):
        assert not _watch(state, port, within_s=0.2)


def test_of_what_ends_the_last_words_are_told(state: State) -> None:
    port = _start(state, "raise SystemExit('no room left')")

    with pytest.raises(StackError, match=r"ended while starting.*:\nno room left\n") as told:
        _watch(state, port)

    assert not isinstance(told.value, PortTaken)
    assert f"./paperline{state.named} logs {NAME}" in str(told.value)


def test_what_found_its_port_taken_says_which(state: State) -> None:
    port = ports.ensure(state, [NAME])[NAME]

    with somebody_at(port), pytest.raises(PortTaken, match=f"its port {port} "):
        processes.start(state, _launch(state, LISTENS, port))
        _watch(state, port)


def test_where_somebody_was_quicker_it_is_started_on_another_port(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "DYING_S", 0.0)
    tried = list[int]()

    def choose() -> None:
        tried.append(ports.ensure(state, [NAME])[NAME])
        if len(tried) == 1:
            somebody.enter_context(somebody_at(tried[0]))

    def start() -> bool:
        processes.start(state, _launch(state, LISTENS, tried[-1]))
        return _watch(state, tried[-1])

    with ExitStack() as somebody:
        assert on_free_ports(choose, start)

    assert len(tried) == len({*tried}) == 2


def test_it_is_not_tried_for_ever_and_then_says_what_to_do() -> None:
    tried = list[int]()

    def start() -> None:
        raise PortTaken("its port is taken")

    with pytest.raises(StackError, match=r"its port is taken.*`ss -ltnp`") as told:
        on_free_ports(lambda: tried.append(1), start)

    assert len(tried) == TRIES
    assert not isinstance(told.value, PortTaken)


def test_what_fails_for_another_reason_is_not_tried_again() -> None:
    tried = list[int]()

    def start() -> None:
        raise StackError("no such program")

    with pytest.raises(StackError, match="no such program"):
        on_free_ports(lambda: tried.append(1), start)

    assert len(tried) == 1
