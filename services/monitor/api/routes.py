"""The routes of dead letters: find one, look into it, replay it, follow it to its end."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from services.monitor.api.asking import Use
from services.monitor.api.moments import Moment
from services.monitor.api.problems import told
from services.monitor.api.shapes import (
    NO_ZERO,
    EditRequest,
    LetterPage,
    LetterView,
    Payload,
    ReplayRequest,
    ReplayView,
)
from services.monitor.domain.editing import Edit
from services.monitor.domain.letters import DeadLetter, LetterState
from services.monitor.handlers.editing import edit_and_replay
from services.monitor.handlers.replaying import (
    get_letter,
    get_replay,
    replay_letter,
    view_payload,
)
from services.monitor.ports import Filter, Place
from shared.web.cursors import Cursors, Position
from shared.web.description import where_to_look
from shared.web.etags import SeenVersion, etag
from shared.web.guard import CurrentCaller, guarded_router, needs

router = guarded_router()

VIEW = needs("dlq:messages:view")
PAYLOAD = needs("dlq:payload:view")
REPLAY = needs("dlq:messages:replay")
EDIT = needs("dlq:messages:edit")
PAGE_MAX = 200


class LetterQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    # Where it failed, or the dead queue it lay in.
    queue: str | None = Field(None, max_length=200, pattern=NO_ZERO)
    reason: str | None = Field(None, max_length=200, pattern=NO_ZERO)
    state: LetterState | None = None
    document_id: UUID | None = None
    fingerprint: str | None = Field(None, max_length=200, pattern=NO_ZERO)
    category: str | None = Field(None, max_length=200, pattern=NO_ZERO)
    type: str | None = Field(None, max_length=200, pattern=NO_ZERO)
    owner_id: str | None = Field(None, max_length=200, pattern=NO_ZERO)
    arrived_after: Moment | None = None
    arrived_before: Moment | None = None
    q: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        pattern=NO_ZERO,
        description="Words of what went wrong, or the id of a letter, a job or a document.",
    )
    limit: int = Field(50, ge=1, le=PAGE_MAX)
    cursor: str | None = None

    def scope(self) -> str:
        """Of a cursor: what it leads on through."""
        named = self.model_dump_json(exclude={"limit", "cursor"}, exclude_none=True)
        return f"dead letters {named}"

    def filter(self) -> Filter:
        named = self.model_dump(exclude={"limit", "cursor", "q"})
        try:
            return Filter(**named, any_id=UUID(self.q) if self.q else None)
        except ValueError:
            return Filter(**named, words=self.q)


@router.get("/ops/v1/dead-letters", openapi_extra=VIEW)
async def list_dead_letters(
    request: Request, use: Use, query: Annotated[LetterQuery, Query()]
) -> LetterPage:
    """Latest arrival first, without payloads."""
    cursors: Cursors = request.app.state.cursors
    scope = query.scope()
    after = Place(*cursors.decode(query.cursor, scope=scope)) if query.cursor else None
    letters = await use.letters.list_letters(query.filter(), after=after, limit=query.limit + 1)
    page = letters[: query.limit]
    more = len(letters) > query.limit
    return LetterPage(
        letters=[LetterView.of(letter) for letter in page],
        next=cursors.encode(_place(page[-1]), scope=scope) if more else None,
    )


@router.get("/ops/v1/dead-letters/{letter_id}", openapi_extra=VIEW)
async def show_dead_letter(letter_id: UUID, use: Use, response: Response) -> LetterView:
    """Where it failed, how often and why; its payload has an address of its own."""
    with told():
        letter = await get_letter(letter_id, use)
    response.headers["ETag"] = etag(letter.version)
    return LetterView.of(letter)


@router.get("/ops/v1/dead-letters/{letter_id}/payload", openapi_extra=PAYLOAD)
async def show_payload(letter_id: UUID, use: Use, caller: CurrentCaller) -> Payload:
    """What a customer sent may stand in it, so every look is recorded."""
    with told():
        letter, body = await view_payload(letter_id, caller.owner_id, use)
    return Payload.of(letter, body)


@router.post(
    "/ops/v1/dead-letters/{letter_id}/replay",
    status_code=HTTPStatus.ACCEPTED,
    responses=where_to_look("the replay"),
    openapi_extra=REPLAY,
)
async def replay_dead_letter(
    letter_id: UUID,
    asked: ReplayRequest,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ReplayView:
    """Back to the queue where it failed, as attempt 1 of a new run. What is done stays done."""
    with told():
        replay = await replay_letter(letter_id, caller.owner_id, asked.reason, use)
    response.headers["Location"] = f"/ops/v1/replays/{replay.replay_id}"
    response.headers["Retry-After"] = "1"
    return ReplayView.of(replay)


@router.post(
    "/ops/v1/dead-letters/{letter_id}/edit-and-replay",
    status_code=HTTPStatus.ACCEPTED,
    responses=where_to_look("the replay"),
    openapi_extra=EDIT,
)
async def edit_dead_letter(
    letter_id: UUID,
    asked: EditRequest,
    seen: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ReplayView:
    """Change what is wrong in its body and send it on as a job of its own; the letter stays as
    it failed, superseded. `patch` is a JSON Merge Patch of the envelope's `body`: whose it
    is stays, and what comes out has to be a message of its type. Needs If-Match."""
    edit = Edit(letter_id, seen, asked.patch, caller.owner_id, asked.reason)
    with told():
        replay = await edit_and_replay(edit, use)
    response.headers["Location"] = f"/ops/v1/replays/{replay.replay_id}"
    return ReplayView.of(replay)


@router.get("/ops/v1/replays/{replay_id}", openapi_extra=VIEW)
async def show_replay(replay_id: UUID, use: Use) -> ReplayView:
    """Whether it still runs, and how it ended."""
    with told():
        return ReplayView.of(await get_replay(replay_id, use))


def _place(letter: DeadLetter) -> Position:
    return letter.arrived_at, letter.letter_id
