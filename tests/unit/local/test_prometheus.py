"""Which programs are taken for Prometheus and its promtool."""

from pathlib import Path

import pytest

from deploy.local.prometheus import prometheus_program


def _program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_folder_that_was_named_is_taken_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = _program(tmp_path / "named", "promtool")
    on_the_path = _program(tmp_path / "path", "prometheus")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.delenv("PAPERLINE_PROMETHEUS_BIN", raising=False)
    found = prometheus_program()

    monkeypatch.setenv("PAPERLINE_PROMETHEUS_BIN", str(tmp_path / "named"))

    assert found == on_the_path
    assert prometheus_program("promtool") == named
    assert prometheus_program() is None
