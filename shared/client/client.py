"""The calls of the API, one method each; the same rules for all of them are in `transport`."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote
from uuid import UUID

import httpx

from shared.client import answers
from shared.client.answers import Accepted, Batch, Document, Page, Result, Status
from shared.client.errors import Refused
from shared.client.sending import Bytes, Content, File, Form, Wishes, content_of
from shared.client.transport import Request, Transport

PATIENCE_S = 120.0
POLL_S = 0.5
DOCUMENTS, BATCHES = "/v1/documents", "/v1/batches"
ZIP = "application/zip"
PLAIN = Wishes()


class Client:
    """Safe to share between threads. Use it in a `with`, or close it."""

    def __init__(
        self,
        address: str,
        key: str,
        *,
        patience_s: float = PATIENCE_S,
        sleep: Callable[[float], object] = time.sleep,
        through: httpx.BaseTransport | None = None,
        ca_file: Path | None = None,
    ) -> None:
        """`patience_s`: how long a busy or absent API is waited for, each time. `ca_file`: who
        has to have certified it; without it, whom the machine believes."""
        self.address = address
        self._sleep = sleep
        self._transport = Transport(
            address, key, patience_s=patience_s, sleep=sleep, through=through, ca_file=ca_file
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def submit(
        self,
        given: Path | bytes,
        *,
        filename: str = "",
        wishes: Wishes = PLAIN,
        password: str | None = None,
        idempotency_key: str | None = None,
    ) -> Accepted:
        """Hand a document in; with its password, when it is locked, which nobody keeps."""
        name = filename or (given.name if isinstance(given, Path) else "")
        headers = _named(name)
        if password:
            headers["X-Document-Password"] = quote(password, safe="")
        response = self._make(
            DOCUMENTS, content_of(given), wishes, headers, idempotency_key=idempotency_key
        )
        return answers.accepted(response.json(), replayed=_was_replayed(response))

    def status(self, document_id: UUID, known: Status | None = None) -> Status:
        """`known` is what was told last; it is returned when nothing has changed since."""
        headers = {"If-None-Match": known.etag} if known and known.etag else {}
        response = self._ask("GET", f"{DOCUMENTS}/{document_id}/status", headers=headers)
        if known is not None and response.status_code == HTTPStatus.NOT_MODIFIED:
            return known
        return answers.status(response.json(), response.headers.get("etag", ""))

    def wait(
        self, document_id: UUID, *, within_s: float = float("inf"), every_s: float = POLL_S
    ) -> Status:
        """How it ended; or how it stands when time is up."""
        deadline = time.monotonic() + within_s
        found = self.status(document_id)
        while not found.ended and time.monotonic() + every_s < deadline:
            self._sleep(every_s)
            found = self.status(document_id, found)
        return found

    def document(self, document_id: UUID) -> Document:
        return answers.document(self._ask("GET", f"{DOCUMENTS}/{document_id}").json())

    def result(self, document_id: UUID) -> Result:
        """What was read, as it is now: a review may have corrected it."""
        return answers.result(self._ask("GET", f"{DOCUMENTS}/{document_id}/result").json())

    def content(self, document_id: UUID) -> Iterator[bytes]:
        """The original, in pieces."""
        with self._transport.stream(f"{DOCUMENTS}/{document_id}/content") as pieces:
            yield from pieces

    def cancel(self, document_id: UUID) -> Status:
        """Refused once it has ended in another way."""
        try:
            self._ask("POST", f"{DOCUMENTS}/{document_id}/cancel")
        except Refused as refusal:
            # The answer to the first try may be the one that got lost.
            found = self.status(document_id) if refusal.reason == "already_ended" else None
            if found is None or found.status != "cancelled":
                raise
            return found
        return self.status(document_id)

    def reprocess(self, document_id: UUID) -> Status:
        """Begin what has failed anew. Not repeated by itself: it may have begun."""
        path = f"{DOCUMENTS}/{document_id}/reprocess"
        self._transport.ask(Request("POST", path, repeatable=False))
        return self.status(document_id)

    def delete(self, document_id: UUID) -> None:
        """Erases what it said. Deleting twice is deleting once."""
        self._ask("DELETE", f"{DOCUMENTS}/{document_id}")

    def page(self, limit: int = 50, **filters: str) -> Page[Document]:
        """The newest. Filters: status, priority, tag, engine, accepted_after and _before, q."""
        words = {"limit": str(limit), **filters}
        return answers.page(self._ask("GET", DOCUMENTS, words=words).json())

    def documents(self, *, page_items: int = 200, **filters: str) -> Iterator[Document]:
        """All of them, newest first, as many as are asked for."""
        found = self.page(page_items, **filters)
        yield from found.items
        while found.next is not None:
            found = answers.page(self._ask("GET", found.next).json())
            yield from found.items

    def submit_batch(
        self,
        files: Sequence[Path],
        *,
        wishes: Wishes = PLAIN,
        idempotency_key: str | None = None,
    ) -> Batch:
        """Many documents in one request; one refused file does not keep the others out."""
        form = Form(files, wishes.words())
        return _batch(self._make(BATCHES, form, PLAIN, {}, idempotency_key=idempotency_key))

    def submit_archive(
        self,
        given: Path | bytes,
        *,
        wishes: Wishes = PLAIN,
        idempotency_key: str | None = None,
    ) -> Batch:
        """The files of a ZIP as one batch; it is unpacked over there."""
        content = Archive(given) if isinstance(given, Path) else Bytes(given, ZIP)
        headers = _named(given.name if isinstance(given, Path) else "")
        return _batch(
            self._make(BATCHES, content, wishes, headers, idempotency_key=idempotency_key)
        )

    def batch(self, batch_id: UUID, known: Batch | None = None) -> Batch:
        """`known` is what was told last; it is returned when nothing has changed since."""
        headers = {"If-None-Match": known.etag} if known and known.etag else {}
        response = self._ask("GET", f"{BATCHES}/{batch_id}", headers=headers)
        if known is not None and response.status_code == HTTPStatus.NOT_MODIFIED:
            return known
        return _batch(response)

    def wait_batch(
        self, batch_id: UUID, *, within_s: float = float("inf"), every_s: float = POLL_S
    ) -> Batch:
        deadline = time.monotonic() + within_s
        found = self.batch(batch_id)
        while not found.ended and time.monotonic() + every_s < deadline:
            self._sleep(every_s)
            found = self.batch(batch_id, found)
        return found

    def cancel_batch(self, batch_id: UUID) -> Batch:
        """What of it is still under way."""
        self._ask("POST", f"{BATCHES}/{batch_id}/cancel")
        return self.batch(batch_id)

    def _make(
        self,
        path: str,
        content: Content,
        wishes: Wishes,
        headers: Mapping[str, str],
        *,
        idempotency_key: str | None,
    ) -> httpx.Response:
        key = idempotency_key or str(uuid.uuid4())
        return self._transport.ask(
            Request(
                "POST",
                path,
                words=wishes.words(),
                headers={**headers, "Idempotency-Key": key},
                content=content,
            )
        )

    def _ask(
        self,
        method: str,
        path: str,
        *,
        words: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        return self._transport.ask(
            Request(method, path, words=words or {}, headers=headers or {})
        )


class Archive(File):
    """A ZIP, by whatever name it goes."""

    @property
    def media_type(self) -> str:
        return ZIP


def _named(filename: str) -> dict[str, str]:
    # HTTP headers are ASCII; the other side decodes them as it would part of a URL. A name on
    # a disk may be no text at all.
    return {"X-Filename": quote(filename, safe="", errors="replace")} if filename else {}


def _batch(response: httpx.Response) -> Batch:
    return answers.batch(response.json(), response.headers.get("etag", ""))


def _was_replayed(response: httpx.Response) -> bool:
    return str(response.headers.get("idempotency-replayed", "")) == "true"
