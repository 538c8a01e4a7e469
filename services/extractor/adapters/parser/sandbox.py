"""What the parser's children say about one document, as an outcome.

Two sorts of them, because recognising text needs several times the memory of reading it: a
process that has had no image for a while holds no model. The children themselves, and every
way in which a hostile file can end one, are `shared/sandbox`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from services.extractor.adapters.parser.tasks import HEAVY
from services.extractor.domain.reading import Scan
from shared.errors import Rejected
from shared.sandbox.frames import Frame
from shared.sandbox.pool import Kind, Pool
from shared.sandbox.worker import Bounds

CHILD = "services.extractor.adapters.parser.child"
MEBIBYTE = 1 << 20
# The words of some hundred dense pages, with their boxes.
ANSWER_BYTES_MAX = 16 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """What one document may cost in a child, and how long the child lives on after it."""

    memory_bytes: int
    cpu_s: int
    wall_s: float
    at_once: int
    answer_bytes_max: int = ANSWER_BYTES_MAX
    documents_max: int = 500
    pages_max: int = 5_000
    resident_bytes_max: int = 256 * MEBIBYTE
    idle_s: float = 600.0
    patience_s: float | None = None

    def kind(self, name: str) -> Kind:
        bounds = Bounds(
            self.memory_bytes,
            self.cpu_s,
            self.wall_s,
            self.answer_bytes_max,
            self.documents_max,
            self.pages_max,
        )
        return Kind(
            name,
            CHILD,
            bounds,
            self.at_once,
            self.resident_bytes_max,
            self.idle_s,
            self.patience_s,
        )


# A model and a page of pixels; threads and arenas reserve far more than they use.
RECOGNISING = ChildLimits(
    memory_bytes=3072 * MEBIBYTE,
    cpu_s=200,
    wall_s=240,
    at_once=2,
    answer_bytes_max=64 * MEBIBYTE,
    documents_max=100,
    pages_max=200,
    resident_bytes_max=1024 * MEBIBYTE,
    idle_s=120,
)


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How much of one document is read at all."""

    pages: int
    chars: int
    # Of one page or image, decoded.
    pixels: int = 64_000_000

    def told(self) -> dict[str, int]:
        return {"pages": self.pages, "chars": self.chars, "pixels": self.pixels}


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    read: ReadLimits
    light: ChildLimits
    heavy: ChildLimits = RECOGNISING
    # By task, for those that have not the time of their child.
    wall_s: Mapping[str, float] = field(default_factory=dict)


class Sandbox:
    def __init__(self, limits: SandboxLimits) -> None:
        self._limits = limits
        self._light = Pool(limits.light.kind("light"))
        self._heavy = Pool(limits.heavy.kind("heavy"))

    async def ask(self, task: str, scan: Scan) -> dict[str, Any]:
        """The child's answer. Raises Rejected with its reason, or with how the child died."""
        answer, _ = await self.ask_for_parts(task, scan)
        return answer

    async def ask_for_parts(
        self, task: str, scan: Scan
    ) -> tuple[dict[str, Any], Sequence[bytes]]:
        """The same with the raw bytes that came beside it, such as pages as images."""
        said = {
            "task": task,
            "media_type": scan.media_type,
            "limits": self._limits.read.told(),
        }
        pool = self._heavy if task in HEAVY else self._light
        wall_s = self._limits.wall_s.get(task)
        answer = await pool.ask(Frame(said, (scan.content,)), wall_s=wall_s)
        if "rejected" in answer.said:
            detail = str(answer.said.get("detail", ""))[:500]
            raise Rejected(str(answer.said["rejected"]), detail)
        return dict(answer.said), answer.parts

    async def keep(self) -> None:
        """For as long as the process lives: afterwards no child is left."""
        async with asyncio.TaskGroup() as group:
            for pool in (self._light, self._heavy):
                group.create_task(pool.keep())

    async def close(self) -> None:
        for pool in (self._light, self._heavy):
            await pool.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
