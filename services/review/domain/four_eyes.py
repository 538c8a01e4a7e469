"""Two persons for an approval, where the configuration asks for them.

Whoever handed a document in, or wrote a value that stands on its form, does not say yes to it.
Rejecting stays free: nothing of it is paid. What the machine approves nobody wrote, so a
person's value that it finds on a form, inherited from the same bytes, waits for a person.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from services.review.domain.claims import SYSTEM
from services.review.domain.items import ItemField, NotAllowed, ReviewItem
from shared.configuration.review import FourEyes

HANDED_IN = "somebody else has to approve it, because you handed it in"
CHANGED = "somebody else has to approve it, because you changed a value of it"
OF_A_PERSON = "a person has to approve it, because another one changed a value of it"


class NeedsAnother(NotAllowed):
    """No reason overrides it, and no right: it would be the same person's word once more."""


def check_four_eyes(
    item: ReviewItem,
    fields: Sequence[ItemField],
    authors: frozenset[str],
    actor: str,
    rule: FourEyes,
) -> None:
    sentence = need_of_another(item, fields, authors, actor, rule)
    if sentence is not None:
        raise NeedsAnother(item, sentence)


def need_of_another(
    item: ReviewItem,
    fields: Sequence[ItemField],
    authors: frozenset[str],
    actor: str,
    rule: FourEyes,
) -> str | None:
    """Why this person cannot approve it; None when they may. `authors` wrote what stands
    there."""
    if not rule.enabled or not _is_meant(fields, rule):
        return None
    if actor == SYSTEM:
        return OF_A_PERSON if authors - {SYSTEM} else None
    if actor == item.owner_id:
        return HANDED_IN
    return CHANGED if actor in authors else None


def _is_meant(fields: Sequence[ItemField], rule: FourEyes) -> bool:
    """By the total as it is, and as it was read: or a person who writes a smaller one would
    need nobody. Where none can be read, it may be any."""
    told = list(_totals(fields))
    amounts = [_amount(one) for one in told]
    return not amounts or any(one is None or one >= rule.amount_min for one in amounts)


def _totals(fields: Sequence[ItemField]) -> Iterator[str | None]:
    for one in fields:
        if one.path == "total":
            yield one.value
            if one.machine is not None:
                yield one.machine.get("value")


def _amount(text: str | None) -> Decimal | None:
    try:
        amount = abs(Decimal(text or ""))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None
