"""Give what was just opened to those who have the fewest, and keep who is here.

The lock comes last of all locks but the audit log's: whoever opens items holds it for as long
as counting and noting take, and fifty who open at once end even.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.review.domain.claims import SYSTEM, Reviewer
from services.review.domain.items import resource_of
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.ledger.port import Unit

NEW_LEVEL = 1


async def assign_opened(unit: Unit, owners: Mapping[UUID, str], use: Ports) -> list[Entry]:
    """By document, who handed it in. Does nothing unless it is switched on, or while nobody is
    there to be given anything. What the audit log is to say of it: that is written last."""
    if not use.plan.review.assignment.automatic or not owners:
        return []
    await use.reviewers.lock_assignment(unit)
    there = await use.reviewers.list_assignable(
        unit, level=NEW_LEVEL, seen_within_s=use.limits.away_after_s
    )
    # Where two persons are asked for, who handed it in could only pass it on.
    but_not = owners if use.plan.review.four_eyes.enabled else {}
    chosen = evenly(sorted(owners), there, but_not)
    if chosen:
        await use.reviewers.assign_opened(unit, chosen)
    return [
        Entry(SYSTEM, "item_assigned", resource_of(one), after={"assigned_to": name})
        for one, name in chosen
    ]


def evenly(
    document_ids: Sequence[UUID], there: Sequence[Reviewer], but_not: Mapping[UUID, str]
) -> list[tuple[UUID, str]]:
    """Each to whoever has the fewest; among equals to who has waited longest, who stands
    first. Of `but_not` each to another, or to nobody."""
    line = {one.name: (one.load, place) for place, one in enumerate(there)}
    chosen = []
    for turn, document_id in enumerate(document_ids, start=len(line)):
        others = [one for one in line if one != but_not.get(document_id)]
        if others:
            name = min(others, key=line.__getitem__)
            chosen.append((document_id, name))
            line[name] = (line[name][0] + 1, turn)
    return chosen


async def keep_presence(name: str, active: bool, use: Ports) -> Reviewer:
    """Who goes away gives back what they were given and have not begun."""
    async with use.ledger.unit() as unit:
        # Items before reviewers, as whoever opens some.
        returned = [] if active else await use.reviewers.return_items(unit, name)
        await use.reviewers.touch_reviewer(unit, name)
        kept = await use.reviewers.keep_reviewer(unit, name, active=active)
        action = "reviewer_active" if active else "reviewer_away"
        after = {"returned": len(returned)}
        await use.trail.record(unit, Entry(name, action, resource(name), after=after))
    return kept


async def keep_level(name: str, level: int, lead: str, use: Ports) -> Reviewer:
    async with use.ledger.unit() as unit:
        kept = await use.reviewers.keep_reviewer(unit, name, level=level)
        entry = Entry(lead, "reviewer_level_set", resource(name), after={"level": level})
        await use.trail.record(unit, entry)
    return kept


def resource(name: str) -> str:
    """How the audit log names a reviewer."""
    return f"reviewer/{name}"
