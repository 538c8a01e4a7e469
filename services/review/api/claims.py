"""The routes by which an item comes into somebody's hands, and out of them again."""

from typing import Annotated
from uuid import UUID

from fastapi import Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from services.review.api.asking import LEAD, NO_NUL, Reason, Use, is_lead
from services.review.api.items import detail
from services.review.api.problems import told
from services.review.api.shapes import ItemDetail
from services.review.domain.claims import LEVEL_MAX
from services.review.domain.wishes import Wish
from services.review.handlers.claiming import (
    check_theirs,
    claim_item,
    extend_claim,
    release_item,
)
from services.review.handlers.passing_on import (
    assign_item,
    escalate_item,
    postpone_item,
    take_over_item,
)
from shared.web.guard import CurrentCaller, guarded_router, needs

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
async def claim(
    document_id: UUID, use: Use, caller: CurrentCaller, response: Response
) -> ItemDetail:
    """Again, by its holder, it makes the lease longer."""
    with told():
        item = await claim_item(document_id, caller.owner_id, use, lead=is_lead(caller))
    use.pages.wishes.make(Wish(document_id, caller.owner_id, is_lead(caller)))
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/heartbeat", openapi_extra=CLAIM)
async def heartbeat(
    document_id: UUID, use: Use, caller: CurrentCaller, response: Response
) -> ItemDetail:
    """Keep what one holds. 409 `lease_lost` once it is not held any more."""
    with told():
        item = await extend_claim(document_id, caller.owner_id, use)
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/release", openapi_extra=CLAIM)
async def release(
    document_id: UUID, use: Use, caller: CurrentCaller, response: Response
) -> ItemDetail:
    """Give it back, for somebody else to claim."""
    with told():
        item = await release_item(document_id, caller.owner_id, use)
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/postpone", openapi_extra=CLAIM)
async def postpone(
    document_id: UUID,
    asked: Postponing,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Nobody is given it before that time. It is due when it was."""
    with told():
        await check_theirs(document_id, caller.owner_id, use, lead=is_lead(caller))
        item = await postpone_item(
            document_id,
            asked.until,
            asked.reason,
            caller.owner_id,
            use,
            lead=is_lead(caller),
        )
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/escalate", openapi_extra=CLAIM)
async def escalate(
    document_id: UUID,
    asked: Escalation,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Pass it on to reviewers of a level."""
    with told():
        await check_theirs(document_id, caller.owner_id, use, lead=is_lead(caller))
        item = await escalate_item(
            document_id,
            asked.level,
            asked.reason,
            caller.owner_id,
            use,
            lead=is_lead(caller),
        )
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/assign", openapi_extra=ASSIGN)
async def assign(
    document_id: UUID,
    asked: Assignment,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Give it to one reviewer, who is known here, is not away, and is of its level; another's
    claim ends with it."""
    with told():
        item = await assign_item(document_id, asked.reviewer, caller.owner_id, use)
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/takeover", openapi_extra=ASSIGN)
async def takeover(
    document_id: UUID,
    asked: Takeover,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Claim it, whoever holds it. Who that was stands in the audit log."""
    with told():
        item = await take_over_item(document_id, caller.owner_id, asked.reason, use)
    return await detail(item, use, caller, response)
