"""The servers' own programs are told where the stack's are, and never somebody else's."""

import json
from pathlib import Path

import pytest

from deploy.local import ports, rabbitmq, servers, tools
from deploy.local.credentials import credentials
from deploy.local.errors import StackError
from deploy.local.state import State

ADDRESSES = ("DATABASE_URL", "AMQP_URL", "AMQP_API_URL")
# It writes down what it was told.
PROGRAM = """#!/bin/sh
printf '{"words": "%s", "port": "%s", "user": "%s", "password": "%s", "database": "%s"}' \\
    "$*" "$PGPORT" "$PGUSER" "$PGPASSWORD" "$PGDATABASE" > "$TOLD"
exit 3
"""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    for name in ADDRESSES:
        monkeypatch.delenv(name, raising=False)
    state = State(tmp_path / "state")
    state.create()
    return state


def test_the_database_is_asked_as_its_superuser_and_no_password_is_a_word(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports.ensure(state, ["postgres"])
    (tmp_path / "psql").write_text(PROGRAM)
    (tmp_path / "psql").chmod(0o755)
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.setattr(servers, "postgres_programs", lambda: tmp_path)

    ended = tools.run_tool(state, "psql", ["--command", "SELECT 1"])

    assert ended == 3
    assert json.loads((tmp_path / "told").read_text()) == {
        "words": "--command SELECT 1",
        "port": str(ports.remembered(state)["postgres"]),
        "user": "postgres",
        "password": credentials(state)["database_postgres"],
        "database": "paperline",
    }


@pytest.mark.parametrize(
    ("variable", "program"), [("DATABASE_URL", "psql"), ("AMQP_URL", "rabbitmqctl")]
)
def test_a_server_that_was_given_is_not_taken_for_the_stacks(
    state: State, monkeypatch: pytest.MonkeyPatch, variable: str, program: str
) -> None:
    ports.ensure(state, ["postgres", *rabbitmq.PORTS])
    monkeypatch.setenv(variable, "scheme://me@there/mine")

    with pytest.raises(StackError, match="is not the stack's own"):
        tools.run_tool(state, program, ["status"])


@pytest.mark.parametrize("program", ["psql", "rabbitmq-diagnostics"])
def test_a_stack_that_never_ran_has_none(state: State, program: str) -> None:
    with pytest.raises(StackError, match="never started"):
        tools.run_tool(state, program, [])
