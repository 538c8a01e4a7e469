"""What a restore refuses before it has made anything."""

from pathlib import Path

import pytest

from deploy.local import restore
from deploy.local.archive import Archive, write_manifest
from deploy.local.backup import require_private
from deploy.local.errors import StackError
from deploy.local.state import REPOSITORY, State
from tests.unit.local.test_archive import MANIFEST


@pytest.fixture
def backup(tmp_path: Path) -> Archive:
    made = Archive(tmp_path / "backup")
    made.create()
    write_manifest(made, MANIFEST)
    return made


def test_every_migration_of_this_checkout_is_known() -> None:
    known = restore.known_revisions(REPOSITORY)

    assert {"ingest_0001", "ledger_0001", "access_0001", "audit_0001"} <= known
    assert len(known) == len(list(REPOSITORY.glob("s*/*/migrations/[0-9]*.sql")))


def test_an_older_backup_is_taken_and_migrated_afterwards() -> None:
    restore.require_known({"ingest": ["ingest_0001"]}, {"ingest_0001", "ingest_0002"})


def test_a_newer_backup_is_left_to_the_version_that_made_it() -> None:
    with pytest.raises(StackError, match=r"newer version.*ingest_0002"):
        restore.require_known({"ingest": ["ingest_0002"]}, {"ingest_0001"})


@pytest.mark.parametrize("left", ["secrets.json", "blobs/data/one.json"])
def test_nothing_of_a_stack_is_overwritten(backup: Archive, tmp_path: Path, left: str) -> None:
    state = State(tmp_path / "state")
    (state.root / left).parent.mkdir(parents=True)
    (state.root / left).write_text("{}")

    with pytest.raises(StackError, match="holds a stack already"):
        restore.restore(state, backup.root)


def test_a_folder_without_a_backup_is_told(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="no finished backup"):
        restore.restore(State(tmp_path / "state"), tmp_path / "nothing")


@pytest.mark.parametrize("name", ["DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"])
def test_servers_of_somebody_else_are_left_to_their_own_tools(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "somewhere")

    with pytest.raises(StackError, match="private servers"):
        require_private("backup")
