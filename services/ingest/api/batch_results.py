"""What was read of a batch, and how far it is while it is read.

As JSON the results are pages of what the documents are about, with links to the rest. As JSON
Lines they are everything, one document after the other, so that a thousand of them need no
more memory than one.
"""

import json
import logging
from collections.abc import AsyncIterator, Sequence
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from services.ingest.api.asking import READ, Use
from services.ingest.api.batch_shapes import ResultPage, links_of, member_result, rejected_of
from services.ingest.api.batches import PATH, find_batch
from services.ingest.api.documents import LOOK_AGAIN_S, REVALIDATE
from services.ingest.api.events import (
    follow,
    frames_of,
    last_seen,
    require_room,
    streamed,
)
from services.ingest.domain.batches import ITEMS_MAX, Batch, Member, standing_of
from services.ingest.handlers.follow import Feed
from services.ingest.ports import Ports
from shared.errors import Rejected
from shared.web.description import content, event_stream
from shared.web.etags import unchanged
from shared.web.guard import CurrentCaller, guarded_router
from shared.web.problems import Problem

log = logging.getLogger(__name__)
router = guarded_router()

JSON_LINES = "application/jsonl"
# Also asked for under its older name.
_LINES = (JSON_LINES, "application/x-ndjson")
MEMBERS_AT_ONCE = 100
RESULT_BYTES_MAX = 4 << 20


@router.get(
    f"{PATH}/{{batch_id}}/result",
    response_model=ResultPage,
    responses={200: content(JSON_LINES, schema={"type": "string"})},
    openapi_extra=READ,
)
async def get_batch_result(
    batch_id: UUID,
    request: Request,
    caller: CurrentCaller,
    use: Use,
    after: Annotated[int, Query(ge=-1, le=2**31 - 1)] = -1,
    limit: Annotated[int, Query(ge=1, le=ITEMS_MAX)] = 200,
) -> Response:
    """What was read of each document, once all have ended: pages behind the position `after`.
    Asked for `application/jsonl` all at once, one document a line, each with its result."""
    batch = await find_batch(batch_id, caller, use)
    if not batch.is_complete:
        raise Problem(
            HTTPStatus.CONFLICT,
            "not_ready",
            f"The batch is at {batch.progress} %; ask again later.",
            headers={"Retry-After": str(LOOK_AGAIN_S)},
        )
    accepted = request.headers.get("accept", "")
    kind = "lines" if any(one in accepted for one in _LINES) else f"{after}.{limit}"
    headers = {"ETag": f'"{batch.version}.{kind}"', "Cache-Control": REVALIDATE}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if kind == "lines":
        # Read before the first header is sent: an error is still a 5xx.
        first = await use.batches.list_members(batch_id, limit=MEMBERS_AT_ONCE)
        lines = _lines(batch_id, first, use)
        return StreamingResponse(lines, media_type=JSON_LINES, headers=headers)
    page = await _page(batch, after, limit, use)
    return Response(page.model_dump_json(), media_type="application/json", headers=headers)


@router.get(
    f"{PATH}/{{batch_id}}/events",
    responses={
        200: event_stream(),
        204: {"description": "It has ended, and that was seen."},
    },
    response_class=Response,
    openapi_extra=READ,
)
async def follow_batch(
    batch_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """How far it is, as server-sent events: `batch.progress` whenever one of its documents has
    moved, about once a second at most, until `batch.completed`. Last-Event-ID resumes it."""
    batch = await find_batch(batch_id, caller, use)
    feed: Feed = request.app.state.batch_feed
    require_room(feed, caller)
    # As with a document: nobody has seen more than there is.
    seen = min(last_seen(request, 0), batch.version)
    fresh = [standing_of(batch, use.clock.now())] if batch.version > seen else []
    if not batch.is_complete:
        return streamed(follow(batch_id, fresh, seen, request, feed=feed))
    if not fresh:
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return streamed(frames_of(fresh))


async def _page(batch: Batch, after: int, limit: int, use: Ports) -> ResultPage:
    found = await use.batches.list_members(batch.batch_id, after=after, limit=limit + 1)
    shown = found[:limit]
    following = None
    if len(found) > len(shown):
        own = links_of(batch)["result"]
        following = f"{own}?after={shown[-1].position}&limit={limit}"
    return ResultPage(
        batch_id=batch.batch_id,
        revision=batch.revision,
        counts=dict(batch.counts),
        rejected=rejected_of(batch),
        items=[member_result(one) for one in shown],
        next=following,
    )


async def _lines(batch_id: UUID, members: Sequence[Member], use: Ports) -> AsyncIterator[str]:
    while members:
        for member in members:
            line = member_result(member).model_dump(mode="json")
            line["result"] = await _result(member, use)
            yield json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        members = await use.batches.list_members(
            batch_id, after=members[-1].position, limit=MEMBERS_AT_ONCE
        )


async def _result(member: Member, use: Ports) -> object:
    """None where there is none, as of one that failed or was deleted a moment ago. What was
    read stays when it could not be read anew."""
    if member.result_key is None:
        return None
    try:
        data = await use.blobs.read(member.result_key, limit_bytes=RESULT_BYTES_MAX)
    except Rejected:
        # The others are worth having; the operator hears of this one.
        log.exception("result_not_read", extra={"document_id": str(member.document_id)})
        return None
    return json.loads(data)
