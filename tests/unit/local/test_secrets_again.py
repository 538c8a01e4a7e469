"""The secrets of containers, made again: what was said before holds, and one that was stolen is
another afterwards, wherever it stands."""

import json
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path

import pytest

from deploy.local.broker_users import SALT_BYTES, password_hash
from deploy.secrets import kept
from deploy.secrets.files import COMPOSE, Hosts
from tests.unit.local.test_secret_folders import make

FAR = ("--database", "db.example", "--broker", "MQ.example")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "secrets"


@pytest.fixture
def authority(tmp_path: Path) -> str:
    file = tmp_path / "ca.pem"
    file.write_text("-- ours --\n")
    return str(file)


def _files(root: Path) -> dict[str, str]:
    files = (one for one in root.rglob("*") if one.is_file())
    return {str(one.relative_to(root)): one.read_text() for one in files}


def _changed(said: str) -> set[str]:
    marked = "  changed: "
    lines = said.splitlines()
    return {one.removeprefix(marked) for one in lines if one.startswith(marked)}


def test_a_plain_run_keeps_what_was_said(root: Path, authority: str) -> None:
    make(root, "--tls", authority, *FAR)
    before = _files(root)

    said = make(root)

    assert _files(root) == before
    assert "nothing new" in said
    assert not _changed(said)
    assert before["review/paperline_amqp_url"].startswith("amqps://")
    assert before["review/paperline_database_url"].endswith("?sslmode=verify-full")


def test_what_was_said_is_read_out_of_the_files(root: Path, authority: str) -> None:
    """So an installation of an older version, which wrote nothing else, keeps it as well."""
    assert kept.hosts(root) == COMPOSE
    make(root, "--tls", authority, *FAR)

    assert kept.hosts(root) == Hosts("db.example", "MQ.example", True, "-- ours --\n")


def test_one_word_changes_one_thing(root: Path, authority: str) -> None:
    make(root, "--tls", authority, *FAR)

    said = make(root, "--database", "other.example")

    url = (root / "ingest" / "paperline_database_url").read_text()
    assert url.endswith("@other.example:5432/paperline?sslmode=verify-full")
    assert "ingest/paperline_database_url" in _changed(said)
    assert not [one for one in _changed(said) if "amqp" in one]


def test_only_whoever_says_so_goes_back_from_tls(root: Path, authority: str) -> None:
    make(root)
    before = _files(root)
    closed = _changed(make(root, "--tls", authority))

    opened = _changed(make(root, "--plaintext"))

    assert opened == closed
    assert {"ingest/paperline_amqp_url", "ingest/ca.pem"} <= opened
    # Nor is there an authority left that nobody asks.
    assert _files(root) == before


def test_what_a_newer_version_adds_is_listed(root: Path) -> None:
    assert not _changed(make(root))
    (root / "monitor" / "paperline_cursor_secret").unlink()

    assert _changed(make(root)) == {"monitor/paperline_cursor_secret"}


def test_nobody_asks_for_both(root: Path, authority: str) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        make(root, "--tls", authority, "--plaintext")


def test_a_stolen_password_of_the_broker_is_another_wherever_it_stands(root: Path) -> None:
    make(root)
    stolen = json.loads((root / "passwords.json").read_text())
    hashes = kept.hashes(root)

    said = make(root, "--renew", "broker_ingest")

    fresh = json.loads((root / "passwords.json").read_text())
    assert "1 made" in said
    assert {one for one in fresh if fresh[one] != stolen[one]} == {"broker_ingest"}
    assert not [one for one, text in _files(root).items() if stolen["broker_ingest"] in text]
    assert _changed(said) == {
        "broker/definitions.json",
        "ingest/paperline_amqp_url",
        "migrate-ingest/paperline_amqp_url",
    }
    told = kept.hashes(root)
    assert {one for one in told if told[one] != hashes[one]} == {"ingest"}
    salt = b64decode(told["ingest"])[:SALT_BYTES]
    assert password_hash(fresh["broker_ingest"], salt) == told["ingest"]


def test_a_stolen_password_of_the_database_is_another(root: Path) -> None:
    make(root)

    said = make(root, "--renew", "database_paperline_review", "--renew", "broker_review")

    assert "2 made" in said
    password = (root / "database" / "paperline_review").read_text()
    assert f":{password}@" in (root / "review" / "paperline_database_url").read_text()


def test_a_renewal_keeps_what_was_said(root: Path, authority: str) -> None:
    make(root, "--tls", authority, *FAR)

    make(root, "--renew", "broker_monitor")

    assert kept.hosts(root) == Hosts("db.example", "MQ.example", True, "-- ours --\n")


def test_nothing_is_renewed_where_there_is_nothing(root: Path) -> None:
    """In a wrong folder a whole installation would be made, and the stolen one go on."""
    with pytest.raises(subprocess.CalledProcessError):
        make(root, "--renew", "broker_ingest")

    assert not root.exists()


def test_a_name_that_is_none_renews_nothing(root: Path) -> None:
    make(root)
    before = _files(root)

    with pytest.raises(subprocess.CalledProcessError):
        make(root, "--renew", "broker_nobody")

    assert _files(root) == before


def test_a_run_that_was_cut_off_has_renewed_once_it_is_repeated(root: Path) -> None:
    """Its passwords are written first: the next run makes the folders of them."""
    make(root)
    before = (root / "ingest" / "paperline_amqp_url").read_text()
    copy = root.with_name("copy")
    shutil.copytree(root, copy)
    make(copy, "--renew", "broker_ingest")
    shutil.copy(copy / "passwords.json", root / "passwords.json")

    said = make(root)

    assert "nothing new" in said
    assert "ingest/paperline_amqp_url" in _changed(said)
    assert (root / "ingest" / "paperline_amqp_url").read_text() != before
