"""Whether anybody grew beyond measure while everything was in trouble.

At the end all may be small again, or begun anew: only who is looked at meanwhile is seen to
hoard what he cannot send, or to open a connection for each try.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local import processes
from tests.nemesis.pace import a_while
from tests.system.stack import SERVICES, Stack

EVERY_S = 2.0
# Of what there was before, at rest and warm. Few descriptors may become many times as many.
TIMES_MAX, DESCRIPTORS_ALWAYS = 3, 100
KB = 1024


@dataclass(frozen=True, slots=True)
class Size:
    resident_bytes: int
    descriptors: int

    def larger(self, other: "Size") -> "Size":
        return Size(
            max(self.resident_bytes, other.resident_bytes),
            max(self.descriptors, other.descriptors),
        )

    def exceeds(self, before: "Size") -> bool:
        descriptors_max = max(DESCRIPTORS_ALWAYS, TIMES_MAX * before.descriptors)
        return (
            self.resident_bytes > TIMES_MAX * before.resident_bytes
            or self.descriptors > descriptors_max
        )


NOTHING = Size(0, 0)


@dataclass(slots=True)
class Grown:
    """By process, what it was before and its largest since."""

    stack: Stack
    names: Sequence[str] = SERVICES
    before: dict[str, Size] = field(default_factory=dict)
    largest: dict[str, Size] = field(default_factory=dict)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        self.before = dict(self._sizes())
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            # Whoever stopped watching by himself saw nobody grow, and says why.
            with suppress(asyncio.CancelledError):
                await watching

    @property
    def beyond(self) -> dict[str, tuple[Size, Size]]:
        return {
            name: (before, self.largest[name])
            for name, before in self.before.items()
            if name in self.largest and self.largest[name].exceeds(before)
        }

    async def _watch(self) -> None:
        while True:
            for name, size in self._sizes():
                self.largest[name] = size.larger(self.largest.get(name, NOTHING))
            await a_while(EVERY_S)

    def _sizes(self) -> Iterator[tuple[str, Size]]:
        for name in self.names:
            process = processes.running(self.stack.state, name)
            # Whoever is away has no size, and whoever just ended neither.
            with suppress(OSError):
                if process is not None:
                    yield name, _size(process.pid)


def _size(pid: int) -> Size:
    home = Path(f"/proc/{pid}")
    lines = (home / "status").read_text().splitlines()
    # One that has just ended has none.
    resident = next((line for line in lines if line.startswith("VmRSS:")), "VmRSS: 0")
    return Size(int(resident.split()[1]) * KB, len(list((home / "fd").iterdir())))
