"""The routes of those who review: who is there, how much they have, of which level they are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Self

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from services.review.api.asking import LEAD, NO_NUL, Use
from services.review.domain.claims import LEVEL_MAX, Reviewer
from services.review.handlers.assigning import keep_level, keep_presence
from shared.web.guard import CurrentCaller, guarded_router, needs

router = guarded_router()

READ = needs("review:items:read")
CLAIM = needs("review:items:claim")
ASSIGN = needs(LEAD)


class ReviewerView(BaseModel):
    name: str
    level: int
    active: bool
    seen_at: datetime
    # Open items that are theirs, claimed or assigned.
    load: int

    @classmethod
    def of(cls, reviewer: Reviewer) -> Self:
        return cls(**{name: getattr(reviewer, name) for name in cls.model_fields})


class ReviewerList(BaseModel):
    reviewers: Sequence[ReviewerView]


class Presence(BaseModel):
    model_config = ConfigDict(extra="forbid")

    active: StrictBool


class Rights(BaseModel):
    model_config = ConfigDict(extra="forbid")

    level: int = Field(ge=1, le=LEVEL_MAX)


@router.get("/v1/reviewers", openapi_extra=READ)
async def list_reviewers(use: Use) -> ReviewerList:
    """Everybody who has claimed something once, or was given a level."""
    known = await use.reviewers.list_reviewers()
    return ReviewerList(reviewers=[ReviewerView.of(one) for one in known])


@router.put("/v1/reviewers/me", openapi_extra=CLAIM)
async def say_presence(asked: Presence, use: Use, caller: CurrentCaller) -> ReviewerView:
    """Away: one is given nothing, and what one was given and has not begun goes back."""
    return ReviewerView.of(await keep_presence(caller.owner_id, asked.active, use))


@router.put("/v1/reviewers/{name}", openapi_extra=ASSIGN)
async def set_level(
    name: Annotated[str, Path(min_length=1, max_length=200, pattern=NO_NUL)],
    asked: Rights,
    use: Use,
    caller: CurrentCaller,
) -> ReviewerView:
    """Who is of a level is shown what was escalated to it, and what is below."""
    return ReviewerView.of(await keep_level(name, asked.level, caller.owner_id, use))
