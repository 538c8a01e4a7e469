"""What a door pays for when it starts."""

import subprocess
import sys

import pytest

DOOR = "import sys, shared.process.doors, shared.database.clock; print(*sys.modules)"


@pytest.mark.parametrize(
    "vendor", ["alembic", "sqlalchemy", "opentelemetry", "fastapi", "boto3"]
)
def test_a_running_door_does_not_load(vendor: str) -> None:
    loaded = subprocess.run([sys.executable, "-c", DOOR], check=True, capture_output=True)

    assert vendor not in loaded.stdout.decode().split()
