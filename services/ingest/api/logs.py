"""What the stages wrote down about one document, for whoever wants to know why."""

from collections.abc import AsyncIterator, Sequence
from http import HTTPStatus
from uuid import UUID

from starlette.responses import StreamingResponse

from services.ingest.api.asking import READ, Use, find
from services.ingest.domain.documents import logs_prefix
from shared.blobs.port import Blobs
from shared.web.description import content
from shared.web.guard import CurrentCaller, guarded_router
from shared.web.problems import Problem

router = guarded_router()


@router.get(
    "/v1/documents/{document_id}/logs",
    response_class=StreamingResponse,
    responses={200: content("text/plain", schema={"type": "string"})},
    openapi_extra=READ,
)
async def get_logs(document_id: UUID, caller: CurrentCaller, use: Use) -> StreamingResponse:
    """What each stage wrote down, stage after stage."""
    await find(document_id, caller, use, deleted=HTTPStatus.NOT_FOUND)
    keys = sorted([key async for key in use.blobs.list(logs_prefix(document_id))])
    if not keys:
        raise Problem(HTTPStatus.NOT_FOUND, "no_logs", "Nothing was written down about it.")
    return StreamingResponse(_joined(keys, use.blobs), media_type="text/plain; charset=utf-8")


async def _joined(keys: Sequence[str], blobs: Blobs) -> AsyncIterator[bytes]:
    for key in keys:
        async for piece in blobs.stream(key):
            yield piece
