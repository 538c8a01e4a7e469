"""Migrations are left out at `up` only when nothing they depend on has changed."""

from pathlib import Path

import pytest

from deploy.local.stack import standing

OWNER = "postgresql://paperline:secret@127.0.0.1/paperline"
NOW = {"ingest": {"ingest_0001", "ledger_0001"}}
FILES = (
    "services/ingest/migrations/0001_expand_documents.sql",
    "shared/ledger/migrations/0001_expand_ledger.sql",
    "shared/database/sql/grants.sql",
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for file in FILES:
        path = tmp_path / file
        path.parent.mkdir(parents=True)
        path.write_text("SELECT 1;")
    return tmp_path


def test_nothing_has_changed_when_nothing_was_done(repository: Path) -> None:
    before = standing(repository, OWNER, NOW)
    (repository / "services/ingest/wiring.py").write_text("")

    assert standing(repository, OWNER, NOW) == before


@pytest.mark.parametrize("file", [*FILES, "services/ingest/migrations/0002_expand_more.sql"])
def test_a_changed_or_a_new_file_is_a_change(repository: Path, file: str) -> None:
    before = standing(repository, OWNER, NOW)
    (repository / file).write_text("SELECT 2;")

    assert standing(repository, OWNER, NOW) != before


def test_another_or_a_younger_database_is_a_change(repository: Path) -> None:
    before = standing(repository, OWNER, NOW)

    assert standing(repository, f"{OWNER}_2", NOW) != before
    assert standing(repository, OWNER, {"ingest": {"ledger_0001"}}) != before
    assert standing(repository, OWNER, {}) != before
    assert "secret" not in str(before)
