"""The guide to a new job type: its changes fit the files as they are today.

The rest of it is typed by `tests/system/test_when_a_job_type_is_added.py`, which takes minutes.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.repository import ROOT

GUIDE = ROOT / "deploy/ADDING_A_JOB_TYPE.md"
DIFF = re.compile(r"^```diff\n(.+?)^```$", re.MULTILINE | re.DOTALL)
CHANGED = re.compile(r"^--- a/(\S+)$", re.MULTILINE)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on this machine")
def test_every_change_applies_to_the_files_of_today(tmp_path: Path) -> None:
    changes = DIFF.findall(GUIDE.read_text())
    for name in {name for change in changes for name in CHANGED.findall(change)}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    # Or a repository around it would say what is ignored.
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)

    for change in changes:
        said = _applied(change, tmp_path)
        # In a checkout that has followed the guide they are there already.
        assert not said or not _applied(change, tmp_path, "--reverse", "--check"), said


def _applied(change: str, folder: Path, *how: str) -> str:
    """What was wrong; nothing when it fits."""
    done = subprocess.run(
        ["git", "apply", *how, "-"],
        cwd=folder,
        input=change,
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{change}\n{done.stderr}" if done.returncode else ""
