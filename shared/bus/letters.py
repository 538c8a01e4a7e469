"""A dead letter as it lies in a dead queue: bytes and facts about a failure, never a job.

What could not be decoded is here too, so nothing in a letter may be assumed to be readable.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.bus.headers import Headers


@dataclass(frozen=True, slots=True)
class Letter:
    # The queue the letter lies in: `<queue>.dead` or `unroutable`.
    dead_queue: str
    # Where it failed, from its own headers; for `unroutable`, where it was sent.
    origin_queue: str
    body: bytes
    headers: Headers
    message_id: str
    content_type: str
    priority: int


class LetterHandler(Protocol):
    """Keeps letters. Returns when they are committed; on any error they stay in the queue."""

    async def __call__(self, letters: Sequence[Letter], /) -> None: ...
