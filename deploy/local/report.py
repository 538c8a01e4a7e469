"""What the terminal says while work goes on: one closing line per step, with its duration.

Steps run side by side in threads, so a line is always printed whole. A step that takes its
time announces itself, or the person would think the program hangs.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

ANNOUNCE_AFTER_S = 1.0
_printing = threading.Lock()


class Step:
    """A piece of work under way; `note` may add what became known meanwhile."""

    def __init__(self) -> None:
        self._notes: list[str] = []

    def note(self, text: str) -> None:
        self._notes.append(text)

    def closing(self, title: str) -> str:
        return ": ".join([title, ", ".join(self._notes)]) if self._notes else title


@contextmanager
def step(title: str) -> Iterator[Step]:
    began = time.monotonic()
    work = Step()
    announcement = threading.Timer(ANNOUNCE_AFTER_S, say, [f"  … {title}"])
    announcement.daemon = True
    announcement.start()
    mark = "✗"
    try:
        yield work
        mark = "✓"
    finally:
        announcement.cancel()
        say(f"  {mark} {work.closing(title)} ({time.monotonic() - began:.1f} s)")


def say(line: str = "") -> None:
    with _printing:
        print(line, flush=True)


def complain(line: str) -> None:
    with _printing:
        print(line, file=sys.stderr, flush=True)
