"""A checkout to be spoilt: all that is committed or about to be, beside the same servers."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.house.repository import ROOT
from tests.teeth.mutant import Mutant

# Of the longest selection, on a busy machine. Who hangs has noticed nothing.
RUN_WITHIN_S = 600
FAILED = re.compile(r"^FAILED (\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    output: str

    @property
    def failed(self) -> list[str]:
        return FAILED.findall(self.output)


@dataclass(frozen=True, slots=True)
class Checkout:
    root: Path

    def run(self, tests: Sequence[str]) -> Ran:
        ran = subprocess.run(
            # Also for the processes that tests start; and bytecode of a file that was whole a
            # moment ago must not be taken for it.
            [
                "env",
                f"PYTHONPATH={self.root}",
                sys.executable,
                "-B",
                "-m",
                "pytest",
                "-x",
                "-q",
                "-rf",
                "-m",
                "not slow",
                *tests,
            ],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_WITHIN_S,
            check=False,
        )
        return Ran(ran.returncode, ran.stdout + ran.stderr)

    @contextmanager
    def without(self, mutant: Mutant) -> Iterator[None]:
        whole = mutant.apply(self.root)
        try:
            yield
        finally:
            (self.root / mutant.file).write_text(whole)


def copied(folder: Path) -> Checkout:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return Checkout(folder)
