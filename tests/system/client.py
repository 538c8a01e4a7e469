"""The APIs of the stack as a program outside uses them: HTTP, a key, and patience.

An upload carries an idempotency key made before its first try, so that a try whose answer was
lost is repeated without a second document. Every document the stack said yes to is
remembered: what it said yes to must end.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

import httpx

from tests.eventually import eventually
from tests.system.invoices import Batch
from tests.system.stack import Stack

PROBLEM = "application/problem+json"
TIMEOUT_S = 20.0
UPLOADS_AT_ONCE = 4
ENGINE_CALLS = re.compile(r"^processing_duration_seconds_count (\S+)$", re.MULTILINE)
ENDED = frozenset({"completed", "failed", "duplicate", "cancelled"})


@dataclass(slots=True)
class Client:
    stack: Stack
    http: httpx.AsyncClient
    promised: set[UUID] = field(default_factory=set)

    async def upload(
        self, content: bytes, *, filename: str = "invoice.pdf", **headers: str
    ) -> httpx.Response:
        """One try. Further headers by name: `idempotency_key=…`, `x_priority=…`."""
        given = {name.replace("_", "-"): text for name, text in headers.items()}
        sent = self.stack.history.sending(content, headers.get("idempotency_key"))
        try:
            answer = await self.http.post(
                self._url("ingest", "/v1/documents"),
                content=content,
                headers={**self._login(), "X-Filename": filename, **given},
            )
        except httpx.TransportError as error:
            sent.lost(error)
            raise
        accepted = answer.status_code == HTTPStatus.ACCEPTED
        document_id = UUID(answer.json()["document_id"]) if accepted else None
        sent.told(answer.status_code, document_id)
        if document_id is not None:
            self.promised.add(document_id)
        return answer

    async def hand_in(self, content: bytes, *, filename: str = "invoice.pdf") -> UUID:
        """Tried until it is accepted, as the same upload each time."""
        key, answers = str(uuid4()), list[httpx.Response]()

        async def is_accepted() -> bool:
            try:
                answer = await self.upload(content, filename=filename, idempotency_key=key)
            except httpx.TransportError:
                return False
            answers.append(answer)
            return answer.status_code == HTTPStatus.ACCEPTED

        await eventually(is_accepted, within_s=60, every_s=0.2)
        return UUID(answers[-1].json()["document_id"])

    async def hand_in_all(self, batch: Batch) -> list[UUID]:
        turn = asyncio.Semaphore(UPLOADS_AT_ONCE)

        async def one(name: str, content: bytes) -> UUID:
            async with turn:
                return await self.hand_in(content, filename=name)

        return list(await asyncio.gather(*(one(*named) for named in batch.files.items())))

    async def hand_in_together(
        self, contents: Sequence[bytes], *, filename: str, idempotency_key: str
    ) -> httpx.Response:
        """One try of one batch. What it accepts has been promised."""
        answer = await self.http.post(
            self._url("ingest", "/v1/batches"),
            files=[("files", (filename, one)) for one in contents],
            headers={**self._login(), "Idempotency-Key": idempotency_key},
        )
        if answer.status_code == HTTPStatus.ACCEPTED:
            assert not answer.json()["rejected"], answer.text
            for member in answer.json()["items"]:
                self.promised.add(UUID(member["document_id"]))
                told = {"status": answer.status_code, "document_id": member["document_id"]}
                self.stack.history.note("told", **told)
        return answer

    async def ends(self, document_id: UUID, *, within_s: float = 30.0) -> dict[str, Any]:
        """What is known of the document once its status is final."""

        async def has_ended() -> bool:
            return (await self.document(document_id))["status"] in ENDED

        await eventually(has_ended, within_s=within_s, every_s=0.1)
        return await self.document(document_id)

    async def document(self, document_id: UUID) -> dict[str, Any]:
        return await self.get("ingest", f"/v1/documents/{document_id}")

    async def events(self, document_id: UUID) -> list[str]:
        """The types of what has happened to it, in the order of its timeline."""
        page = await self.get("ingest", f"/v1/documents/{document_id}/events")
        return [event["type"] for event in page["items"]]

    async def note_all(self) -> None:
        """What others handed in was promised as well, and what they deleted is no more."""
        self.promised |= await self._ids("/v1/documents?limit=200")
        self.promised -= await self._ids("/v1/documents?limit=200&status=deleted")

    async def _ids(self, path: str | None) -> set[UUID]:
        found = set[UUID]()
        while path is not None:
            page = await self.get("ingest", path)
            found |= {UUID(one["document_id"]) for one in page["items"]}
            path = page["next"]
        return found

    async def engine_calls(self) -> int:
        """How often the running extractor has been answered by an engine."""
        answer = await self.http.get(self.stack.address("extractor_ops") + "/metrics")
        [count] = ENGINE_CALLS.findall(answer.text)
        return int(float(count))

    async def letters(self, document_id: UUID) -> list[dict[str, Any]]:
        """The dead letters of a document, latest first."""
        path = f"/ops/v1/dead-letters?document_id={document_id}"
        found: list[dict[str, Any]] = (await self.get("monitor", path))["letters"]
        return found

    async def replay(self, letter_id: str) -> httpx.Response:
        path = f"/ops/v1/dead-letters/{letter_id}/replay"
        return await self.post("monitor", path, json={"reason": "the cause is gone"})

    async def settles(self, replay: httpx.Response) -> str:
        """How a replay ended."""
        assert replay.status_code == HTTPStatus.ACCEPTED, replay.text
        views: list[dict[str, Any]] = []

        async def is_settled() -> bool:
            views.append(await self.get("monitor", replay.headers["Location"]))
            return bool(views[-1]["state"] == "settled")

        await eventually(is_settled, within_s=20, every_s=0.1)
        return str(views[-1]["outcome"])

    async def review_item(self, document_id: UUID) -> httpx.Response:
        """It is opened by a message, so shortly after the document has ended."""
        answers: list[httpx.Response] = []

        async def is_open() -> bool:
            url = self._url("review", f"/v1/items/{document_id}")
            answers.append(await self.http.get(url, headers=self._login()))
            return answers[-1].status_code == HTTPStatus.OK

        await eventually(is_open, every_s=0.1)
        return answers[-1]

    async def approve(self, document_id: UUID) -> httpx.Response:
        """Claimed, looked at, approved: the way of a person. Others hand in the same invoice
        here; where nothing else speaks against it, the person says that this is known."""
        home = f"/v1/items/{document_id}"
        claimed = await self.post("review", f"{home}/claim")
        assert claimed.status_code == HTTPStatus.OK, claimed.text
        seen = {"If-Match": claimed.headers["ETag"]}
        answer = await self.post("review", f"{home}/approve", headers=seen)
        if not is_repeated(answer):
            return answer
        why = {"override": "It is another test's invoice."}
        return await self.post("review", f"{home}/approve", json=why, headers=seen)

    async def correct(self, document_id: UUID, path: str, value: str) -> httpx.Response:
        """By the person with this key, who holds it from then on."""
        home = f"/v1/items/{document_id}"
        claimed = await self.post("review", f"{home}/claim")
        assert claimed.status_code == HTTPStatus.OK, claimed.text
        return await self.http.patch(
            self._url("review", f"{home}/fields"),
            json={"changes": [{"op": "set", "path": path, "value": value}]},
            headers={**self._login(), "If-Match": claimed.headers["ETag"]},
        )

    async def split(self, document_id: UUID, *pages: list[int]) -> httpx.Response:
        """Every part a document of its own."""
        item = await self.review_item(document_id)
        return await self.post(
            "review",
            f"/v1/items/{document_id}/split",
            json={"parts": [{"pages": one} for one in pages], "reason": "Several in one."},
            headers={"If-Match": item.headers["ETag"]},
        )

    async def reject(self, document_id: object) -> httpx.Response:
        """Whoever holds it."""
        home, why = f"/v1/items/{document_id}", {"reason": "Nobody needs it any more."}
        held = await self.post("review", f"{home}/takeover", json=why)
        assert held.status_code == HTTPStatus.OK, held.text
        seen = {"If-Match": held.headers["ETag"]}
        return await self.post("review", f"{home}/reject", json=why, headers=seen)

    async def to_review(self, content: bytes, *, filename: str) -> UUID:
        """Handed in, read, and waiting for a person."""
        document_id = await self.hand_in(content, filename=filename)
        await self.ends(document_id)
        await self.review_item(document_id)
        return document_id

    async def get(self, service: str, path: str) -> dict[str, Any]:
        answer = await self.ask(service, path)
        assert answer.status_code == HTTPStatus.OK, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def ask(self, service: str, path: str) -> httpx.Response:
        """Whatever the answer is."""
        return await self.http.get(self._url(service, path), headers=self._login())

    async def post(
        self,
        service: str,
        path: str,
        *,
        json: object = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        return await self.http.post(
            self._url(service, path), json=json, headers={**self._login(), **(headers or {})}
        )

    async def put(self, service: str, path: str, *, json: object) -> httpx.Response:
        return await self.http.put(self._url(service, path), json=json, headers=self._login())

    async def delete(self, service: str, path: str) -> httpx.Response:
        return await self.http.delete(self._url(service, path), headers=self._login())

    def _url(self, service: str, path: str) -> str:
        return self.stack.address(f"{service}_api") + path

    def _login(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.stack.key}"}


def is_repeated(answer: httpx.Response) -> bool:
    """An approval that was refused because the invoice is here twice, and for nothing else."""
    if answer.status_code != HTTPStatus.CONFLICT:
        return False
    told = answer.json()
    against = [one["detail"] for one in told.get("errors", [])]
    return bool(against) and all(one.startswith("Probable duplicate of ") for one in against)


@asynccontextmanager
async def client_of(
    stack: Stack, told: Callable[[bytes], None] | None = None
) -> AsyncIterator[Client]:
    """`told` hears every problem that it is answered with."""

    async def heard(answer: httpx.Response) -> None:
        if told and answer.headers.get("Content-Type") == PROBLEM:
            told(await answer.aread())

    hooks = {"response": [heard]}
    async with httpx.AsyncClient(timeout=TIMEOUT_S, event_hooks=hooks) as http:
        yield Client(stack, http)
