"""What hadolint says of the images: nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.repository import ROOT, SERVICES

HADOLINT = Path(sys.executable).with_name("hadolint")


@pytest.mark.parametrize("service", SERVICES)
def test_hadolint_has_nothing_to_say(service: str) -> None:
    said = subprocess.run(
        [HADOLINT, "--no-color", ROOT / "services" / service / "Dockerfile"],
        check=False,
        capture_output=True,
        text=True,
    )

    assert (said.returncode, said.stdout) == (0, "")


def test_a_bad_line_is_noticed(tmp_path: Path) -> None:
    bad = tmp_path / "Dockerfile"
    bad.write_text("FROM python:latest\nRUN cd /app && sudo true\n")

    said = subprocess.run([HADOLINT, bad], check=False, capture_output=True, text=True)

    assert said.returncode != 0
    assert "DL3004" in said.stdout
