"""The routes of groups: what fails for one and the same cause, and what people say of it."""

from datetime import datetime
from typing import Annotated, Self
from urllib.parse import quote
from uuid import UUID

from fastapi import Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.monitor.api.asking import Use
from services.monitor.api.moments import Moment
from services.monitor.api.problems import told
from services.monitor.domain.groups import FailureGroup, Said
from services.monitor.handlers.grouping import say_of_group
from shared.web.etags import SeenVersion, etag
from shared.web.guard import CurrentCaller, guarded_router, needs

router = guarded_router()

VIEW = needs("dlq:messages:view")
ANNOTATE = needs("dlq:messages:replay", "dlq:messages:archive")
GROUPS_MAX = 200
Fingerprint = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[^\x00]*$")]


class Saying(BaseModel):
    model_config = ConfigDict(extra="forbid")

    comment: Annotated[Text, Field(max_length=2000)] = ""
    owner: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    muted_until: Moment | None = Field(
        None, description="It raises no alert until then; its letters are kept all the same."
    )


class SaidView(BaseModel):
    comment: str
    owner: str | None
    muted_until: datetime | None
    version: int

    @classmethod
    def of(cls, said: Said) -> Self:
        return cls(**{name: getattr(said, name) for name in cls.model_fields})


class Hour(BaseModel):
    hour: datetime
    letters: int


class GroupView(BaseModel):
    fingerprint: str
    letters: int
    first_at: datetime
    last_at: datetime
    # Of the newest letter.
    letter_id: UUID
    queue: str
    reason: str
    category: str
    exception: str
    type: str | None
    message: str
    muted: bool
    said: SaidView
    # Hours of the last day in which any came.
    trend: list[Hour]
    links: dict[str, str]

    @classmethod
    def of(cls, group: FailureGroup) -> Self:
        plain = cls.model_fields.keys() - {"said", "trend", "links"}
        home = "/ops/v1/dead-letters"
        return cls(
            **{name: getattr(group, name) for name in plain},
            said=SaidView.of(group.said),
            trend=[Hour(hour=hour, letters=n) for hour, n in group.trend.items()],
            links={
                "letters": f"{home}?fingerprint={quote(group.fingerprint)}&state=open",
                "newest": f"{home}/{group.letter_id}",
            },
        )


class GroupPage(BaseModel):
    groups: list[GroupView]


@router.get("/ops/v1/failure-groups", openapi_extra=VIEW)
async def list_groups(
    use: Use, limit: Annotated[int, Query(ge=1, le=GROUPS_MAX)] = 50
) -> GroupPage:
    """Open failures taken together by their cause, the largest group first."""
    found = await use.groups.list_groups(limit)
    return GroupPage(groups=[GroupView.of(one) for one in found])


@router.get("/ops/v1/failure-groups/{fingerprint}/comment", openapi_extra=VIEW)
async def show_comment(fingerprint: Fingerprint, use: Use, response: Response) -> SaidView:
    """What people say of it; its ETag is what a change names, 0 while nobody has spoken."""
    said = await use.groups.find_said(fingerprint)
    response.headers["ETag"] = etag(said.version)
    return SaidView.of(said)


@router.put("/ops/v1/failure-groups/{fingerprint}/comment", openapi_extra=ANNOTATE)
async def comment(
    fingerprint: Fingerprint,
    asked: Saying,
    seen: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> SaidView:
    """Needs If-Match."""
    said = Said(fingerprint, asked.comment, asked.owner, asked.muted_until, seen)
    with told():
        kept = await say_of_group(said, caller.owner_id, use)
    response.headers["ETag"] = etag(kept.version)
    return SaidView.of(kept)
