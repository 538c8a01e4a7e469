"""What documents are the same invoice as this one, asked whenever somebody looks at it.

Nothing of it is kept with the item: the other one may have come, or been corrected, since.
"""

from collections.abc import Sequence

from services.review.domain.invoice_keys import keys_of
from services.review.domain.items import ItemField, ReviewItem
from services.review.domain.rescans import told_by, with_rescans
from services.review.domain.twins import Twin, twins_of
from services.review.ports import Ports


async def find_twins(item: ReviewItem, fields: Sequence[ItemField], use: Ports) -> list[Twin]:
    asked, keys = use.plan.review.duplicates, keys_of(item, fields)
    twins = twins_of(keys, await use.forms.find_lookalikes(keys), asked) if keys else []
    if asked.rescan == "ignore":
        return twins
    told = told_by(fields)
    found = await use.forms.find_rescans(item.document_id, item.owner_id, told)
    return with_rescans(twins, item, told, found)
