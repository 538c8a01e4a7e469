"""A server that runs is told its accounts and rights again where it would need others."""

from dataclasses import replace
from pathlib import Path

import pytest

from deploy.local import nodes, processes, rabbitmq, told
from deploy.local.credentials import credentials
from deploy.local.processes import Running
from deploy.local.sayers import SAYERS
from deploy.local.state import State, read_json, write_json

BROKER, DATABASE = "rabbitmq", "postgres"
NEWER = {**SAYERS, "document.shelved": ("storage",)}


class Servers:
    """Both of them run; what they are told is written down."""

    def __init__(self) -> None:
        self.process = Running(pid=41, ticks=7, since=0.0, fingerprint="")
        self.told: list[str] = []


@pytest.fixture
def state(tmp_path: Path) -> State:
    state = State(tmp_path / "state")
    state.create()
    return state


@pytest.fixture
def servers(state: State, monkeypatch: pytest.MonkeyPatch) -> Servers:
    servers = Servers()
    monkeypatch.setattr(processes, "running", lambda *_: servers.process)
    monkeypatch.setattr(rabbitmq, "renew_rights", lambda *_: servers.told.append(BROKER))
    monkeypatch.setattr(nodes, "provision", lambda *_: servers.told.append(DATABASE))
    write_json(state.root / "ports.json", {DATABASE: 5432})
    for name in nodes.NODES:
        told.remember(state, name)
    return servers


def test_whoever_knows_all_of_it_is_told_nothing(state: State, servers: Servers) -> None:
    nodes.start_nodes(state, nodes.NODES)

    assert servers.told == []


def test_the_broker_is_told_who_says_a_new_fact(
    state: State, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.local.sayers.SAYERS", NEWER)

    nodes.start_nodes(state, nodes.NODES)
    nodes.start_nodes(state, nodes.NODES)

    assert servers.told == [BROKER]


def test_an_older_version_takes_no_right_away(
    state: State, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody goes back to it, what is owed may be a fact of the newer."""
    with monkeypatch.context() as newer:
        newer.setattr("deploy.local.sayers.SAYERS", NEWER)
        told.remember(state, BROKER)

    nodes.start_nodes(state, nodes.NODES)

    assert servers.told == []


def test_both_are_told_passwords_that_were_made_anew(state: State, servers: Servers) -> None:
    file, known = state.root / "secrets.json", credentials(state)
    write_json(file, known | {"broker_ingest": "another", "database_paperline": "another"})

    nodes.start_nodes(state, nodes.NODES)

    assert sorted(servers.told) == [DATABASE, BROKER]


def test_the_database_is_told_another_limit_of_its_roles(
    state: State, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.local.roles.SERVICE_CONNECTIONS_MAX", 61)

    nodes.start_nodes(state, nodes.NODES)

    assert servers.told == [DATABASE]


def test_whoever_was_started_by_others_is_told(state: State, servers: Servers) -> None:
    """By an older version, which keeps no record of what it has told."""
    servers.process = replace(servers.process, ticks=8)

    nodes.start_nodes(state, nodes.NODES)

    assert sorted(servers.told) == [DATABASE, BROKER]


def test_a_telling_that_failed_is_tried_again(
    state: State, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError("the broker hangs")

    monkeypatch.setattr("deploy.local.sayers.SAYERS", NEWER)
    with monkeypatch.context() as hanging, pytest.raises(OSError, match="hangs"):
        hanging.setattr(rabbitmq, "renew_rights", fails)
        nodes.start_nodes(state, nodes.NODES)

    nodes.start_nodes(state, nodes.NODES)

    assert servers.told == [BROKER]


def test_no_password_is_kept_in_what_is_remembered(state: State, servers: Servers) -> None:
    kept = [str(read_json(file)) for file in state.root.glob("told-*.json")]

    assert len(kept) == len(nodes.NODES)
    assert not [one for one in credentials(state).values() if any(one in text for text in kept)]
