"""The secrets of containers: one folder each, made once, and readable where they are needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.credentials import SERVICES
from deploy.secrets.files import COMPOSE, PASSWORDS, WITH_AN_API, folders, passwords, write
from tests.house.repository import ROOT, SERVICES_WITH_AN_API


def make(folder: Path, *options: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "deploy.secrets", str(folder), *options],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def _read(folder: Path) -> dict[str, str]:
    return {
        str(one.relative_to(folder)): one.read_text()
        for one in folder.rglob("*")
        if one.is_file()
    }


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    first_words = make(tmp_path / "secrets")
    first = _read(tmp_path / "secrets")
    second_words = make(tmp_path / "secrets")

    assert f"{len(PASSWORDS)} made" in first_words
    assert "nothing new" in second_words
    assert _read(tmp_path / "secrets") == first


def test_a_password_of_a_newer_version_is_added_to_the_older_ones() -> None:
    older = passwords({})
    newest = older.pop("webhook_secret")

    made = passwords(older)

    assert made.pop("webhook_secret") != newest
    assert made == older


def test_what_a_newer_version_does_not_use_any_more_is_no_new_password(tmp_path: Path) -> None:
    make(tmp_path / "secrets")
    kept = tmp_path / "secrets" / "passwords.json"
    older = json.loads(kept.read_text())
    del older["objects_key_review"]
    kept.write_text(json.dumps(older | {"objects_key": "of all", "objects_secret": "of all"}))

    assert "1 made" in make(tmp_path / "secrets")
    assert "of all" not in kept.read_text()


def test_the_folder_is_its_owners_alone_and_its_files_are_open_to_a_container(
    tmp_path: Path,
) -> None:
    before = os.umask(0o077)
    try:
        write(tmp_path / "secrets", folders(passwords({}), COMPOSE))
    finally:
        os.umask(before)

    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "secrets" / "ingest").stat().st_mode & 0o777 == 0o755
    file = tmp_path / "secrets" / "ingest" / "paperline_database_url"
    assert file.stat().st_mode & 0o777 == 0o444


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_knows_no_password_but_its_own(service: str) -> None:
    made = passwords({})
    told = json.dumps(folders(made, COMPOSE)[service])

    known = {name for name, secret in made.items() if secret in told}

    own = {f"database_paperline_{service}", f"broker_{service}"}
    own |= {f"objects_key_{service}", f"objects_secret_{service}", "metrics_secret"}
    own |= {"cursor_secret"} if service in WITH_AN_API else set()
    own |= {"webhook_secret"} if service == "ingest" else set()
    assert known == own


def test_the_broker_is_told_hashes_only() -> None:
    made = passwords({})
    told = folders(made, COMPOSE)["broker"]["definitions.json"]

    assert [name for name, secret in made.items() if secret in told] == []


def test_hosts_of_a_cluster_are_named_once(tmp_path: Path) -> None:
    make(tmp_path / "secrets", "--database", "db.example", "--broker", "mq.example")

    url = (tmp_path / "secrets" / "review" / "paperline_database_url").read_text()
    assert "@db.example:5432/paperline" in url
    url = (tmp_path / "secrets" / "review" / "paperline_amqp_url").read_text()
    assert "@mq.example:5672/paperline" in url


def test_the_services_with_an_api_are_those_of_the_house() -> None:
    assert set(WITH_AN_API) == set(SERVICES_WITH_AN_API)
