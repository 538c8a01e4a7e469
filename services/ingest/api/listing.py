"""The list of documents: filters, search, and pages that hold while documents arrive."""

import json
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Request, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from services.ingest.api.asking import READ, Use, owner_of
from services.ingest.api.shapes import DocumentPage, document_view
from services.ingest.domain.documents import PRIORITIES
from services.ingest.domain.said import TAG_CHARS_MAX, clean_moment
from services.ingest.domain.search import Wanted
from services.ingest.ports import Page
from shared.web.cursors import Cursors
from shared.web.guard import CurrentCaller, guarded_router

router = guarded_router()

PATH = "/v1/documents"
PAGE_MAX = 200
QUERY_CHARS_MAX = 100
ENGINE_CHARS_MAX = 100
# The one character that no text of the database holds.
NO_ZERO = r"^[^\x00]*$"


def _as_told(text: object) -> str:
    if clean_moment(str(text)) is None:
        raise ValueError("a moment, or nothing at all")
    return str(text)


Moment = Annotated[str, BeforeValidator(_as_told)]


class Asked(BaseModel):
    # A misspelt filter must not list everything.
    model_config = ConfigDict(extra="forbid")

    status: (
        Literal[
            "queued", "processing", "completed", "failed", "duplicate", "cancelled", "deleted"
        ]
        | None
    ) = None
    priority: Literal["bulk", "normal", "high", "urgent"] | None = None
    tag: str | None = Field(None, min_length=1, max_length=TAG_CHARS_MAX, pattern=NO_ZERO)
    accepted_after: Moment | None = Field(None, description="At this moment or later.")
    accepted_before: Moment | None = Field(None, description="Before this moment.")
    q: str | None = Field(
        None,
        min_length=1,
        max_length=QUERY_CHARS_MAX,
        pattern=NO_ZERO,
        description="How a vendor's name, an invoice number or a file name begins.",
    )
    engine: str | None = Field(
        None,
        min_length=1,
        max_length=ENGINE_CHARS_MAX,
        pattern=NO_ZERO,
        description="Who read it last: einvoice, offline, gemini, or offline_fallback for what "
        "was read while the provider was away and may be read again.",
    )
    limit: int = Field(50, ge=1, le=PAGE_MAX)
    cursor: str | None = None

    def filters(self) -> dict[str, str]:
        return self.model_dump(exclude={"limit", "cursor"}, exclude_none=True)

    def wanted(self) -> Wanted:
        return Wanted(
            status=self.status,
            priority=int(PRIORITIES[self.priority]) if self.priority else None,
            tag=self.tag,
            accepted_after=clean_moment(self.accepted_after or ""),
            accepted_before=clean_moment(self.accepted_before or ""),
            q=self.q,
            engine=self.engine,
        )


@router.get(PATH, openapi_extra=READ)
async def list_documents(
    asked: Annotated[Asked, Query()],
    request: Request,
    response: Response,
    caller: CurrentCaller,
    use: Use,
) -> DocumentPage:
    """Newest first. `next` is the address of the following page, as in the Link header."""
    cursors: Cursors = request.app.state.cursors
    owner, wanted = owner_of(caller), asked.wanted()
    scope = json.dumps(["documents", owner, asked.filters()], sort_keys=True)
    before = (
        cursors.decode(asked.cursor, scope=scope) if asked.cursor is not None else (None, None)
    )
    page = Page(owner, asked.limit + 1, *before)
    if wanted == Wanted():
        found = await use.documents.list_documents(page)
    else:
        found = await use.documents.search_documents(page, wanted)
    shown = found[: asked.limit]
    following = None
    if len(found) > len(shown):
        last = shown[-1].created_at, shown[-1].document_id
        more = {"limit": asked.limit, "cursor": cursors.encode(last, scope=scope)}
        following = f"{PATH}?{urlencode({**asked.filters(), **more})}"
        response.headers["Link"] = f'<{following}>; rel="next"'
    return DocumentPage(items=[document_view(one) for one in shown], next=following)
