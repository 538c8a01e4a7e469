"""Draw what somebody will look at next, before they ask: the largest speed that is felt.

One at a time, so that whoever waits in front of a page is never the one who waits for this.
"""

import logging
from contextlib import suppress
from uuid import UUID

from services.review.domain.items import NoSuchItem
from services.review.domain.pages import FIRST, NoSuchPage, NotShown, Width
from services.review.handlers.claiming import see_next_item
from services.review.handlers.pages import show_picture, show_words
from services.review.ports import Ports
from shared.errors import Rejected, Retryable

log = logging.getLogger(__name__)


async def keep_drawing_ahead(use: Ports) -> None:
    """Until cancelled."""
    while True:
        await draw_wish(use)


async def draw_wish(use: Ports) -> None:
    wish = await use.pages.wishes.next()
    try:
        await _draw(wish.document_id, use)
        if wish.reviewer is not None:
            item = await see_next_item(
                wish.reviewer, use, after=wish.document_id, lead=wish.lead
            )
            if item is not None:
                await _draw(item.document_id, use)
    except (Rejected, Retryable) as error:
        log.info("not_drawn_ahead", extra={"error": str(error)})


async def _draw(document_id: UUID, use: Ports) -> None:
    # Whoever looks is told what is wrong with it.
    with suppress(NoSuchItem, NoSuchPage, NotShown):
        await show_picture(document_id, FIRST, Width.READING, use)
        await show_words(document_id, FIRST, use)
