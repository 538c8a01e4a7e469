"""A request's bytes and what the client says about them, from a raw body or from a form."""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import unquote

from fastapi import Request

from services.ingest.api.passwords import (
    form_password,
    header_password,
    refuse_late_password,
)
from services.ingest.domain.documents import (
    KEY_CHARS_MAX,
    PRIORITIES,
    Details,
    clean_filename,
)
from services.ingest.domain.said import (
    MOMENT_WANTED,
    NOTHING,
    Said,
    clean_due_at,
    clean_metadata,
    clean_tags,
)
from shared.contracts.body import Priority
from shared.web.multipart import FormUpload
from shared.web.problems import Problem

A = TypeVar("A")
B = TypeVar("B")

_KEY = re.compile(rf'"?([\x21\x23-\x7e]{{1,{KEY_CHARS_MAX}}})"?')

# What `said_of` looks for.
_SAID = frozenset({b"x-tags", b"x-metadata", b"x-due-at"})
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?([0-9]{1,6})\b", re.IGNORECASE)
# Each waits in one of the places for requests.
WAIT_S_MAX = 10


class RawUpload:
    """The body is the document; everything else stands in headers and in the query."""

    def __init__(self, request: Request, owner_id: str) -> None:
        self._request = request
        self._owner_id = owner_id
        # Refused before a byte is read.
        self._key = idempotency_key(request)
        self._priority = priority_of(asked_priority(request))
        self._said = said_of(request, [])
        self._password = header_password(request)

    @property
    def password(self) -> str | None:
        return self._password

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._request.stream():
            if chunk:
                yield chunk

    def details(self) -> Details:
        name = clean_filename(filename_of(self._request))
        return Details(self._owner_id, name, self._priority, self._key, said=self._said)


class MultipartUpload:
    """A form with one file; its own fields may name the priority too."""

    def __init__(self, request: Request, owner_id: str) -> None:
        self._request = request
        self._owner_id = owner_id
        self._key = idempotency_key(request)
        self._form = FormUpload(request)
        self._password = header_password(request)

    @property
    def password(self) -> str | None:
        return self._password or form_password(self._form.preceding)

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._form.chunks():
            yield chunk
        # Before the end is told, so that nothing is kept of what came locked.
        refuse_late_password(self._form.given[len(self._form.preceding) :])

    def details(self) -> Details:
        asked = asked_priority(self._request) or self._form.fields.get("priority", "")
        name = clean_filename(self._form.filename)
        said = said_of(self._request, self._form.given)
        return Details(self._owner_id, name, priority_of(asked), self._key, said=said)


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
        raise invalid(
            "/header/idempotency-key", f"1 to {KEY_CHARS_MAX} printable characters, no spaces"
        )
    return match[1]


def wait_preferred(request: Request) -> int:
    """RFC 7240, 4.3: for how many seconds the client would rather wait than ask again."""
    match = _WAIT.search(request.headers.get("prefer", ""))
    return min(int(match[1]), WAIT_S_MAX) if match else 0


def _text(header: str) -> str:
    """Headers arrive as Latin-1; clients write UTF-8 there, plain or percent-encoded."""
    try:
        header = header.encode("latin-1").decode()
    except UnicodeError:
        return header
    return unquote(header)


def filename_of(request: Request) -> str:
    """Of a raw body."""
    return _text(request.headers.get("x-filename", ""))


def asked_priority(request: Request) -> str:
    asked = request.query_params.get("priority") if request.scope["query_string"] else None
    if asked == "":
        # As it is described: to name none is to leave it out.
        raise _no_priority()
    return asked or request.headers.get("x-priority", "")


def said_of(request: Request, form: Sequence[tuple[str, str]]) -> Said:
    """From the query, else from headers such as X-Tags, else from the form."""
    named = any(name in _SAID for name, _ in request.scope["headers"])
    if not (named or form or request.scope["query_string"]):
        # Most say nothing.
        return NOTHING

    def asked(name: str) -> list[str]:
        header = request.headers.get(f"x-{name.replace('_', '-')}", "")
        return (
            request.query_params.getlist(name)
            or [_text(header)] * bool(header)
            or [text for given, text in form if given == name]
            or [""]
        )

    if "" in request.query_params.getlist("due_at"):
        # To name none is to leave it out. A form sends what nobody has filled in.
        raise invalid("/query/due_at", MOMENT_WANTED)
    return Said(
        tags=_clean("tags", clean_tags, asked("tags")),
        metadata=_clean("metadata", clean_metadata, asked("metadata")[-1]),
        due_at=_clean("due_at", clean_due_at, asked("due_at")[-1]),
    )


def _clean(name: str, clean: Callable[[A], B], given: A) -> B:
    try:
        return clean(given)
    except ValueError as error:
        raise invalid(f"/query/{name}", str(error)) from error


def priority_of(text: str) -> Priority:
    if not text:
        return Priority.NORMAL
    priority = PRIORITIES.get(text.strip().lower())
    if priority is None:
        raise _no_priority()
    return priority


def _no_priority() -> Problem:
    return invalid("/query/priority", f"one of {', '.join(PRIORITIES)}")


def invalid(pointer: str, detail: str) -> Problem:
    errors = [{"pointer": pointer, "detail": detail}]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=errors)
