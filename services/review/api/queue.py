"""The routes of the queue: what is waiting, in which order, and the next of it."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import BaseModel, ConfigDict

from services.review.api.asking import NO_NUL, Use, is_lead
from services.review.api.items import detail
from services.review.api.ranks import standing
from services.review.api.shapes import ItemDetail, ItemPage, ItemView
from services.review.domain.items import OPEN, ItemStatus, Place, ReviewItem
from services.review.domain.listing import (
    NOBODY,
    OPEN_ITEMS,
    RankedPlace,
    RankPlace,
    Wanted,
)
from services.review.domain.ranking import Sla
from services.review.domain.wishes import Wish
from services.review.handlers.claiming import claim_next_item, see_next_item
from services.review.ports import Ports
from shared.web.cursors import Cursors
from shared.web.guard import Caller, CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

READ = needs("review:items:read")
CLAIM = needs("review:items:claim")
PAGE_MAX = 200
_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Asked(BaseModel):
    """What a list is asked for."""

    model_config = ConfigDict(extra="forbid")

    status: ItemStatus | Literal["open"] | None = None
    # `me`, `none`, or somebody's name.
    assignee: Annotated[str, Query(max_length=200, pattern=NO_NUL)] | None = None
    sla: Literal["ok", "soon", "late"] | None = None
    level: Annotated[int, Query(ge=1, le=3)] | None = None
    # The beginning of a vendor's name, an invoice number or a file name.
    q: Annotated[str, Query(min_length=1, max_length=200, pattern=NO_NUL)] | None = None
    # By rank for what is open, by age for everything else.
    sort: Literal["rank", "age"] | None = None
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50
    cursor: str | None = None

    @property
    def by_rank(self) -> bool:
        is_open = self.status == OPEN_ITEMS or self.status in OPEN
        if self.sort == "rank" and not (is_open or self.status is None):
            raise _invalid("/query/sort", "only what is open has a rank")
        return is_open if self.sort is None else self.sort == "rank"

    def wanted(self, caller: Caller, use: Ports, as_of: datetime) -> Wanted:
        soon = as_of + timedelta(seconds=use.plan.soon_s)
        due_from, due_until = {
            None: (None, None),
            Sla.LATE: (None, as_of),
            Sla.SOON: (as_of, soon),
            Sla.OK: (soon, None),
        }[Sla(self.sla) if self.sla else None]
        holders = {"me": caller.owner_id, "none": NOBODY}
        status = self.status
        if self.sla and status is None:
            # Only what is open has somebody who waits for it.
            status = OPEN_ITEMS
        return Wanted(
            status=status,
            holder=None if self.assignee is None else holders.get(self.assignee, self.assignee),
            level=self.level,
            due_from=due_from,
            due_until=due_until,
            beginning=self.q,
        )

    def scope(self, caller: Caller) -> str:
        """What a cursor is good for: another question is another list."""
        asked = self.model_dump_json(exclude={"limit", "cursor"})
        return f"items {caller.owner_id} {asked}"


@router.get("/v1/items", openapi_extra=READ)
async def list_items(
    request: Request, use: Use, caller: CurrentCaller, asked: Annotated[Asked, Query()]
) -> ItemPage:
    """Open items in the order in which they are handed out, others oldest first."""
    cursors: Cursors = request.app.state.cursors
    items, cursor = await (_by_rank if asked.by_rank else _by_age)(asked, caller, use, cursors)
    return ItemPage(
        items=[ItemView.of(item, **standing(item, use)) for item in items], next=cursor
    )


@router.post(
    "/v1/items/next",
    openapi_extra=CLAIM,
    response_model=ItemDetail,
    responses={
        204: {"description": "Every open item is in somebody's hands, or none is open."}
    },
)
async def claim_best(
    use: Use,
    caller: CurrentCaller,
    response: Response,
    peek: bool = False,
    after: UUID | None = None,
) -> object:
    """Claim the most urgent item that nobody holds. With `peek` it is shown and not claimed,
    and `after` is left out: what comes when this one is done."""
    name, lead = caller.owner_id, is_lead(caller)
    if peek:
        item = await see_next_item(name, use, after=after, lead=lead)
    else:
        item = await claim_next_item(name, use, lead=lead)
    if item is None:
        return Response(status_code=HTTPStatus.NO_CONTENT)
    use.pages.wishes.make(Wish(item.document_id, None if peek else name, lead))
    return await detail(item, use, caller, response)


Page = tuple[list[ReviewItem], str | None]


async def _by_age(asked: Asked, caller: Caller, use: Ports, cursors: Cursors) -> Page:
    scope = asked.scope(caller)
    after = Place(*cursors.decode(asked.cursor, scope=scope)) if asked.cursor else None
    wanted = asked.wanted(caller, use, use.clock.now())
    found = await use.items.list_items(wanted=wanted, after=after, limit=asked.limit + 1)
    items = found[: asked.limit]
    if len(found) == len(items):
        return items, None
    last = items[-1]
    return items, cursors.encode((last.opened_at, last.document_id), scope=scope)


async def _by_rank(asked: Asked, caller: Caller, use: Ports, cursors: Cursors) -> Page:
    """All pages of a list show the order of the moment at which its first was asked for."""
    scope = asked.scope(caller)
    place = RankedPlace(use.clock.now())
    if asked.cursor:
        place = _place(cursors.decode_values(asked.cursor, scope=scope))
    wanted = asked.wanted(caller, use, place.as_of)
    found = await use.queue.list_ranked(wanted, place, asked.limit + 1)
    items = found[: asked.limit]
    if len(found) == len(items):
        return items, None
    return items, cursors.encode_values(_values(place.after(items)), scope=scope)


def _values(place: RankedPlace) -> list[object]:
    rows = [
        [one.points, _number(one.opened_at), one.document_id.hex] if one else None
        for one in (place.timely, place.late)
    ]
    return [_number(place.as_of), *rows]


def _place(values: list[object]) -> RankedPlace:
    as_of, *rows = values
    timely, late = (
        RankPlace(one[0], _moment(one[1]), UUID(one[2])) if isinstance(one, list) else None
        for one in rows
    )
    return RankedPlace(_moment(as_of), timely, late)


def _number(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _moment(number: object) -> datetime:
    return _EPOCH + _MICROSECOND * int(str(number))


def _invalid(pointer: str, detail: str) -> Problem:
    return Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "invalid",
        "See errors.",
        errors=[{"pointer": pointer, "detail": detail}],
    )
