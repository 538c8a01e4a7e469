"""The painter's children, warm and bounded, and what they say about one document.

The child has seen the file, so its words are checked like a stranger's: a picture is only
passed on when it begins as one, a word only with a place on the page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, TypeVar

from services.review.domain.pages import Page, PlacedWord
from shared.errors import Rejected
from shared.pages.limits import ShowLimits
from shared.sandbox.frames import Frame
from shared.sandbox.pool import Kind, Pool
from shared.sandbox.worker import Bounds

T = TypeVar("T")

CHILD = "services.review.adapters.painter.child"
MEBIBYTE = 1 << 20
PNG = b"\x89PNG\r\n\x1a\n"
# A page of pixels that cannot be packed at all, or the words of a dense one.
ANSWER_BYTES_MAX = 32 * MEBIBYTE
WORD_CHARS_MAX = 1000


@dataclass(frozen=True, slots=True)
class PainterLimits:
    """What one page may cost in a child, and how long the child lives on after it."""

    read: ShowLimits
    memory_bytes: int
    cpu_s: int
    wall_s: float
    at_once: int
    idle_s: float = 600.0
    documents_max: int = 500
    resident_bytes_max: int = 256 * MEBIBYTE

    def kind(self) -> Kind:
        bounds = Bounds(
            self.memory_bytes, self.cpu_s, self.wall_s, ANSWER_BYTES_MAX, self.documents_max
        )
        return Kind("pages", CHILD, bounds, self.at_once, self.resident_bytes_max, self.idle_s)


class PooledPainter:
    def __init__(self, limits: PainterLimits) -> None:
        self._limits = limits
        self._pool = Pool(limits.kind())

    async def draw(
        self, content: bytes, media_type: str, number: int, width: int
    ) -> bytes | None:
        answer = await self._ask("draw", content, media_type, number=number, width=width)
        if answer is None:
            return None
        if len(answer.parts) != 1 or not answer.parts[0].startswith(PNG):
            raise Rejected("parser_crashed", "the answer is no picture")
        return answer.parts[0]

    async def read_words(
        self, content: bytes, media_type: str, number: int
    ) -> Sequence[PlacedWord] | None:
        answer = await self._ask("read_words", content, media_type, number=number)
        return None if answer is None else _heard(_words, answer.said)

    async def measure(self, content: bytes, media_type: str) -> Sequence[Page]:
        answer = await self._ask("measure", content, media_type)
        return [] if answer is None else _heard(_pages, answer.said)

    async def keep(self) -> None:
        """For as long as the process lives: afterwards no child is left."""
        await self._pool.keep()

    async def close(self) -> None:
        await self._pool.close()

    async def _ask(
        self, task: str, content: bytes, media_type: str, *, number: int = 1, width: int = 1
    ) -> Frame | None:
        said = {
            "task": task,
            "media_type": media_type,
            "number": number,
            "width": width,
            "limits": asdict(self._limits.read),
        }
        answer = await self._pool.ask(Frame(said, (content,)))
        if "rejected" in answer.said:
            detail = str(answer.said.get("detail", ""))[:500]
            raise Rejected(str(answer.said["rejected"])[:100], detail)
        return None if "absent" in answer.said else answer


def _heard(
    read: Callable[[Mapping[str, Any]], Sequence[T]], said: Mapping[str, Any]
) -> Sequence[T]:
    try:
        return read(said)
    except (KeyError, TypeError, ValueError) as error:
        raise Rejected("parser_crashed", "the answer has another shape") from error


def _words(said: Mapping[str, Any]) -> Sequence[PlacedWord]:
    return [
        PlacedWord(
            str(text)[:WORD_CHARS_MAX],
            (_share(left), _share(top), _share(right), _share(bottom)),
        )
        for text, left, top, right, bottom in said["words"]
    ]


def _pages(said: Mapping[str, Any]) -> Sequence[Page]:
    return [
        Page(number, _length(width), _length(height))
        for number, (width, height) in enumerate(said["sizes"], 1)
    ]


def _share(told: object) -> float:
    return min(1.0, max(0.0, _length(told)))


def _length(told: object) -> float:
    found = float(told)  # type: ignore[arg-type]  # what is no number raises
    if not isfinite(found) or found < 0:
        raise ValueError("no length")
    return found
