"""Sign in with a key, look who is signed in, sign out: what a page needs of a server.

The key goes over the wire once and is kept nowhere in the browser; what stays is a cookie that
no script can read. For an API whose `state` holds `sessions`.
"""

from http import HTTPStatus
from typing import Annotated

from fastapi import Body, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from shared.web.cookies import (
    clear_session,
    csrf_word,
    require_own_page,
    require_safe_way,
    set_session,
)
from shared.web.guard import (
    KEY_CHARS_MAX,
    Authenticator,
    Caller,
    CurrentCaller,
    SessionKeeper,
    any_caller,
    guarded_router,
    public,
    unauthenticated,
)

router = guarded_router()


class SignIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: str = Field(min_length=1, max_length=KEY_CHARS_MAX)


class SignedIn(BaseModel):
    """`csrf` goes with every request that changes something; none where a key is used."""

    owner_id: str
    csrf: str | None
    permissions: list[str]


@router.post("/v1/session", status_code=HTTPStatus.CREATED, openapi_extra=public())
async def sign_in(
    given: Annotated[SignIn, Body()], request: Request, response: Response
) -> SignedIn:
    # Else another site could sign a visitor in as somebody whose list it can read.
    require_own_page(request)
    require_safe_way(request)
    authenticator: Authenticator = request.app.state.authenticator
    sessions: SessionKeeper = request.app.state.sessions
    caller = await authenticator.authenticate(given.key.strip())
    if caller is None:
        raise unauthenticated("This key is unknown, expired or revoked.")
    token = await sessions.create(caller)
    set_session(request, response, token)
    return _signed_in(caller, token)


@router.get("/v1/session", openapi_extra=any_caller())
async def get_session(request: Request, caller: CurrentCaller) -> SignedIn:
    return _signed_in(caller, request.state.session_token)


@router.delete("/v1/session", status_code=HTTPStatus.NO_CONTENT, openapi_extra=any_caller())
async def sign_out(request: Request, response: Response) -> None:
    sessions: SessionKeeper = request.app.state.sessions
    token: str | None = request.state.session_token
    if token is not None:
        await sessions.end(token)
        clear_session(request, response)


def _signed_in(caller: Caller, token: str | None) -> SignedIn:
    return SignedIn(
        owner_id=caller.owner_id,
        csrf=csrf_word(token) if token else None,
        permissions=sorted(caller.permissions),
    )
