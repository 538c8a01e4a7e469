"""The routes by which an item comes into somebody's hands, and out of them again."""

from functools import partial
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from services.review.api.acting import ThisActor
from services.review.api.asking import LEAD, NO_NUL, Reason
from services.review.api.shapes import ItemDetail
from services.review.domain.claims import LEVEL_MAX
from services.review.domain.wishes import Wish
from services.review.handlers.claiming import claim_item, extend_claim, release_item
from services.review.handlers.passing_on import (
    assign_item,
    escalate_item,
    postpone_item,
    take_over_item,
)
from shared.web.guard import guarded_router, needs

router = guarded_router()

CLAIM = needs("review:items:claim")
ASSIGN = needs(LEAD)
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=NO_NUL)
]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Takeover(_Asked):
    reason: Reason = Field(examples=["Anna has gone home."])


class Assignment(_Asked):
    # Absent or null: whoever asks next.
    reviewer: Name | None = Field(default=None, examples=["anna"])


class Postponing(_Asked):
    until: AwareDatetime
    reason: Reason = Field(examples=["The vendor sends a corrected one."])


class Escalation(_Asked):
    level: int = Field(ge=1, le=LEVEL_MAX)
    reason: Reason = Field(examples=["Above what I may approve."])


@router.post("/v1/items/{document_id}/claim", openapi_extra=CLAIM)
async def claim(actor: ThisActor) -> ItemDetail:
    """Again, by its holder, it makes the lease longer."""
    claimed = partial(claim_item, actor.document_id, actor.name, actor.use, lead=actor.is_lead)
    item = await actor.done(claimed)
    actor.use.pages.wishes.make(Wish(actor.document_id, actor.name, actor.is_lead))
    return item


@router.post("/v1/items/{document_id}/heartbeat", openapi_extra=CLAIM)
async def heartbeat(actor: ThisActor) -> ItemDetail:
    """Keep what one holds. 409 `lease_lost` once it is not held any more."""
    return await actor.done(partial(extend_claim, actor.document_id, actor.name, actor.use))


@router.post("/v1/items/{document_id}/release", openapi_extra=CLAIM)
async def release(actor: ThisActor) -> ItemDetail:
    """Give it back, for somebody else to claim."""
    return await actor.done(partial(release_item, actor.document_id, actor.name, actor.use))


@router.post("/v1/items/{document_id}/postpone", openapi_extra=CLAIM)
async def postpone(actor: ThisActor, asked: Postponing) -> ItemDetail:
    """Nobody is given it before that time. It is due when it was."""
    put_off = partial(postpone_item, actor.document_id, asked.until, asked.reason)
    return await actor.done_if_theirs(
        partial(put_off, actor.name, actor.use, lead=actor.is_lead)
    )


@router.post("/v1/items/{document_id}/escalate", openapi_extra=CLAIM)
async def escalate(actor: ThisActor, asked: Escalation) -> ItemDetail:
    """Pass it on to reviewers of a level."""
    passed_on = partial(escalate_item, actor.document_id, asked.level, asked.reason)
    return await actor.done_if_theirs(
        partial(passed_on, actor.name, actor.use, lead=actor.is_lead)
    )


@router.post("/v1/items/{document_id}/assign", openapi_extra=ASSIGN)
async def assign(actor: ThisActor, asked: Assignment) -> ItemDetail:
    """Give it to one reviewer, who is known here, is not away, and is of its level; another's
    claim ends with it."""
    assigned = partial(assign_item, actor.document_id, asked.reviewer, actor.name, actor.use)
    return await actor.done(assigned)


@router.post("/v1/items/{document_id}/takeover", openapi_extra=ASSIGN)
async def takeover(actor: ThisActor, asked: Takeover) -> ItemDetail:
    """Claim it, whoever holds it. Who that was stands in the audit log."""
    return await actor.done(
        partial(take_over_item, actor.document_id, actor.name, asked.reason, actor.use)
    )
