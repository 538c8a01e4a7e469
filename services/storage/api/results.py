"""The routes of results: the current one, every version, as a file, as an e-invoice."""

from http import HTTPStatus
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Path, Query, Request, Response

from services.storage.api.asking import READ, REVALIDATE, Use, owner_of
from services.storage.api.problems import told
from services.storage.api.shapes import VersionList, VersionView
from services.storage.domain.listed import Version
from services.storage.handlers.reading import (
    FILE_TYPES,
    file_key,
    find_version,
    list_versions,
    ubl_of,
)
from services.storage.ports.outlets import Outlets
from shared.web.description import content, unless_changed
from shared.web.downloads import SANDBOX, attachment, stream_object
from shared.web.etags import etag, unchanged
from shared.web.guard import CurrentCaller, guarded_router

router = guarded_router()

RESULT = "/v1/results/{document_id}"
XML = "application/xml"
FileFormat = Literal["json", "parquet"]
VersionNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: content(kind)["content"][kind] for kind in FILE_TYPES.values()}}
}


@router.get(RESULT, response_class=Response, responses=unless_changed(), openapi_extra=READ)
async def get_current(
    document_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """What was read, as JSON; after the review, what the person decided."""
    with told():
        found = await find_version(document_id, owner_of(caller), use)
    return await _shown(found, request, use)


@router.get(f"{RESULT}/versions", openapi_extra=READ)
async def get_versions(document_id: UUID, caller: CurrentCaller, use: Use) -> VersionList:
    """Every version that there has been, oldest first."""
    with told():
        found = await list_versions(document_id, owner_of(caller), use)
    return VersionList(items=[VersionView.of(one) for one in found])


@router.get(
    f"{RESULT}/versions/{{version}}",
    response_class=Response,
    responses=unless_changed(),
    openapi_extra=READ,
)
async def get_version(
    document_id: UUID,
    version: VersionNumber,
    request: Request,
    caller: CurrentCaller,
    use: Use,
) -> Response:
    """One version as JSON. It never changes."""
    with told():
        found = await find_version(document_id, owner_of(caller), use, version=version)
    return await _shown(found, request, use)


@router.get(f"{RESULT}/download", response_class=Response, responses=FILE, openapi_extra=READ)
async def download_current(
    document_id: UUID, caller: CurrentCaller, use: Use, format: FileFormat = "json"
) -> Response:
    """The file of the current version, to be kept."""
    with told():
        found = await find_version(document_id, owner_of(caller), use)
        return await file_of(found, format, use)


@router.get(
    f"{RESULT}/versions/{{version}}/download",
    response_class=Response,
    responses=FILE,
    openapi_extra=READ,
)
async def download_version(
    document_id: UUID,
    version: VersionNumber,
    caller: CurrentCaller,
    use: Use,
    format: FileFormat = "json",
) -> Response:
    """The file of one version, to be kept."""
    with told():
        found = await find_version(document_id, owner_of(caller), use, version=version)
        return await file_of(found, format, use)


@router.get(
    f"{RESULT}/ubl", response_class=Response, responses={200: content(XML)}, openapi_extra=READ
)
async def get_ubl(
    document_id: UUID,
    caller: CurrentCaller,
    use: Use,
    version: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Response:
    """A verified invoice as UBL 2.1 (EN 16931). What breaks a core rule of the standard does
    not leave: the problem names each of them."""
    with told():
        found = await find_version(document_id, owner_of(caller), use, version=version)
        xml = await ubl_of(found, use)
    return Response(xml, media_type=XML, headers=_to_keep(found, "xml"))


async def file_of(found: Version, suffix: str, use: Outlets) -> Response:
    return await stream_object(
        use.blobs, file_key(found, suffix), FILE_TYPES[suffix], _to_keep(found, suffix)
    )


async def _shown(found: Version, request: Request, use: Outlets) -> Response:
    headers = {"ETag": etag(found.version), "Cache-Control": REVALIDATE}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return await stream_object(use.blobs, found.result_key, FILE_TYPES["json"], headers)


def _to_keep(found: Version, suffix: str) -> dict[str, str]:
    return {
        "Content-Disposition": attachment(f"{found.document_id}.v{found.version}.{suffix}"),
        "Content-Security-Policy": SANDBOX,
        "ETag": etag(found.version),
    }
