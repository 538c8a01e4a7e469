"""The audit log of a service over HTTP: look into it, have it proven, take it away.

Who may not see everything sees the own deeds; a proof and a copy are of the whole, so they
need the right to it. Both walk the whole log, so few do it at a time.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Protocol, Self
from uuid import UUID

from fastapi import Depends, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from shared.audit.chain import Line, Link
from shared.audit.log import Filter
from shared.audit.reader import Proof, written, written_head
from shared.web.cursors import Cursors
from shared.web.downloads import SANDBOX, attachment
from shared.web.guard import Caller, CurrentCaller, guarded_router, needs
from shared.web.streams import Streams

ALL, OWN = "audit:all:read", "audit:own:read"
READ, PROVE = needs(ALL, OWN), needs(ALL)
PAGE_MAX = 500
WORDS_MAX = 300
# No text of the database holds one.
NO_ZERO = r"^[^\x00]*$"
WALKS_MAX = 2

router = guarded_router()


class ReadableLog(Protocol):
    async def page(
        self, wanted: Filter, *, before_seq: int | None, limit: int
    ) -> list[Line]: ...

    async def prove(self, kept: Sequence[Link] = ()) -> Proof: ...

    def export(self) -> AsyncIterator[list[Line] | Link]: ...


class AuditLine(BaseModel):
    seq: int = Field(description="Its number in the chain; without gaps.")
    at: datetime
    actor: str
    action: str
    resource: str
    before: Any
    after: Any
    reason: str
    hash: str

    @classmethod
    def of(cls, line: Line) -> Self:
        entry = line.entry()
        return cls(
            seq=line.seq,
            at=line.at,
            actor=entry.actor,
            action=entry.action,
            resource=entry.resource,
            before=entry.before,
            after=entry.after,
            reason=entry.reason,
            hash=line.hash.hex(),
        )


class AuditLines(BaseModel):
    items: list[AuditLine]
    # Pass it back as `cursor`; absent on the last page.
    next: str | None


class LinkView(BaseModel):
    seq: int
    hash: str


class BrokenView(BaseModel):
    seq: int = Field(description="The first line that does not hold.")
    why: str


class ProofView(BaseModel):
    intact: bool
    head: LinkView = Field(description="Keep it elsewhere: later it proves today.")
    broken: BrokenView | None


class Asked(BaseModel):
    actor: str | None = Field(None, max_length=WORDS_MAX, pattern=NO_ZERO)
    action: str | None = Field(None, max_length=WORDS_MAX, pattern=NO_ZERO)
    resource: str | None = Field(
        None,
        max_length=WORDS_MAX,
        pattern=NO_ZERO,
        examples=["review-item/0197c1d2-3a4b-7c5d-8e6f-012345678901"],
    )
    cursor: str | None = Field(None, max_length=WORDS_MAX)
    limit: int = Field(100, ge=1, le=PAGE_MAX)

    def filter_for(self, caller: Caller) -> Filter:
        # What is not the caller's is not there: asking for somebody else finds nothing.
        if ALL in caller.permissions or self.actor == caller.owner_id:
            return Filter(self.actor, self.action, self.resource)
        return Filter("" if self.actor else caller.owner_id, self.action, self.resource)


async def _log(request: Request) -> ReadableLog:
    log: ReadableLog = request.app.state.audit
    return log


async def _walks(request: Request) -> Streams:
    """Made with the first of them, one for each app."""
    state = request.app.state
    if not hasattr(state, "audit_walks"):
        state.audit_walks = Streams(WALKS_MAX)
    walks: Streams = state.audit_walks
    return walks


Log = Annotated[ReadableLog, Depends(_log)]
Walks = Annotated[Streams, Depends(_walks)]


@router.get("/v1/audit", openapi_extra=READ)
async def list_audit(
    asked: Annotated[Asked, Query()], request: Request, caller: CurrentCaller, log: Log
) -> AuditLines:
    """Who did what, when and why, newest first; without audit:all:read the own deeds."""
    wanted = asked.filter_for(caller)
    cursors: Cursors = request.app.state.cursors
    scope = f"audit {wanted}"
    before = cursors.decode(asked.cursor, scope=scope)[1].int if asked.cursor else None
    lines = await log.page(wanted, before_seq=before, limit=asked.limit + 1)
    shown, following = lines[: asked.limit], None
    if len(lines) > asked.limit:
        place = shown[-1].at, UUID(int=shown[-1].seq)
        following = cursors.encode(place, scope=scope)
    return AuditLines(items=[AuditLine.of(line) for line in shown], next=following)


@router.get("/v1/audit/verify", openapi_extra=PROVE)
async def verify_audit(
    log: Log,
    walks: Walks,
    seq: Annotated[int | None, Query(ge=1, le=2**62)] = None,
    hash: Annotated[str | None, Query(pattern=r"^[0-9a-f]{64}$")] = None,
) -> ProofView:
    """Follows the chain from its first line to its head. A link that was kept, by `seq` and
    `hash`, must still be in it."""
    kept = [Link(seq, bytes.fromhex(hash))] if seq is not None and hash is not None else []
    with walks.taking():
        proof = await log.prove(kept)
    broken = proof.broken
    return ProofView(
        intact=broken is None,
        head=LinkView(seq=proof.head.seq, hash=proof.head.hash.hex()),
        broken=BrokenView(seq=broken.seq, why=broken.why) if broken else None,
    )


@router.get(
    "/v1/audit/export",
    response_class=Response,
    responses={200: {"content": {"application/jsonl": {"schema": {"type": "string"}}}}},
    openapi_extra=PROVE,
)
async def export_audit(log: Log, walks: Walks) -> Response:
    """JSON Lines, oldest first, each with the text that was hashed; the last line is the head.
    Without it the copy was cut off."""
    headers = {
        "Content-Disposition": attachment("audit.jsonl"),
        "Content-Security-Policy": SANDBOX,
    }
    return await walks.begin(_pieces(log), "application/jsonl", headers)


async def _pieces(log: ReadableLog) -> AsyncGenerator[bytes, None]:
    async for part in log.export():
        yield written_head(part) if isinstance(part, Link) else written(part)
