"""What a person may do to an item now, by name: what a page offers and a program may try.

It promises nothing: each action asks again, under the item's lock.
"""

from services.review.domain.decisions import DECIDED, Context
from services.review.domain.items import OPEN, ReviewItem

CLAIM, APPROVE = "review:items:claim", "review:items:approve"
CORRECT = "review:items:correct"
ASSIGN, REOPEN = "review:items:assign", "review:items:reopen"
_PUT_OFF = ("postpone", "escalate")


def actions_of(
    item: ReviewItem, context: Context, actor: str, permissions: frozenset[str]
) -> list[str]:
    if item.status in OPEN:
        return _while_open(item, context, actor, permissions)
    if item.status in DECIDED and not context.children:
        return _once_decided(context, permissions)
    return []


def _while_open(
    item: ReviewItem, context: Context, actor: str, permissions: frozenset[str]
) -> list[str]:
    if item.claimed_by_another(actor):
        return ["takeover"] if ASSIGN in permissions else []
    held = item.claim_holds and item.claimed_by == actor
    claims = ["claim", *(["release"] if held else []), *_PUT_OFF]
    allowed = [
        *(claims if CLAIM in permissions else []),
        *(["correct"] if held and CORRECT in permissions else []),
        *(["assign"] if ASSIGN in permissions else []),
    ]
    if APPROVE not in permissions:
        return allowed
    # What was split and read anew since is never a result beside its own parts.
    whole = ["approve", "reject", "duplicate", "split"] if not context.children else ["reject"]
    again = ["reextract"] if item.reextract_asked_at is None else []
    return [*allowed, *whole, *again]


def _once_decided(context: Context, permissions: frozenset[str]) -> list[str]:
    undo = ["undo"] if context.undo_holds and APPROVE in permissions else []
    return [*undo, *(["reopen"] if REOPEN in permissions else [])]
