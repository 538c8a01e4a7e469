"""The page is written anew from figures that a benchmark has left, and by nothing else."""

import json
import sys
from pathlib import Path

import pytest

from deploy.sizing import __main__ as sizing
from deploy.sizing import figures, page

PAGE = "Before.\n<!-- made: offline -->\nold\n<!-- end -->\nBehind.\n"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with one table, in the place of the one that takes a simulation."""
    file = tmp_path / "PAGE.md"
    file.write_text(PAGE)
    monkeypatch.setattr(page, "FILE", file)
    return file


def test_the_page_is_written_anew(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["deploy.sizing", "--page"])

    sizing.main()

    table = page.BLOCKS["offline"]()
    assert written.read_text() == PAGE.replace("old", table)


def test_figures_are_adopted(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = json.loads(figures.FILE.read_text())
    kept["kinds"]["text"]["cpu_s"]["database"] *= 2
    adopted, told = tmp_path / "measured.json", tmp_path / "sizing.json"
    told.write_text(json.dumps({"figures": kept}))
    before = page.BLOCKS["offline"]()
    monkeypatch.setattr(figures, "FILE", adopted)
    monkeypatch.setattr(sys, "argv", ["deploy.sizing", "--adopt", str(told)])

    try:
        sizing.main()
        after = page.BLOCKS["offline"]()
    finally:
        figures.measured.cache_clear()

    assert json.loads(adopted.read_text()) == kept
    assert after in written.read_text()
    assert after != before
