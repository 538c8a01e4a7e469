"""Who may use which route. A route without a policy cannot even be made.

The guard runs before the body is read, so a stranger's upload costs nothing and a stranger
learns nothing from a validation error. A key or token in the header decides alone; only
without one is the cookie of a signed-in browser looked at, and then the request must not be
forged.
"""

from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from shared.access.keys import Quota
from shared.access.provider import Person
from shared.errors import Retryable
from shared.web.bodies import StrictRequest
from shared.web.cookies import require_no_forgery, session_token
from shared.web.places import PLACE, Place
from shared.web.problems import Problem
from shared.web.rates import Rates, admit

POLICY = "x-permissions"
KEY_CHARS_MAX = 200
# A token of a provider says more than a key.
BEARER_CHARS_MAX = 8 * 1024
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
Policy = Mapping[str, Any]


class Caller(Protocol):
    """Who asks, as `shared.access` knows them."""

    @property
    def owner_id(self) -> str: ...

    @property
    def key_id(self) -> str: ...

    @property
    def roles(self) -> frozenset[str]: ...

    @property
    def permissions(self) -> frozenset[str]: ...

    @property
    def quota(self) -> Quota: ...

    @property
    def called(self) -> str | None: ...


class Authenticator(Protocol):
    async def authenticate(self, shown: str, /) -> Caller | None:
        """None for a key or token that is unknown, expired or revoked."""


class SessionKeeper(Protocol):
    """Those who signed in, as `shared.access` keeps them."""

    async def create(self, caller: Any, /) -> str: ...  # noqa: ANN401 -- its own Caller

    async def create_for(self, person: Person, lifetime_s: float, /) -> str: ...

    async def verify(self, token: str, /) -> Caller | None: ...

    async def end(self, token: str, /) -> bool: ...


class Refusals(Protocol):
    """Who has to know of those that tried to change what they may not."""

    async def __call__(self, caller: Caller, method: str, path: str, /) -> None: ...


def needs(*permissions: str) -> dict[str, Any]:
    """For a route's `openapi_extra`: any one of these opens it."""
    if not permissions:
        raise ValueError("name a permission, or say any_caller() or public()")
    return {POLICY: list(permissions)}


def any_caller() -> dict[str, Any]:
    return {POLICY: ["*"]}


def public() -> dict[str, Any]:
    return {POLICY: [], "security": []}


class GuardedRoute(APIRoute):
    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 -- the framework's own
        policy = (options.get("openapi_extra") or {}).get(POLICY)
        if policy is None:
            raise TypeError(f"{path} has no policy: give it openapi_extra=needs(…)")
        self.permissions = frozenset(policy)
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            await self._admit(request)
            # Here, because there is no route without it.
            return await inner(StrictRequest(request.scope, request.receive))

        return guarded

    async def _admit(self, request: Request) -> None:
        if not self.permissions:
            return
        caller = await _authenticated(request)
        await _count(request, caller)
        if not self.permissions & (caller.permissions | {"*"}):
            await _note_refusal(request, caller)
            raise Problem(HTTPStatus.FORBIDDEN, "forbidden", "You may not do that.")
        request.state.caller = caller


class DirectRoute(GuardedRoute):
    """For what is asked very often: its endpoint takes the request and makes the response. The
    framework's way from one to the other would cost more than a small upload does, so here it
    describes the route and no more."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 -- the framework's own
        super().__init__(path, endpoint, **options)
        self.app = self._answer

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        await self._admit(request)
        response: Response = await self.endpoint(request)
        await response(scope, receive, send)


def guarded_router() -> APIRouter:
    return APIRouter(route_class=GuardedRoute)


def direct_router() -> APIRouter:
    return APIRouter(route_class=DirectRoute)


def caller_of(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def current_caller(request: Request) -> Caller:
    return caller_of(request)


CurrentCaller = Annotated[Caller, Depends(current_caller)]


async def is_still_known(request: Request) -> bool:
    """For answers that go on for long: False once the key was revoked or has expired."""
    try:
        await _authenticated(request)
    except Problem:
        return False
    except Retryable:
        # It was known, and nobody can say otherwise just now.
        return True
    return True


async def require_still_known(request: Request) -> None:
    """For requests that took long to arrive: the key may have been revoked meanwhile."""
    if not await is_still_known(request):
        raise unauthenticated("The key was revoked or has expired meanwhile.", shown=True)


async def _authenticated(request: Request) -> Caller:
    sessions: SessionKeeper | None = request.app.state.sessions
    request.state.session_token = None
    if sessions is None or "authorization" in request.headers:
        return await _with_key(request)
    token = session_token(request)
    if token is None:
        return await _with_key(request)
    caller = await sessions.verify(token)
    if caller is None:
        raise unauthenticated("This sign-in has ended.")
    require_no_forgery(request, token)
    request.state.session_token = token
    return caller


async def _note_refusal(request: Request, caller: Caller) -> None:
    refusals: Refusals | None = request.app.state.refusals
    if refusals is not None and request.method not in SAFE_METHODS:
        await refusals(caller, request.method, request.url.path)


async def _count(request: Request, caller: Caller) -> None:
    rates: Rates | None = request.app.state.rates
    if rates is not None:
        await admit(request.scope, rates, caller.key_id)
    place: Place | None = request.scope.get(PLACE)
    if place is not None:
        place.take(caller.key_id)


async def _with_key(request: Request) -> Caller:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key or len(key) > BEARER_CHARS_MAX:
        raise unauthenticated("Send an API key: Authorization: Bearer <key>.")
    authenticator: Authenticator = request.app.state.authenticator
    caller = await authenticator.authenticate(key)
    if caller is None:
        raise unauthenticated("This key or token is unknown, expired or revoked.", shown=True)
    return caller


def unauthenticated(detail: str, *, shown: bool = False) -> Problem:
    """`shown`: a key or token was, and opens nothing (RFC 6750, 3.1)."""
    challenge = 'Bearer realm="paperline"' + (', error="invalid_token"' if shown else "")
    return Problem(
        HTTPStatus.UNAUTHORIZED,
        "unauthenticated",
        detail,
        headers={"WWW-Authenticate": challenge},
    )
