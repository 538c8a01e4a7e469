"""What the parser's child says about one document, as an outcome.

The child itself, and every way in which a hostile file can end it, is `shared/sandbox`.
"""

import json
from dataclasses import dataclass
from typing import Any

from services.extractor.domain.reading import Scan
from shared.errors import Rejected
from shared.sandbox.child import Bounds, Child

CHILD = "services.extractor.adapters.parser.child"
ANSWER_BYTES_MAX = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    memory_bytes: int
    cpu_s: int
    wall_s: float
    pages: int
    chars: int
    at_once: int


class Sandbox:
    def __init__(self, limits: SandboxLimits) -> None:
        self._limits = limits
        bounds = Bounds(
            limits.memory_bytes,
            limits.cpu_s,
            limits.wall_s,
            ANSWER_BYTES_MAX,
            limits.at_once,
        )
        self._child = Child(CHILD, bounds)

    async def ask(self, task: str, scan: Scan) -> dict[str, Any]:
        """The child's answer. Raises Rejected with its reason, or with how the child died."""
        wanted = json.dumps({"task": task, "media_type": scan.media_type}).encode() + b"\n"
        numbers = (self._limits.pages, self._limits.chars)
        answer = understood(await self._child.ask(wanted + scan.content, numbers))
        if "rejected" in answer:
            raise Rejected(str(answer["rejected"]), str(answer.get("detail", ""))[:500])
        return answer


def understood(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except ValueError as error:
        raise Rejected("parser_crashed", "the answer is not JSON") from error
    if not isinstance(answer, dict):
        raise Rejected("parser_crashed", "the answer is not an object")
    return answer
