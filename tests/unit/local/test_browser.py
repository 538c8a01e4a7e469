"""Which program is taken for the browser of the page tests."""

from pathlib import Path

import pytest

from deploy.local.browser import browser_program


def _program(folder: Path, name: str, *, code: int) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {code}\n")
    path.chmod(0o755)
    return path


def test_the_first_program_that_starts_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERLINE_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    nothing = browser_program()
    _program(tmp_path, "chromium", code=1)
    started = _program(tmp_path, "chromium-browser", code=0)

    assert nothing is None
    assert browser_program() == started


def test_a_program_that_was_named_is_taken_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path, "chromium", code=0)
    monkeypatch.setenv("PATH", str(tmp_path))

    monkeypatch.setenv("PAPERLINE_CHROMIUM", str(tmp_path / "nowhere"))

    assert browser_program() is None
