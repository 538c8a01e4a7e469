"""A client that hands in one document after the other, and remembers what it was told.

It asks at whatever address it is given at that moment, as behind a proxy, keeps a few documents
under way and never more, and writes down every answer that was no yes. What it was promised is
its own history: what a stack has lost can only be seen from outside.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import cycle
from secrets import token_hex
from uuid import UUID

import httpx

from tests.eventually import eventually
from tests.system.client import ENDED
from tests.system.invoices import SAMPLES, invoice

UNDER_WAY = 4
ENDS_WITHIN_S = 180.0
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Handed:
    """One upload that was accepted, and what it takes to repeat it."""

    key: str
    content: bytes
    filename: str
    document_id: UUID


@dataclass(slots=True)
class Steady:
    door: Callable[[], str]
    api_key: Callable[[], str]
    http: httpx.AsyncClient
    name: str = field(default_factory=lambda: token_hex(6))
    # In the order in which they were accepted.
    handed: list[Handed] = field(default_factory=list)
    ended: list[Handed] = field(default_factory=list)
    # Whatever was not a yes, in words.
    troubles: list[str] = field(default_factory=list)
    _open: deque[Handed] = field(default_factory=deque)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        self._stopping.clear()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._work())
            try:
                yield
            finally:
                self._stopping.set()

    async def goes_on(self, count: int = 3) -> None:
        """So many documents that are handed in from now on come to their end."""
        already = len(self.handed)

        def have_ended() -> bool:
            after = {one.key for one in self.handed[already:]}
            return len(after & {one.key for one in self.ended}) >= count

        await eventually(have_ended, within_s=ENDS_WITHIN_S, every_s=0.1)

    async def all_end(self) -> None:
        """Of a client that hands in no more."""

        async def none_is_open() -> bool:
            await self._look()
            return not self._open

        await eventually(none_is_open, within_s=ENDS_WITHIN_S, every_s=0.2)

    async def repeat(self, one: Handed) -> UUID:
        """The same request with the same key, as after an answer that never came."""
        return await self._accepted(one.key, one.content, one.filename)

    async def _work(self) -> None:
        samples = cycle(sorted(SAMPLES.glob("*.pdf")))
        while not self._stopping.is_set():
            await eventually(self._has_room, within_s=ENDS_WITHIN_S, every_s=0.2)
            number, key = len(self.handed), token_hex(8)
            content, filename = invoice(next(samples)), f"{self.name}-{number}.pdf"
            document_id = await self._accepted(key, content, filename)
            self.handed.append(Handed(key, content, filename, document_id))
            self._open.append(self.handed[-1])

    async def _has_room(self) -> bool:
        await self._look()
        return len(self._open) < UNDER_WAY or self._stopping.is_set()

    async def _look(self) -> None:
        for one in [*self._open]:
            answer = await self._said("GET", f"/v1/documents/{one.document_id}")
            if answer is not None and answer.json()["status"] in ENDED:
                self._open.remove(one)
                self.ended.append(one)

    async def _accepted(self, key: str, content: bytes, filename: str) -> UUID:
        told: list[UUID] = []

        async def is_accepted() -> bool:
            named = {"Idempotency-Key": key, "X-Filename": filename}
            answer = await self._said("POST", "/v1/documents", content=content, named=named)
            if answer is not None:
                told.append(UUID(answer.json()["document_id"]))
            return bool(told)

        await eventually(is_accepted, within_s=60, every_s=0.2)
        return told[-1]

    async def _said(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        named: dict[str, str] | None = None,
    ) -> httpx.Response | None:
        headers = {"Authorization": f"Bearer {self.api_key()}", **(named or {})}
        door = self.door()
        try:
            answer = await self.http.request(
                method, door + path, content=content, headers=headers
            )
        except httpx.TransportError as error:
            self.troubles.append(f"{method} {door}{path}: {error!r}")
            return None
        if answer.status_code not in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
            self.troubles.append(f"{method} {door}{path}: {answer.status_code} {answer.text}")
            return None
        return answer


@asynccontextmanager
async def steady_client(
    door: Callable[[], str], api_key: Callable[[], str]
) -> AsyncIterator[Steady]:
    async with httpx.AsyncClient(timeout=TIMEOUT_S) as http:
        yield Steady(door, api_key, http)
