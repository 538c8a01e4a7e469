"""Links that open a file without a key, for a while: signed, so that nobody makes one up.

A link says what it opens and until when, under the secret that signs cursors; it opens that
one file and nothing else. What was erased is not there for a link either.
"""

import base64
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Literal
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from services.storage.api.asking import READ, Use, owner_of
from services.storage.api.problems import told
from services.storage.api.results import FILE, RESULT, file_of
from services.storage.api.shapes import ExportLinkWanted, Link, LinkWanted
from services.storage.domain.exports import MEDIA_TYPES, Export, NoSuchExport
from services.storage.handlers.exporting import read_export
from services.storage.handlers.ordering import find_export
from services.storage.handlers.reading import file_key, find_version
from services.storage.ports.outlets import Outlets
from shared.audit.chain import Entry
from shared.web.cursors import CURSOR_CHARS_MAX, Cursors
from shared.web.description import content
from shared.web.downloads import SANDBOX, attachment
from shared.web.guard import CurrentCaller, guarded_router, public
from shared.web.problems import Problem
from shared.web.rates import Rates, admit
from shared.web.streams import first_of, rest

router = guarded_router()

FILES = "/v1/links/results"
EXPORTS = "/v1/links/exports"
Token = Annotated[str, Query(min_length=1, max_length=CURSOR_CHARS_MAX)]


@router.post(f"{RESULT}/links", status_code=HTTPStatus.CREATED, openapi_extra=READ)
async def make_link(
    document_id: UUID,
    wanted: LinkWanted,
    request: Request,
    caller: CurrentCaller,
    use: Use,
) -> Link:
    """An address from which the file of this version can be fetched without a key."""
    with told():
        found = await find_version(document_id, owner_of(caller), use, version=wanted.version)
        file_key(found, wanted.format)
    scope = _scope(found.version, wanted.format)
    until, token = _sign(request, use, wanted.expires_in_s, document_id, scope)
    await _note(caller.owner_id, f"result/{document_id}", scope, until, use)
    query = {"version": found.version, "format": wanted.format, "token": token}
    return Link(url=f"{FILES}?{urlencode(query)}", expires_at=until)


@router.get(FILES, response_class=Response, responses=FILE, openapi_extra=public())
async def open_link(
    request: Request,
    use: Use,
    token: Token,
    version: Annotated[int, Query(ge=1, le=2**31 - 1)],
    format: Literal["json", "parquet"],
) -> Response:
    """The file that the link was made for, until it expires."""
    document_id = await _opened(request, use, token, _scope(version, format))
    with told():
        found = await find_version(document_id, None, use, version=version)
        return await file_of(found, format, use)


@router.post(
    "/v1/exports/{export_id}/links", status_code=HTTPStatus.CREATED, openapi_extra=READ
)
async def make_export_link(
    export_id: UUID,
    wanted: ExportLinkWanted,
    request: Request,
    caller: CurrentCaller,
    use: Use,
) -> Link:
    """An address from which the file of this export can be fetched without a key."""
    with told():
        export = await find_export(export_id, caller.owner_id, owner_of(caller), use)
        require_file(export)
    until, token = _sign(request, use, wanted.expires_in_s, export_id, "export")
    await _note(caller.owner_id, f"export/{export_id}", "export", until, use)
    return Link(url=f"{EXPORTS}?{urlencode({'token': token})}", expires_at=until)


@router.get(
    EXPORTS,
    response_class=Response,
    responses={200: content("application/octet-stream")},
    openapi_extra=public(),
)
async def open_export_link(request: Request, use: Use, token: Token) -> Response:
    """The file of the export that the link was made for, until it or the export expires."""
    export_id = await _opened(request, use, token, "export")
    with told():
        export = await use.exports.find_finished_export(export_id)
        if export is None:
            raise NoSuchExport
        return await file_of_export(export, use)


async def file_of_export(export: Export, use: Outlets) -> StreamingResponse:
    pieces = read_export(export, use)
    first = await first_of(pieces)
    headers = {
        "Content-Disposition": attachment(export.order.filename),
        "Content-Length": str(export.size_bytes),
        "Content-Security-Policy": SANDBOX,
        "Repr-Digest": f"sha-256=:{_base64(export.sha256)}:",
    }
    return StreamingResponse(
        rest(first, pieces), media_type=MEDIA_TYPES[export.order.format], headers=headers
    )


def _base64(digest: str | None) -> str:
    return base64.b64encode(bytes.fromhex(digest or "")).decode()


def require_file(export: Export) -> None:
    if export.status != "completed":
        raise Problem(
            HTTPStatus.CONFLICT, "not_ready", f"The export is {export.status}; it has no file."
        )


def _sign(
    request: Request, use: Outlets, seconds: float, opens: UUID, scope: str
) -> tuple[datetime, str]:
    cursors: Cursors = request.app.state.cursors
    until = use.clock.now() + timedelta(seconds=min(seconds, use.limits.link_s_max))
    return until, cursors.encode((until, opens), scope=f"link {scope}")


async def _opened(request: Request, use: Outlets, token: str, scope: str) -> UUID:
    rates: Rates | None = request.app.state.rates
    if rates is not None:
        # Whoever has no key shares one rate with all the others.
        await admit(request.scope, rates, "links")
    cursors: Cursors = request.app.state.cursors
    try:
        until, opens = cursors.decode(token, scope=f"link {scope}")
    except Problem as error:
        raise _closed() from error
    if until <= use.clock.now():
        raise _closed()
    return opens


def _closed() -> Problem:
    # One answer for what was made up and what has expired: neither opens anything.
    return Problem(HTTPStatus.FORBIDDEN, "link_closed", "This link has expired or is none.")


def _scope(version: int, form: str) -> str:
    return f"{form} v{version}"


async def _note(actor: str, resource: str, opens: str, until: datetime, use: Outlets) -> None:
    told_of = {"opens": opens, "until": until.isoformat()}
    async with use.ledger.unit() as unit:
        await use.trail.record(unit, Entry(actor, "link_made", resource, after=told_of))
