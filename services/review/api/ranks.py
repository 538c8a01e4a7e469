"""Why an item stands where it stands, in points and in words."""

from typing import Any

from pydantic import BaseModel, Field

from services.review.domain.items import OPEN, ReviewItem
from services.review.domain.ranking import Sla, points_of, sla_of
from services.review.ports import Ports

DIGITS = 2


class RankView(BaseModel):
    """What each part adds. `sla` grows until the item is due, and is below zero for what is
    wanted later than the horizon of the configuration."""

    score: float = Field(le=100)
    doubt: float
    sla: float
    complexity: float
    value: float
    why: list[str] = Field(examples=[["IBAN 42 % sure", "due in 2 h"]])


def standing(item: ReviewItem, use: Ports) -> dict[str, Any]:
    """What an item's view says of its place in the queue at this moment."""
    now = use.clock.now()
    points = points_of(item, use.plan, now)
    parts = {
        name: round(getattr(points, name), DIGITS)
        for name in ("score", "doubt", "sla", "complexity", "value")
    }
    is_open = item.status in OPEN
    return {
        "rank": RankView(why=list(points.why), **parts),
        "sla": sla_of(item.due_at, now, use.plan.soon_s) if is_open else Sla.NONE,
    }
