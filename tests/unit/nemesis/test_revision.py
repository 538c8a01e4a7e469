"""Of which revision a figure is, and whether that is what ran."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests import revision as told
from tests.revision import revision

WHO = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not on this machine")
    monkeypatch.setattr(told, "REPOSITORY", tmp_path)
    (tmp_path / "code.py").write_text("one\n")
    for words in (("init", "-q"), ("add", "."), (*WHO, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_what_was_committed_is_named_without_a_mark(repository: Path) -> None:
    assert len(revision()) == told.CHARS


def test_what_was_changed_since_has_a_mark(repository: Path) -> None:
    (repository / "code.py").write_text("another\n")

    assert revision().endswith(told.DIRTY)


def test_without_a_repository_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(told, "REPOSITORY", tmp_path)

    assert revision() == "unknown"
