"""Somebody who does something to an item: the frame that all such routes share.

What the domain refuses is told as a problem; what was done is answered with the item as it is
then, under the tag that the next who does something has to name.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Response

from services.review.api.asking import Use, is_lead
from services.review.api.items import detail
from services.review.api.problems import told
from services.review.api.shapes import ItemDetail
from services.review.domain.items import ReviewItem
from services.review.handlers.claiming import check_theirs
from services.review.ports import Ports
from shared.web.guard import Caller, CurrentCaller

Act = Callable[[], Awaitable[ReviewItem]]


@dataclass(frozen=True, slots=True)
class Actor:
    document_id: UUID
    caller: Caller
    use: Ports
    response: Response

    @property
    def name(self) -> str:
        return self.caller.owner_id

    @property
    def is_lead(self) -> bool:
        return is_lead(self.caller)

    async def done(self, act: Act) -> ItemDetail:
        with told():
            item = await act()
        return await detail(item, self.use, self.caller, self.response)

    async def done_if_theirs(self, act: Act) -> ItemDetail:
        """Unless the item is for somebody else."""
        with told():
            await check_theirs(self.document_id, self.name, self.use, lead=self.is_lead)
        return await self.done(act)


async def _actor(
    document_id: UUID, use: Use, caller: CurrentCaller, response: Response
) -> Actor:
    return Actor(document_id, caller, use, response)


ThisActor = Annotated[Actor, Depends(_actor)]
