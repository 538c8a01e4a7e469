"""Timelines that grow no further, and may be slow or away."""

import asyncio
from typing import Any
from uuid import UUID

from services.ingest.domain.documents import Event
from shared.errors import Retryable
from tests.fakes.clock import NOON


class Timelines:
    """Every document has the same number of events."""

    def __init__(self, events: int) -> None:
        self.asked: list[dict[UUID, int]] = []
        self.away = False
        # Its answer is on its way until then.
        self.meanwhile: asyncio.Event | None = None
        self._events = [
            Event(seq, NOON, "document.progress", {}) for seq in range(1, events + 1)
        ]

    async def list_new_events(self, after: Any, *, limit: int) -> list[tuple[UUID, Event]]:  # noqa: ANN401
        self.asked.append(dict(after))
        if self.away:
            raise Retryable("the database is away", dependency="postgres")
        if self.meanwhile is not None:
            await self.meanwhile.wait()
        return [
            (document_id, event)
            for document_id, seq in after.items()
            for event in [one for one in self._events if one.seq > seq][:limit]
        ]
