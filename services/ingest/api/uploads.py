"""A request's bytes and what the client says about them, from a raw body or from a form."""

import re
from collections.abc import AsyncIterator
from http import HTTPStatus
from urllib.parse import unquote

from fastapi import Request

from services.ingest.domain.documents import (
    KEY_CHARS_MAX,
    PRIORITIES,
    Details,
    clean_filename,
)
from shared.contracts.body import Priority
from shared.web.multipart import FormUpload
from shared.web.problems import Problem

_KEY = re.compile(rf'"?([\x21\x23-\x7e]{{1,{KEY_CHARS_MAX}}})"?')


class RawUpload:
    """The body is the document; everything else stands in headers and in the query."""

    def __init__(self, request: Request, owner_id: str) -> None:
        self._request = request
        self._owner_id = owner_id
        # Refused before a byte is read.
        self._key = idempotency_key(request)
        self._priority = _priority(_asked_priority(request))

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._request.stream():
            if chunk:
                yield chunk

    def details(self) -> Details:
        name = clean_filename(_text(self._request.headers.get("x-filename", "")))
        return Details(self._owner_id, name, self._priority, self._key)


class MultipartUpload:
    """A form with one file; its own fields may name the priority too."""

    def __init__(self, request: Request, owner_id: str) -> None:
        self._request = request
        self._owner_id = owner_id
        self._key = idempotency_key(request)
        self._form = FormUpload(request)

    def chunks(self) -> AsyncIterator[bytes]:
        return self._form.chunks()

    def details(self) -> Details:
        asked = _asked_priority(self._request) or self._form.fields.get("priority", "")
        name = clean_filename(self._form.filename)
        return Details(self._owner_id, name, _priority(asked), self._key)


def upload_of(request: Request, owner_id: str) -> RawUpload | MultipartUpload:
    content_type = request.headers.get("content-type", "")
    if content_type.lower().startswith("multipart/form-data"):
        return MultipartUpload(request, owner_id)
    return RawUpload(request, owner_id)


def idempotency_key(request: Request) -> str | None:
    text = request.headers.get("idempotency-key")
    if text is None:
        return None
    # The draft wants a quoted string, most clients send a bare word: both are the same key.
    match = _KEY.fullmatch(text.strip())
    if match is None:
        raise _invalid(
            "/header/idempotency-key", f"1 to {KEY_CHARS_MAX} printable characters, no spaces"
        )
    return match[1]


def _text(header: str) -> str:
    """Headers arrive as Latin-1; clients write UTF-8 there, plain or percent-encoded."""
    try:
        header = header.encode("latin-1").decode()
    except UnicodeError:
        return header
    return unquote(header)


def _asked_priority(request: Request) -> str:
    return request.query_params.get("priority") or request.headers.get("x-priority", "")


def _priority(text: str) -> Priority:
    if not text:
        return Priority.NORMAL
    priority = PRIORITIES.get(text.strip().lower())
    if priority is None:
        raise _invalid("/query/priority", f"one of {', '.join(PRIORITIES)}")
    return priority


def _invalid(pointer: str, detail: str) -> Problem:
    errors = [{"pointer": pointer, "detail": detail}]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=errors)
