"""What every route asks: behind which ports it stands, and whose documents are seen."""

from typing import Annotated

from fastapi import Depends, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from services.storage.ports.outlets import Outlets
from shared.web.cursors import CURSOR_CHARS_MAX
from shared.web.guard import Caller, needs

SEE_ALL = "documents:all:read"
HAND_OVER_ALL = "handover:all:manage"
READ = needs("documents:own:read", SEE_ALL)
HAND_OVER = needs("handover:own:manage", HAND_OVER_ALL)
PAGE_MAX = 200
# Changes with every decision, so it may be kept but must be asked about.
REVALIDATE = "private, no-cache"


def outlets_of(request: Request) -> Outlets:
    use: Outlets = request.app.state.outlets
    return use


async def _outlets(request: Request) -> Outlets:
    return outlets_of(request)


class Turning(BaseModel):
    """Which page of a list."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=PAGE_MAX)
    cursor: str | None = Field(None, max_length=CURSOR_CHARS_MAX)


Use = Annotated[Outlets, Depends(_outlets)]
Turned = Annotated[Turning, Query()]


def owner_of(caller: Caller, everybodys: str = SEE_ALL) -> str | None:
    """None for those whose permission reaches the documents of all."""
    return None if everybodys in caller.permissions else caller.owner_id
