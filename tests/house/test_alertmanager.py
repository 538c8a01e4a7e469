"""The routes of alerts, by the program that reads them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.repository import ROOT

AMTOOL = Path(sys.executable).with_name("amtool")
ROUTES = ROOT / "deploy" / "prometheus" / "alertmanager.yml"


@pytest.fixture(scope="module")
def amtool() -> str:
    if not AMTOOL.exists():
        pytest.skip("no amtool, and `./paperline check` could install none")
    return str(AMTOOL)


def test_alertmanager_takes_them(amtool: str) -> None:
    said = subprocess.run(
        [amtool, "check-config", str(ROUTES)], check=False, capture_output=True, text=True
    )

    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("severity", ["page", "ticket"])
def test_every_alert_reaches_a_receiver(amtool: str, severity: str) -> None:
    command = [amtool, "config", "routes", "test", f"--config.file={ROUTES}"]
    said = subprocess.run(
        [*command, f"severity={severity}"], check=True, capture_output=True, text=True
    )

    assert said.stdout.strip() == "shown"
