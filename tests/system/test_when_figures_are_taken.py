"""The benchmarks whose figures the README shows, with so few documents that minutes suffice.

What they measure here is nobody's figure; that they run to their end and tell each goal is.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.house.repository import ROOT

pytestmark = pytest.mark.slow

FEW: Mapping[str, tuple[str, ...]] = {
    "bus": ("--messages", "500", "--rounds", "1"),
    "growth": ("--sizes", "600,1200", "--documents", "20", "--rounds", "1"),
    "ingest": ("--uploads", "50", "--rounds", "1"),
    "memory": ("--settle", "1", "--idle", "2", "--documents", "10", "--pictures", "1"),
    "monitor": ("--letters", "40000", "--drained", "500", "--replayed", "100", "--pages", "5"),
    "pages": ("--documents", "8"),
    "pipeline": ("--documents", "20", "--rounds", "1", "--journeys", "5"),
    "provider": ("--slots", "4", "--think", "1", "--rounds", "1", "--seconds", "3"),
    "reading": ("--rounds", "1", "--pictures", "1", "--documents", "10"),
    "review": ("--large", "2000", "--claims", "20", "--seconds", "1"),
    "scale": ("--replicas", "1,2", "--slots", "2", "--think", "1", "--seconds", "3"),
    "simulation": ("--documents", "20", "--slots", "4", "--think", "1"),
    "sizing": ("--text", "20", "--einvoice", "10", "--scan", "2", "--model", "10"),
    "start": ("--rounds", "1"),
    "storage": ("--documents", "100", "--rounds", "1", "--files", "200"),
    "urgent": ("--backlog", "600", "--urgent", "3", "--seconds", "3"),
}


@pytest.mark.parametrize("name", FEW)
def test_a_benchmark_runs_to_its_end_and_tells_its_goals(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLINE_STATE", str(folder / "figures"))
    done = subprocess.run(
        [ROOT / "paperline", "bench", name, *FEW[name]],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    kept = json.loads((folder / "figures" / "bench" / f"{name}.json").read_text())
    assert kept["figures"]
    assert kept["goals"]
    for goal in kept["goals"]:
        assert f"{goal['key']} " in done.stdout
