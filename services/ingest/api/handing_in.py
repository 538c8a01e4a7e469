"""What a request for a batch hands in: the files of a form, or references in JSON.

What it says of all documents may stand in the query, in headers or in fields of the form; of
one document, beside its reference, or under the name of its file in the manifest.
"""

import json
from collections.abc import AsyncIterator, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from services.ingest.api.uploads import asked_priority, filename_of, priority_of, said_of
from services.ingest.domain.batches import ITEMS_MAX, Reference, Wish
from services.ingest.domain.documents import FILENAME_CHARS_MAX, PRIORITIES, clean_filename
from services.ingest.domain.said import (
    Said,
    clean_due_at,
    clean_metadata,
    clean_tags,
)
from services.ingest.ports import Part
from shared.strict_json import NotJson, read_json
from shared.web.bodies import not_read
from shared.web.multipart import Form
from shared.web.problems import Problem

MANIFEST = "manifest"
MANIFEST_BYTES_MAX = REFERENCES_BYTES_MAX = 1 << 20

M = TypeVar("M", bound=BaseModel)


def _metadata(given: dict[str, Any]) -> dict[str, Any]:
    clean_metadata(json.dumps(given))
    return given


def _as_told(text: object) -> str:
    if clean_due_at(str(text)) is None:
        raise ValueError("a moment, or nothing at all")
    return str(text)


class Words(BaseModel):
    """What is left out is as it is for all of the batch."""

    # A misspelt wish must not be forgotten silently.
    model_config = ConfigDict(extra="forbid")

    priority: Literal["bulk", "normal", "high", "urgent"] | None = None
    tags: Annotated[list[str], AfterValidator(lambda one: list(clean_tags(one)))] | None = None
    metadata: Annotated[dict[str, Any], AfterValidator(_metadata)] | None = None
    due_at: Annotated[str, BeforeValidator(_as_told)] | None = Field(
        None, description="When it is wanted."
    )

    def wish(self, of_all: Wish) -> Wish:
        said = of_all.said
        return Wish(
            of_all.priority if self.priority is None else PRIORITIES[self.priority],
            Said(
                said.tags if self.tags is None else tuple(self.tags),
                said.metadata
                if self.metadata is None
                else clean_metadata(json.dumps(self.metadata)),
                said.due_at if self.due_at is None else clean_due_at(self.due_at),
            ),
        )


class Named(Words):
    content_key: Annotated[str, Field(pattern=r"^sha256/[0-9a-f]{2}/[0-9a-f]{64}$")]
    filename: Annotated[str, Field(max_length=FILENAME_CHARS_MAX)] = ""


class BatchRequest(Words):
    items: Annotated[list[Named], Field(min_length=1, max_length=ITEMS_MAX)]


class Manifest(Words):
    files: Annotated[dict[str, Words], Field(max_length=ITEMS_MAX)] = Field(
        default_factory=dict, description="By the names of the files."
    )


class FormParts:
    """The files of a form, whatever their fields are called."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._form = Form(request, larger={MANIFEST: MANIFEST_BYTES_MAX})

    async def parts(self) -> AsyncIterator[Part]:
        async for file in self._form.files():
            yield file

    def wishes(self, filenames: frozenset[str]) -> dict[str, Wish]:
        fields = dict(self._form.given)
        manifest = _read(Manifest, fields.get(MANIFEST, "{}").encode(), ("body", MANIFEST))
        priority = asked_priority(self._request) or fields.get("priority", "")
        of_all = manifest.wish(
            Wish(priority_of(priority), said_of(self._request, self._form.given))
        )
        named = {clean_filename(name): words for name, words in manifest.files.items()}
        if missing := sorted(named.keys() - filenames):
            raise _no_such_files(missing)
        return {one: named[one].wish(of_all) if one in named else of_all for one in filenames}


class BodyParts:
    """The body is one file: an archive, of which its members are taken."""

    def __init__(self, request: Request) -> None:
        self._request = request
        # Refused before a byte is read.
        self._wish = Wish(priority_of(asked_priority(request)), said_of(request, []))

    async def parts(self) -> AsyncIterator[Part]:
        yield BodyPart(self._request)

    def wishes(self, filenames: frozenset[str]) -> dict[str, Wish]:
        return dict.fromkeys(filenames, self._wish)


class BodyPart:
    def __init__(self, request: Request) -> None:
        self._request = request
        self.filename = filename_of(request)

    async def chunks(self) -> AsyncIterator[bytes]:
        async for piece in self._request.stream():
            if piece:
                yield piece


async def references_of(request: Request) -> list[Reference]:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > REFERENCES_BYTES_MAX:
            raise Problem(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "too_large",
                f"At most {REFERENCES_BYTES_MAX} bytes of JSON are accepted here.",
            )
    asked = _read(BatchRequest, bytes(body), ("body",))
    of_all = asked.wish(Wish(priority_of(asked_priority(request)), said_of(request, [])))
    return [Reference(one.content_key, one.filename, one.wish(of_all)) for one in asked.items]


def _read(model: type[M], text: bytes, where: tuple[str, ...]) -> M:
    try:
        read_json(text)
        return model.model_validate_json(text)
    except NotJson as error:
        raise not_read(error, where) from error
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
        raise RequestValidationError(
            [{**one, "loc": (*where, *one["loc"])} for one in found]
        ) from error


def _no_such_files(names: Sequence[str]) -> Problem:
    return Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "invalid",
        "See errors.",
        errors=[
            {"pointer": "/body/manifest/files", "detail": f"no file is called {name!r}"}
            for name in names[:20]
        ],
    )
