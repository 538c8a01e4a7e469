"""The timeline of a document: in pages, or as a stream of server-sent events while it moves.

A stream ends behind the event that ends the document. Whoever asks again from there is told
204, at which a browser stops asking.
"""

import re
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from services.ingest.api.asking import READ, Use, find
from services.ingest.api.shapes import EventPage, event_view
from services.ingest.domain.documents import Document, Event, links
from services.ingest.handlers.follow import FINAL_EVENTS, Feed
from services.ingest.ports import Ports
from shared.web.description import event_stream
from shared.web.gate import EVENT_STREAM
from shared.web.guard import (
    Caller,
    CurrentCaller,
    caller_of,
    guarded_router,
    is_still_known,
)
from shared.web.problems import Problem

router = guarded_router()

EVENTS_MAX = 1000
SEQ_MAX = 2**31 - 1
# A revoked key must not go on listening: known for two seconds more and asked about after two,
# it ends within five. Comments keep what lies between from hanging up.
ASK_AGAIN_S = 2.0
HEARTBEAT_EVERY = 7
_SEQ = re.compile(r"[0-9]{1,10}")


@router.get(
    "/v1/documents/{document_id}/events",
    response_model=EventPage,
    responses={
        200: event_stream(),
        204: {"description": "As a stream: it has ended, and all was seen."},
    },
    openapi_extra=READ,
)
async def list_events(
    document_id: UUID,
    request: Request,
    caller: CurrentCaller,
    use: Use,
    after: Annotated[int, Query(ge=0, le=SEQ_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=EVENTS_MAX)] = 200,
) -> EventPage | Response:
    """The timeline, `after` being the number of the last event seen. Asked for
    `text/event-stream` it goes on until the document has ended; Last-Event-ID resumes it."""
    document = await find(document_id, caller, use)
    if EVENT_STREAM in request.headers.get("accept", ""):
        return await _stream(document, request, use, last_seen(request, after))
    found = await use.documents.list_events(document_id, after_seq=after, limit=limit + 1)
    page, more = found[:limit], len(found) > limit
    own = links(document_id)["events"]
    following = f"{own}?after={page[-1].seq}&limit={limit}" if more else None
    return EventPage(items=[event_view(one) for one in page], next=following)


async def _stream(document: Document, request: Request, use: Ports, after: int) -> Response:
    feed: Feed = request.app.state.feed
    require_room(feed, caller_of(request))
    told = await _whole_timeline(document.document_id, use)
    # Whoever claims to have seen more than there is would wait for ever, and for nothing.
    after = min(after, told[-1].seq) if told else 0
    fresh = [event for event in told if event.seq > after]
    ended = document.completed_at is not None and any(
        event.type in FINAL_EVENTS for event in told
    )
    if ended and not fresh:
        return Response(status_code=HTTPStatus.NO_CONTENT)
    if ended:
        return streamed(frames_of(fresh))
    return streamed(follow(document.document_id, fresh, after, request, feed=feed))


def require_room(feed: Feed, caller: Caller) -> None:
    if feed.has_enough(caller.key_id):
        raise Problem(
            HTTPStatus.TOO_MANY_REQUESTS,
            "too_many_at_once",
            f"At most {feed.each_max} streams of one key are open at once here; ask for the "
            "status, or come back.",
            headers={"Retry-After": "5"},
        )
    if feed.is_full:
        raise Problem(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "too_many_streams",
            "Too many watch at once here; ask for the status, or come back.",
            headers={"Retry-After": "5"},
        )


def streamed(frames: AsyncIterator[str]) -> Response:
    return StreamingResponse(
        frames, media_type=EVENT_STREAM, headers={"X-Accel-Buffering": "no"}
    )


async def follow(
    identity: UUID,
    fresh: list[Event],
    after: int,
    request: Request,
    *,
    feed: Feed,
    ask_again_s: float = ASK_AGAIN_S,
) -> AsyncIterator[str]:
    """What is told already, and then what the feed has of a document or a batch."""
    for event in fresh:
        yield _frame(event)
    last = fresh[-1].seq if fresh else after
    silences = 0
    watcher = caller_of(request).key_id
    with feed.watching(identity, after_seq=last, watcher=watcher) as stream:
        while not stream.closed and await is_still_known(request):
            found = await stream.events(within_s=ask_again_s)
            for event in found:
                yield _frame(event)
            if any(event.type in FINAL_EVENTS for event in found):
                return
            silences = 0 if found else silences + 1
            if silences == HEARTBEAT_EVERY:
                silences = 0
                yield ": still here\n\n"


async def frames_of(events: list[Event]) -> AsyncIterator[str]:
    for event in events:
        yield _frame(event)


async def _whole_timeline(document_id: UUID, use: Ports) -> list[Event]:
    told: list[Event] = []
    while True:
        after = told[-1].seq if told else 0
        page = await use.documents.list_events(document_id, after_seq=after, limit=EVENTS_MAX)
        told += page
        if len(page) < EVENTS_MAX:
            return told


def _frame(event: Event) -> str:
    data = event_view(event).model_dump_json()
    return f"id: {event.seq}\nevent: {event.type}\ndata: {data}\n\n"


def last_seen(request: Request, after: int) -> int:
    text = request.headers.get("last-event-id", "").strip()
    if not text:
        return after
    if not _SEQ.fullmatch(text) or int(text) > SEQ_MAX:
        error = {"pointer": "/header/last-event-id", "detail": "the id of an event"}
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=[error])
    return int(text)
