"""Did anything block the event loop with its disk? Asked of the interpreter itself.

It tells of each file that is opened, renamed or removed, and on which thread. A loop that waits
for a disk waits with every delivery in hand, and no timing test would find that on a fast one.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ON_DISK = frozenset(
    {
        "open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.mkdir", "os.rmdir",
        "os.link", "os.truncate", "tempfile.mkstemp", "tempfile.mkdtemp", "shutil.rmtree",
    }
)  # fmt: skip
# Not told by the interpreter.
_SILENT = ("fsync", "stat", "statvfs", "write")
_IMPORTING = "<frozen importlib"
# The driver looks for certificates of the user whenever the pool opens a connection more.
_CONNECTING = "/asyncpg/connect_utils.py"


class _Watch:
    def __init__(self) -> None:
        self.thread: int | None = None
        self.seen: list[str] = []
        self.hooked = False

    def note(self, what: str, about: object) -> None:
        if threading.get_ident() != self.thread:
            return
        frame: FrameType | None = sys._getframe(2)
        places: list[str] = []
        while frame is not None:
            if frame.f_code.co_filename.startswith(_IMPORTING):
                # What is loaded for the first time is loaded once.
                return
            if frame.f_code.co_filename.endswith(_CONNECTING):
                return
            places.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
            frame = frame.f_back
        ours = [place for place in places if "/shared/" in place or "/services/" in place]
        if ours:
            self.seen.append(f"{what} {about} at {ours[0]}")

    def hook(self, event: str, about: tuple[object, ...]) -> None:
        if event in _ON_DISK:
            self.note(event, about[:1])


_WATCH = _Watch()


@contextmanager
def disk_on_the_loop() -> Iterator[list[str]]:
    """What touched a disk on this thread meanwhile, with the line of ours that did it."""
    if not _WATCH.hooked:
        # A hook stays for good; without a thread to watch it looks away.
        sys.addaudithook(_WATCH.hook)
        _WATCH.hooked = True
    before = {name: getattr(os, name) for name in _SILENT}
    _WATCH.seen, _WATCH.thread = [], threading.get_ident()
    for name, call in before.items():
        setattr(os, name, _telling(name, call))
    try:
        yield _WATCH.seen
    finally:
        _WATCH.thread = None
        for name, call in before.items():
            setattr(os, name, call)


def _telling(name: str, call: Callable[..., object]) -> Callable[..., object]:
    def told(*args: object, **named: object) -> object:
        _WATCH.note(f"os.{name}", args[:1])
        return call(*args, **named)

    return told
