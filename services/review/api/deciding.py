"""What people send to decide, and what an item says of its decisions."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from services.review.api.asking import Reason
from services.review.domain.actions import actions_of
from services.review.domain.decisions import Context
from services.review.domain.items import ReviewItem
from shared.configuration.engines import EngineName
from shared.contracts.orders import PARTS_MAX

APPROVE = "approve"


class ApprovalView(BaseModel):
    model_config = ConfigDict(extra="forbid")

    override: Reason | None = Field(
        None,
        description="Why it is right although something blocks; nothing when nothing does.",
        examples=["Checked by phone: the new account is theirs."],
    )


class DuplicateView(BaseModel):
    model_config = ConfigDict(extra="forbid")

    of: UUID = Field(description="The document of the same owner that this one repeats.")
    reason: Reason = Field(examples=["The same invoice, scanned again."])


class PartView(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pages: list[Annotated[int, Field(ge=1)]] = Field(
        min_length=1, max_length=1_000, description="As a person counts them: from one."
    )


class SplitView(BaseModel):
    model_config = ConfigDict(extra="forbid")

    parts: list[PartView] = Field(
        min_length=2,
        max_length=PARTS_MAX,
        description="What is named in none of them, a cover sheet, is left out.",
        examples=[[{"pages": [1, 2]}, {"pages": [3]}]],
    )
    reason: Reason = Field(examples=["Two invoices were scanned in one go."])


class ReextractionView(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Reason = Field(examples=["Half of the lines are missing."])
    engine: EngineName | None = Field(
        None, description="Who is to read it; without a name, the usual engines."
    )


class ReopeningView(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Reason | None = Field(None, description="Needed, unless it is undone.")
    undo: StrictBool = Field(
        False, description="The own decision of a moment ago; it stays in your hands."
    )


def decided(
    item: ReviewItem,
    context: Context,
    actor: str,
    permissions: frozenset[str],
    needs_another: str | None,
) -> dict[str, Any]:
    """The part of an item's answer that is about its decisions."""
    actions = actions_of(item, context, actor, permissions)
    stands = needs_another if APPROVE in actions else None
    return {
        "actions": [one for one in actions if stands is None or one != APPROVE],
        "needs_another": f"{stands[0].upper()}{stands[1:]}." if stands else None,
        "parent_id": context.parent_id,
        "children": list(context.children),
        "duplicate_of": item.duplicate_of,
        "reextract_asked_at": item.reextract_asked_at,
        "reextract_asked_by": item.reextract_asked_by,
    }
