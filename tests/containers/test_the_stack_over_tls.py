"""The compose file with every way closed, brought up for real: what is read never was plain."""

import sys
from pathlib import Path

import pytest

from tests.containers.conftest import first_key
from tests.containers.engine import Engine
from tests.house.repository import ROOT

API = "https://127.0.0.1:8080"
SAMPLE = ROOT / "deploy" / "samples" / "de-wolkenwerk-hosting.pdf"
CA_FILE = ROOT / ".paperline" / "containers" / "closed" / "tls" / "ca.pem"
DATABASE = "postgresql://paperline_reader@127.0.0.1/paperline?sslmode=disable"
ENTER = "import asyncio, asyncpg as a; asyncio.run(a.connect('{}', timeout=5))"
ASK = "import urllib.request as u; u.urlopen('{}', timeout=5)"


@pytest.fixture(scope="module")
def key_file(closed_stack: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_key(closed_stack, tmp_path_factory.mktemp("key"))


def test_a_document_is_read(closed_stack: Engine, key_file: Path) -> None:
    command = [sys.executable, "-m", "deploy.local", "submit", str(SAMPLE), "--wait"]
    said = closed_stack.beside(
        *command, "--url", API, "--key-file", str(key_file), "--ca-file", str(CA_FILE)
    )

    assert "completed" in said


@pytest.mark.parametrize("address", [API, "http://127.0.0.1:8080"])
def test_nobody_is_answered_who_does_not_believe_it_or_speaks_plain(
    closed_stack: Engine, address: str
) -> None:
    with pytest.raises(AssertionError, match=r"CERTIFICATE_VERIFY_FAILED|closed|reset|Remote"):
        closed_stack.beside(sys.executable, "-c", ASK.format(address))


def test_the_database_hears_nobody_in_the_clear(closed_stack: Engine) -> None:
    """Not even who has no password yet: it is refused before it is asked for one."""
    with pytest.raises(AssertionError, match="no encryption"):
        closed_stack.beside(sys.executable, "-c", ENTER.format(DATABASE))
