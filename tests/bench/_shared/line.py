"""All five services in a row, real but for the engine, which costs nothing or only time.

Every one is a process of its own before a broker and a database of its own, with everything
on; what a document costs here is what we add to an engine. An operator may hold the line at
its first queue, so that a backlog waits for nobody's clock.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from secrets import token_hex
from typing import TypeAlias
from uuid import UUID

import asyncpg

from deploy.local.ports import remembered
from shared.topology.queues import EXTRACT
from tests.bench._shared import instant_extractor
from tests.bench._shared.progress_watch import Waiting, waiting_in
from tests.bench._shared.quiet_stack import UNLIMITED, give_room, own_stack
from tests.bench._shared.report import say
from tests.bench._shared.uploads import sender, upload_all
from tests.bench._shared.used import SERVERS, Used, used_by
from tests.eventually import eventually
from tests.system.client import Client, client_of
from tests.system.replicas import replica_of
from tests.system.stack import SERVICES, Stack

PATH = "/v1/documents"
QUEUE = f"/ops/v1/queues/{EXTRACT.name}"
# As its setting advises: so many times the slots of all extractors.
WINDOW_OF_SLOTS = 4
STEERED_WITHIN_S = 30.0
HELD_S = 3_600
SIZE_BYTES = 2_000

Database: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
# A document handed in, and its id.
Sending: TypeAlias = Callable[[bytes], Awaitable[UUID]]


@dataclass(frozen=True, slots=True)
class Line:
    stack: Stack
    database: Database
    parts: Mapping[str, str]
    waiting: Waiting
    client: Client

    async def hand_in(self, contents: Sequence[bytes], *, priority: str = "") -> None:
        key = self.stack.key
        await upload_all(self._port, PATH, contents, key=key, priority=priority)

    @asynccontextmanager
    async def sending(self, *, priority: str = "") -> AsyncIterator[Sending]:
        """One after the other, over a connection that is kept."""
        key = self.stack.key
        async with sender(self._port, PATH, key=key, priority=priority) as send:

            async def hand_in(content: bytes) -> UUID:
                return UUID(json.loads(await send(content))["document_id"])

            yield hand_in

    def used(self) -> Used:
        return used_by(self.stack.state, self.parts)

    async def hold(self) -> None:
        asked = {"reason": "A backlog is made.", "for_s": HELD_S}
        await self._ask("pause", asked)
        await eventually(self._stands_still, within_s=STEERED_WITHIN_S, every_s=0.1)

    async def let_go(self) -> None:
        """Ends when the first is taken: how soon an operator is heard is not measured here."""
        await self._ask("resume", {"reason": "The backlog is there."})
        await eventually(self.waiting.is_taken, within_s=STEERED_WITHIN_S, every_s=0.01)

    async def _ask(self, what: str, asked: Mapping[str, object]) -> None:
        answer = await self.client.post("monitor", f"{QUEUE}/{what}", json=dict(asked))
        if answer.status_code != HTTPStatus.ACCEPTED:
            raise RuntimeError(f"{what} was answered with {answer.status_code}")

    async def _stands_still(self) -> bool:
        return not await self.waiting.is_taken()

    @property
    def _port(self) -> int:
        return remembered(self.stack.state)["ingest_api"]


@asynccontextmanager
async def line_of(name: str, *, slots: int, think_s: float = 0.0) -> AsyncIterator[Line]:
    """The extractor has so many slots, and its engine takes so long."""
    window = {"PAPERLINE_PIPELINE_WINDOW": str(WINDOW_OF_SLOTS * slots)}
    async with own_stack(name, **UNLIMITED, **window) as stack:
        await give_room(stack)
        await stack.stop("extractor")
        say("an extractor whose engine costs nothing takes the place of the real one")
        program = (instant_extractor.MODULE, "--think", str(think_s))
        own = {"PAPERLINE_EXTRACT_SLOTS": str(slots)}
        async with (
            replica_of(stack, "extractor", 2, program=program, **own) as extractor,
            waiting_in(stack) as waiting,
            client_of(stack) as client,
            _looking_into(stack.database_url) as database,
        ):
            parts = {one: one for one in SERVICES} | {"extractor": extractor.component}
            yield Line(stack, database, {**parts, **SERVERS}, waiting, client)


@asynccontextmanager
async def _looking_into(url: str) -> AsyncIterator[Database]:
    database = await asyncpg.connect(url)
    try:
        yield database
    finally:
        await database.close()


def documents(count: int) -> list[bytes]:
    """Small and all different: nobody opens them, and their bytes are not what is measured."""
    filling = token_hex(SIZE_BYTES // 2).encode()
    return [b"%PDF-1.7\n% " + token_hex(16).encode() + b"\n" + filling for _ in range(count)]
