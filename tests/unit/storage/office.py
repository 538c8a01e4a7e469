"""The storage API over a world in memory, with what people and programs ask of it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import httpx

from services.storage.api import build
from services.storage.handlers.exporting import run_next_export
from services.storage.handlers.storing import finalise_documents, store_documents
from shared.contracts.orders import Verdict
from tests import builders
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.storage.world import World

OWNER = key_of(builders.OWNER, "submitter")
STRANGER = key_of("other", "submitter")
REVIEWER = key_of("anna", "reviewer")
ADMIN = key_of("root", "admin")
# Of the same owner, and for less.
LESSER = key_of("root", "submitter")


class Office(World):
    def __init__(self) -> None:
        super().__init__()
        self.client = httpx.AsyncClient(transport=self._app(), base_url="http://storage")

    def limited(self, **limits: int) -> None:
        self.outlets = replace(self.outlets, limits=replace(self.outlets.limits, **limits))
        self.client = httpx.AsyncClient(transport=self._app(), base_url="http://storage")

    def _app(self) -> httpx.ASGITransport:
        return httpx.ASGITransport(build(self.outlets, entrance()))

    async def stored(self, **given: object) -> UUID:
        order = self.order(uuid4(), **given)
        await store_documents([order], self.use)
        return order.body.document_id

    async def approved(self, verdict: Verdict = "approved") -> UUID:
        document_id = await self.stored()
        await finalise_documents([self.decision(document_id, verdict=verdict)], self.use)
        return document_id

    async def read(self, document_id: UUID, fields: dict[str, str | None]) -> None:
        """As if all of this had been read of its current version."""
        row = self.results.rows[document_id, self.results.current[document_id].version]
        content = json.loads(self.blobs.objects[row.result_key])
        content["fields"] = {path: {"value": value} for path, value in fields.items()}
        self.blobs.objects[row.result_key] = json.dumps(content).encode()

    async def get(self, path: str, headers: dict[str, str] = OWNER) -> httpx.Response:
        return await self.client.get(path, headers=headers)

    async def post(
        self, path: str, headers: dict[str, str] = OWNER, /, **body: object
    ) -> httpx.Response:
        return await self.client.post(path, headers=headers, json=body)

    async def made(self, **asked: object) -> dict[str, Any]:
        """An export that was made in the background."""
        ordered = await self.post("/v1/exports", **asked)
        assert ordered.status_code == 202, ordered.text
        await run_next_export(self.outlets)
        shown = await self.get(ordered.headers["Location"])
        return dict(shown.json())


@asynccontextmanager
async def open_office() -> AsyncIterator[Office]:
    office = Office()
    async with office.client:
        yield office
