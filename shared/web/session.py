"""Sign in with a key, look who is signed in, sign out: what a page needs of a server.

The key goes over the wire once and is kept nowhere in the browser; what stays is a cookie that
no script can read. For an API whose `state` holds `sessions`. Only ingest may write sessions,
so it alone has `router`; the others have `signed_in`, to look and to sign out.
"""

from http import HTTPStatus
from typing import Annotated

from fastapi import Body, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from shared.web.bearer import looks_like_a_token
from shared.web.cookies import (
    clear_session,
    csrf_word,
    require_own_page,
    require_safe_way,
    session_token,
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
from shared.web.problems import Problem

# What a browser keeps of the site: pictures of pages above all. Not "cookies": that would take
# those of the whole domain, other programs' too; ours goes by its name.
LEAVE_NOTHING = '"cache", "storage"'

router = guarded_router()
signed_in = guarded_router()


class SignIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: str = Field(min_length=1, max_length=KEY_CHARS_MAX)


class SignedIn(BaseModel):
    """`csrf` goes with every request that changes something; none where a key is used."""

    owner_id: str
    # What people call them; nothing is decided by it.
    name: str
    csrf: str | None
    permissions: list[str]


@router.post("/v1/session", status_code=HTTPStatus.CREATED, openapi_extra=public())
async def sign_in(
    given: Annotated[SignIn, Body()], request: Request, response: Response
) -> SignedIn:
    """Exchange a key for the cookie of a browser, which no script can read."""
    # Else another site could sign a visitor in as somebody whose list it can read.
    require_own_page(request)
    require_safe_way(request)
    if not request.app.state.key_sign_in:
        raise Problem(
            HTTPStatus.FORBIDDEN,
            "no_key_sign_in",
            "People sign in with the identity provider here; keys are for programs.",
        )
    if looks_like_a_token(given.key):
        # It ends soon and cannot be revoked; a session would outlive it.
        raise unauthenticated("Sign in with an API key; a token goes into the header.")
    authenticator: Authenticator = request.app.state.authenticator
    sessions: SessionKeeper = request.app.state.sessions
    caller = await authenticator.authenticate(given.key.strip())
    if caller is None:
        raise unauthenticated("This key is unknown, expired or revoked.", shown=True)
    if (before := session_token(request)) is not None:
        await sessions.end(before)
    token = await sessions.create(caller)
    set_session(request, response, token)
    return _signed_in(caller, token)


@signed_in.get("/v1/session", openapi_extra=any_caller())
async def get_session(request: Request, caller: CurrentCaller) -> SignedIn:
    """Who is signed in, and the word that goes with whatever they change."""
    return _signed_in(caller, request.state.session_token)


@signed_in.delete("/v1/session", status_code=HTTPStatus.NO_CONTENT, openapi_extra=any_caller())
async def sign_out(request: Request, response: Response) -> None:
    """End the session, here and in the browser, which is asked to keep nothing of the site."""
    sessions: SessionKeeper = request.app.state.sessions
    token: str | None = request.state.session_token
    if token is not None:
        await sessions.end(token)
        clear_session(request, response)
        response.headers["Clear-Site-Data"] = LEAVE_NOTHING


router.include_router(signed_in)


def _signed_in(caller: Caller, token: str | None) -> SignedIn:
    return SignedIn(
        owner_id=caller.owner_id,
        name=caller.called or caller.owner_id,
        csrf=csrf_word(token) if token else None,
        permissions=sorted(caller.permissions),
    )
