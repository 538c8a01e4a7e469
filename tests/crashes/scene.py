"""The setting of one death: a client, what it handed in, and what it will not give up.

Whoever is cut off in the middle says the same again, as clients do, until it is answered; what
is answered by a later try may have been done by an earlier one, and counts once.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import cycle, islice
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

import httpx

from tests.eventually import eventually
from tests.gemini_double.server import GeminiDouble
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, SAMPLES, invoice
from tests.system.records import Records
from tests.system.stack import Stack

T = TypeVar("T")
Request: TypeAlias = Callable[[], Awaitable[httpx.Response]]
# Prepared with everything whole; acted once the process is armed; finished when it is whole
# again: a deed stops twice in between.
Steps: TypeAlias = AsyncGenerator[None, None]
INSISTS_S = 90.0
ENDS_WITHIN_S = 120.0
BEHIND = """
SELECT FROM storage.outputs JOIN ingest.documents USING (document_id)
 WHERE published_at IS NULL AND starts_with(filename, $1)
"""
# What a client or a gateway in between says of a try that may be repeated.
LATER = (
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.TOO_MANY_REQUESTS,
)


@dataclass(slots=True)
class Scene:
    client: Client
    records: Records
    # How many documents.
    count: int
    # A configuration by which what has ended ten days ago is erased.
    ten_days: Path
    # None: no provider is asked.
    provider: GeminiDouble | None = None
    # Where the process is to die, for a deed that starts it itself.
    failpoint: str = ""
    name: str = field(default_factory=lambda: token_hex(6))
    read_anew: set[UUID] = field(default_factory=set)
    cancelled: set[UUID] = field(default_factory=set)
    # Nothing can be done for these: nobody sends their letters back.
    unreadable: set[UUID] = field(default_factory=set)
    # Failpoints that were met where the log of a service does not tell.
    met: list[str] = field(default_factory=list)
    _begun: list["asyncio.Future[Any]"] = field(default_factory=list)

    @property
    def stack(self) -> Stack:
        return self.client.stack

    @property
    def promised(self) -> set[UUID]:
        return self.client.promised - self.unreadable

    def begin(self, work: Coroutine[Any, Any, T]) -> "asyncio.Future[T]":
        """Goes on while the process dies and comes back."""
        self._begun.append(asyncio.ensure_future(work))
        begun: asyncio.Future[T] = self._begun[-1]
        return begun

    async def all_begun(self) -> None:
        await asyncio.gather(*self._begun)

    async def give_up(self) -> None:
        for one in self._begun:
            one.cancel()
        await asyncio.gather(*self._begun, return_exceptions=True)

    async def insist(self, request: Request, *also: HTTPStatus) -> httpx.Response:
        """`also` says that an earlier try has done it."""
        answers: list[httpx.Response] = []

        async def is_answered() -> bool:
            try:
                answers.append(await request())
            except httpx.TransportError:
                return False
            status, text = answers[-1].status_code, answers[-1].text
            assert status not in LATER, text
            if not answers[-1].is_success and status not in also:
                raise ValueError(f"{answers[-1].url}: {status} {text}")
            return True

        await eventually(is_answered, within_s=INSISTS_S, every_s=0.25)
        return answers[-1]

    def contents(self) -> Sequence[bytes]:
        samples = islice(cycle(sorted(SAMPLES.glob("*.pdf"))), self.count)
        return [invoice(one) for one in samples]

    def hand_in(self) -> None:
        """Begun: ingest itself may be what dies of it."""
        for content in self.contents():
            self.begin(self.handed_in(content))

    async def handed_in(self, content: bytes) -> UUID:
        return await self.client.hand_in(content, filename=f"{self.name}.pdf")

    async def all_handed_in(self) -> list[UUID]:
        return list(await asyncio.gather(*map(self.handed_in, self.contents())))

    async def in_review(self, *contents: bytes) -> list[UUID]:
        documents = await asyncio.gather(
            *map(self.handed_in, contents or self.contents()),
        )
        for one in documents:
            await self.client.ends(one, within_s=ENDS_WITHIN_S)
            await self.client.review_item(one)
        await self.rests()
        return list(documents)

    async def approvable(self) -> list[UUID]:
        """Nothing stands in them that somebody would have to correct first."""
        return await self.in_review(*(invoice() for _ in range(self.count)))

    async def approved(self) -> list[UUID]:
        documents = await self.approvable()
        for one in documents:
            await self.approve(one)
        await self.rests()
        return documents

    async def approve(self, document_id: UUID) -> None:
        async def is_approved() -> bool:
            with suppress(httpx.TransportError):
                item = await self.client.get("review", f"/v1/items/{document_id}")
                if item["status"] in ("approved", "corrected"):
                    return True
                await self.client.approve(document_id)
            return False

        await eventually(is_approved, within_s=INSISTS_S, every_s=0.25)

    async def locked(self) -> list[UUID]:
        """As many as no machine can open, each with its letter. They are no part of what has
        to end well, so they have another name."""
        name = f"locked-{self.name}.pdf"

        async def hand_in() -> UUID:
            made = await self.client.hand_in(invoice(ENCRYPTED), filename=name)
            self.unreadable.add(made)
            return made

        documents = await asyncio.gather(*(hand_in() for _ in range(self.count)))
        for one in documents:
            await eventually(partial(self.has_an_open_letter, one), within_s=INSISTS_S)
        return list(documents)

    async def has_an_open_letter(self, document_id: UUID) -> bool:
        with suppress(httpx.TransportError):
            letters = await self.client.letters(document_id)
            return any(one["state"] == "open" for one in letters)
        return False

    async def send_back(self) -> None:
        """What an operator does for what failed with a process that lived on."""
        with suppress(httpx.TransportError, AssertionError):
            page = await self.client.get("monitor", "/ops/v1/dead-letters?state=open&limit=200")
            for letter in page["letters"]:
                if letter["document_id"] not in {*map(str, self.unreadable)}:
                    await self.client.replay(letter["letter_id"])

    async def shows(self, sql: str, *given: object) -> None:
        """Some table comes to hold such a row."""

        async def is_there() -> bool:
            return bool(await self.records.rows(sql, *given))

        await eventually(is_there, within_s=INSISTS_S, every_s=0.25)

    async def rests(self) -> None:
        await eventually(self._rests, within_s=INSISTS_S, every_s=0.1)

    async def _rests(self) -> bool:
        # What was stored is shown after its delivery, and after a death by a repair.
        behind = await self.records.rows(BEHIND, self.name)
        return not behind and await self.records.is_quiet()
