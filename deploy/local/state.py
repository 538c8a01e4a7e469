"""The state folder: everything a stack keeps, and nothing outside it.

Deleting the folder deletes the stack. Two stacks are two folders; one command at a time
changes a stack, because two `up` at once would start every service twice.
"""

import fcntl
import hashlib
import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local.errors import StackError
from deploy.local.report import say

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class State:
    """Paths of one stack. `name` is the same for the same folder, and differs between two."""

    root: Path

    @property
    def name(self) -> str:
        return hashlib.sha256(str(self.root).encode()).hexdigest()[:12]

    @property
    def named(self) -> str:
        """What to say behind `./paperline` so that this stack is meant; for most nothing."""
        return "" if self == state_at(None) else f" --state {shlex.quote(str(self.root))}"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def blobs(self) -> Path:
        return self.root / "blobs"

    def log(self, component: str) -> Path:
        return self.logs / f"{component}.log"

    def record(self, component: str) -> Path:
        return self.root / "run" / f"{component}.json"

    def create(self) -> None:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StackError(f"{self.root} cannot be made: {error.strerror}") from error
        # A server that runs under another account must pass through to its own folder.
        self.root.chmod(0o711 if os.geteuid() == 0 else 0o700)
        for folder in (self.logs, self.blobs, self.root / "run"):
            folder.mkdir(mode=0o700, exist_ok=True)


def state_at(folder: str | None) -> State:
    chosen = folder or os.environ.get("PAPERLINE_STATE") or str(REPOSITORY / ".paperline")
    root = Path(chosen).resolve()
    there = next(folder for folder in (root, *root.parents) if folder.exists())
    if not there.is_dir():
        raise StackError(f"{root} cannot be a state folder: {there} is a file")
    return State(root)


def read_json(path: Path) -> dict[str, Any]:
    """What the file holds; empty when it is missing or a kill left half of it."""
    try:
        content = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write_json(path: Path, content: dict[str, Any]) -> None:
    write_private(path, json.dumps(content, indent=2, sort_keys=True) + "\n")


def write_private(path: Path, text: str) -> None:
    """Whole or not at all, and never readable by others, not even for a moment."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)


@contextmanager
def changing(state: State) -> Iterator[None]:
    state.create()
    with (state.root / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("  … another command is changing this stack; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
