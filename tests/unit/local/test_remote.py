"""Which API a command speaks to, and where its secrets come from."""

import io
from pathlib import Path

import pytest

from deploy.local import remote, stack
from deploy.local.arguments import parser
from deploy.local.errors import StackError
from deploy.local.remote import Elsewhere
from deploy.local.services import surroundings
from deploy.local.state import State


@pytest.fixture(autouse=True)
def _nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (remote.ADDRESS, remote.KEY):
        monkeypatch.delenv(name, raising=False)


def test_an_argument_decides_before_the_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(remote.ADDRESS, "http://there")
    monkeypatch.setenv(remote.KEY, "theirs")
    (tmp_path / "key").write_text("ours\n")

    assert remote.told(None, None) == Elsewhere("http://there", "theirs")
    assert remote.told("http://here", tmp_path / "key") == Elsewhere("http://here", "ours")


def test_an_address_without_a_key_says_where_it_goes(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="PAPERLINE_KEY"):
        remote.door(State(tmp_path), Elsewhere("http://there"))


def test_without_an_address_it_is_the_stack_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StackError, match="not running"):
        remote.door(State(tmp_path), Elsewhere())

    monkeypatch.setattr(stack, "is_up", lambda _state: True)
    (tmp_path / "key").write_text("paperline_k\n")
    (tmp_path / "ports.json").write_text('{"ingest_api": 20001}')
    with remote.door(State(tmp_path), Elsewhere()) as door:
        assert door.address == "http://127.0.0.1:20001"


def test_a_password_is_one_line_with_all_its_spaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(" open sesame \r\nnot this\n"))
    (tmp_path / "password").write_text("von Köln \n")

    assert remote.password(from_stdin=True, file=None) == " open sesame "
    assert remote.password(from_stdin=False, file=tmp_path / "password") == "von Köln "
    assert remote.password(from_stdin=False, file=None) is None


def test_a_password_is_never_an_argument() -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["submit", "a.pdf", "--password", "x"])


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="gone"):
        remote.told(None, tmp_path / "gone")


def test_what_a_client_is_told_is_kept_from_the_services(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(remote.KEY, "paperline_k")
    monkeypatch.setenv(remote.ADDRESS, "http://there")
    monkeypatch.setenv("PAPERLINE_KEY_BURST", "7")

    passed = surroundings()

    assert {remote.KEY, remote.ADDRESS}.isdisjoint(passed)
    assert passed["PAPERLINE_KEY_BURST"] == "7"


@pytest.mark.parametrize(
    "line", [["--settle", "nan"], ["--settle", "x"], ["--at-once", "0"], ["--at-once", "33"]]
)
def test_a_watch_has_limits(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["watch", "inbox", *line])

    # In words for a person, and not with the name of a function of ours.
    assert f"not '{line[1]}'" in capsys.readouterr().err
