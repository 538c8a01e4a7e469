"""The guide to a new job type, done word for word in a copy of the checkout."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.packages import VENV
from tests.house.guides import shown_in
from tests.house.repository import ROOT, committed_files
from tests.system.surroundings import TOLD_BY_TESTS

GUIDE = ROOT / "deploy/ADDING_A_JOB_TYPE.md"
# Language, the file that it is, and what stands in it.
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.+?)^```$", re.MULTILINE | re.DOTALL)
# Types and rules of the whole house are looked at once, with nothing remembered.
TYPED_WITHIN_S = 900
PROGRAMS = f'export PATH="{VENV / "bin"}:$PATH"'

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not on this machine"),
]


@pytest.fixture
def checkout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in TOLD_BY_TESTS:
        monkeypatch.delenv(name, raising=False)
    copy = folder / "job-type"
    shutil.rmtree(copy, ignore_errors=True)
    for one in committed_files():
        there = copy / str(one)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(one.path, there)
    (copy / ".venv").symlink_to(VENV)
    # Or what the folder around it ignores would be ignored here.
    _run(copy, ["git", "init", "--quiet"])
    try:
        yield copy
    finally:
        _run(copy, ["./paperline", "down"])


def test_what_the_guide_says_is_all_that_it_takes(checkout: Path) -> None:
    for language, name, content in BLOCK.findall(GUIDE.read_text()):
        if language == "diff":
            _run(checkout, ["git", "apply", "-"], given=content)
        elif language == "sh":
            block = f"```sh\n{content}```\n"
            for one in shown_in(block, GUIDE.name):
                _run(checkout, ["bash", "-euo", "pipefail", "-c", f"{PROGRAMS}\n{one.text}"])
        else:
            assert name, f"a block of {language} that names no file"
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text(content)

    [transcript] = checkout.glob(".paperline/blobs/data/versions/*/v1.txt")
    assert "invoice_number: " in transcript.read_text()
    assert "storage.transcribe.dead" in (checkout / "deploy/asyncapi.json").read_text()


def _run(checkout: Path, command: list[str], *, given: str = "") -> str:
    done = subprocess.run(
        command,
        cwd=checkout,
        input=given,
        capture_output=True,
        text=True,
        timeout=TYPED_WITHIN_S,
        check=False,
    )
    words = given or " ".join(command)
    assert done.returncode == 0, f"{GUIDE.name}: {words}\n{done.stdout[-4000:]}{done.stderr}"
    return done.stdout
