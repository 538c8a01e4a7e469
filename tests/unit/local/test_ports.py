"""Loopback ports that are free, remembered, and given up when somebody else has them."""

import socket
import threading
from pathlib import Path

import pytest

from deploy.local import ports
from deploy.local.state import State


@pytest.fixture
def state(tmp_path: Path) -> State:
    state = State(tmp_path)
    state.create()
    return state


def test_ports_are_remembered(state: State) -> None:
    first = ports.ensure(state, ["amqp", "postgres"])

    assert ports.ensure(state, ["amqp", "postgres"]) == first
    assert ports.remembered(state) == first


def test_no_two_components_share_a_port(state: State) -> None:
    names = [f"component {number}" for number in range(30)]

    assert len(set(ports.ensure(state, names).values())) == len(names)


def test_a_port_whose_holder_is_dying_stays_the_one_that_others_know(state: State) -> None:
    before = ports.ensure(state, ["amqp"])
    dying = socket.socket()
    dying.bind(("127.0.0.1", before["amqp"]))
    dying.listen()
    threading.Timer(0.3, dying.close).start()

    assert ports.ensure(state, ["amqp"]) == before


def test_a_port_taken_by_somebody_else_is_chosen_anew(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "DYING_S", 0.2)
    before = ports.ensure(state, ["amqp", "postgres"])

    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", before["amqp"]))
        somebody.listen()
        after = ports.ensure(state, ["amqp", "postgres"])

    assert after["amqp"] not in before.values()
    assert after["postgres"] == before["postgres"]


def test_a_block_in_which_somebody_else_listens_is_left_to_him(state: State) -> None:
    home = ports.ensure(state, ["amqp"])["amqp"]
    (state.root / "ports.json").unlink()

    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", home + ports.BLOCK - 1))
        somebody.listen()
        chosen = ports.ensure(state, ["amqp", "postgres"])

    # What was free in it may be a service's that starts again just now.
    assert not {*chosen.values()} & {*range(home, home + ports.BLOCK)}


def test_ports_lie_below_those_of_outgoing_connections(state: State) -> None:
    [port] = ports.ensure(state, ["amqp"]).values()

    assert ports.FIRST <= port <= ports.LAST < 32768
