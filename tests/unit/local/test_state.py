"""The state folder keeps its secrets, whole or not at all."""

from pathlib import Path

import pytest

from deploy.local.credentials import NAMES, credentials
from deploy.local.errors import StackError
from deploy.local.state import State, read_json, state_at, write_json


def test_secrets_are_made_once_and_readable_by_the_owner_only(tmp_path: Path) -> None:
    state = State(tmp_path)

    first = credentials(state)

    assert credentials(state) == first
    assert set(first) == set(NAMES)
    assert (tmp_path / "secrets.json").stat().st_mode & 0o077 == 0


def test_secrets_stand_in_a_url_without_quoting(tmp_path: Path) -> None:
    for secret in credentials(State(tmp_path)).values():
        assert secret.replace("-", "").replace("_", "").isalnum()


def test_a_database_without_its_secrets_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "postgres" / "data").mkdir(parents=True)
    (tmp_path / "postgres" / "data" / "PG_VERSION").touch()

    with pytest.raises(StackError, match="delete the folder"):
        credentials(State(tmp_path))


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    write_json(tmp_path / "ports.json", {"amqp": 1})
    write_json(tmp_path / "ports.json", {"amqp": 2})

    assert read_json(tmp_path / "ports.json") == {"amqp": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["ports.json"]


def test_a_half_written_file_reads_as_empty(tmp_path: Path) -> None:
    (tmp_path / "ports.json").write_text('{"amqp": ')

    assert read_json(tmp_path / "ports.json") == {}


def test_a_stack_that_is_not_the_usual_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERLINE_STATE", raising=False)
    other = tmp_path / "a stack"

    assert state_at(None).named == ""
    assert state_at(str(other)).named == f" --state '{other}'"
    monkeypatch.setenv("PAPERLINE_STATE", str(other))
    assert state_at(None).named == ""


@pytest.mark.parametrize("below", ["", "/deeper/still"])
def test_a_file_is_no_state_folder(tmp_path: Path, below: str) -> None:
    (tmp_path / "notes.txt").touch()

    with pytest.raises(StackError, match=r"notes\.txt is a file"):
        state_at(f"{tmp_path}/notes.txt{below}")


def test_a_folder_that_cannot_be_made_is_named() -> None:
    with pytest.raises(StackError, match="/proc/a/stack cannot be made: No such file"):
        State(Path("/proc/a/stack")).create()
