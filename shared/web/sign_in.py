"""Sign in with an identity provider: there from our own page, and back with proof.

Whatever comes back has to fit what this browser left with, and the token has to be believed
like any token of the provider, and to be made for us and for this very attempt. What does not
fit ends at our page with a word for what was wrong; no more than that stands in an address.
"""

import hmac
import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Self
from urllib.parse import urlsplit

from fastapi import Body, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from shared.access.provider import (
    RETURN_PATH,
    Claims,
    Client,
    Person,
    Provider,
    caller_for,
    person_from,
)
from shared.clock import Clock
from shared.errors import Retryable
from shared.observability.metrics import SIGN_INS
from shared.web.attempts import (
    PLACE,
    Attempt,
    CodeRefused,
    drop_attempt,
    keep_attempt,
    kept_attempt,
    new_attempt,
)
from shared.web.bearer import Unbelieved
from shared.web.cookies import (
    address_of,
    require_own_page,
    require_safe_way,
    session_token,
    set_session,
)
from shared.web.guard import SessionKeeper, guarded_router, public
from shared.web.problems import Problem
from shared.web.witness import Witness

if TYPE_CHECKING:
    from shared.web.openid import OpenId
    from shared.web.tokens import Tokens

log = logging.getLogger(__name__)
router = guarded_router()

CODE_CHARS_MAX = 4096
_DEFAULT_PORTS = {"https": ":443", "http": ":80"}


class SignInRefused(Exception):
    """`reason` is one word of few; the page has a sentence for each."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Returned:
    """What the provider's page gave the browser to take along; nothing of it is sure."""

    state: str
    code: str
    error: str
    issuer: str | None

    @classmethod
    def of(cls, request: Request) -> Self:
        given = request.query_params
        return cls(
            state=given.get("state", ""),
            code=given.get("code", ""),
            error=given.get("error", ""),
            issuer=given.get("iss"),
        )


@dataclass(frozen=True, slots=True)
class SignIns:
    openid: "OpenId"
    provider: Provider
    client: Client
    tokens: "Tokens"
    sessions: SessionKeeper
    witness: Witness
    clock: Clock

    @property
    def now_s(self) -> float:
        return self.clock.now().timestamp()

    async def begin(self, place: str) -> tuple[Attempt, str]:
        """The attempt and where it goes on. Raises Retryable while the provider is away."""
        attempt = new_attempt(place, self.now_s)
        return attempt, await self.openid.address(attempt)

    async def finish(
        self, attempt: Attempt | None, returned: Returned, address: str = ""
    ) -> str:
        """The token of a new session. Raises SignInRefused, or Retryable."""
        if attempt is None or not _same(attempt.state, returned.state):
            raise SignInRefused("state")
        await self._require_sender(returned.issuer)
        if returned.error:
            raise SignInRefused("denied" if returned.error == "access_denied" else "provider")
        if not 0 < len(returned.code) <= CODE_CHARS_MAX:
            raise SignInRefused("provider")
        token = await self._exchanged(returned.code, attempt)
        person = self._person(await self._claims(token), attempt)
        roles = caller_for(person, self.provider).roles
        if not roles:
            raise SignInRefused("roles")
        # First: whoever is not on record does not come in.
        await self.witness.note(person, roles, address)
        return await self.sessions.create_for(person, self.client.session_s)

    async def _require_sender(self, issuer: str | None) -> None:
        names_itself = (await self.openid.endpoints()).names_itself
        if issuer != self.provider.issuer and (issuer is not None or names_itself):
            raise SignInRefused("provider")

    async def _exchanged(self, code: str, attempt: Attempt) -> str:
        try:
            return await self.openid.exchange(code, attempt.verifier)
        except CodeRefused as refused:
            raise SignInRefused("setup" if refused.is_ours else "code") from refused

    async def _claims(self, token: str) -> Claims:
        try:
            return await self.tokens.read(token)
        except Unbelieved as error:
            raise _not_believed(error.reason) from error

    def _person(self, claims: Claims, attempt: Attempt) -> Person:
        if not _same(attempt.nonce, claims.get("nonce")):
            raise _not_believed("nonce")
        # Made for several, it says for whom among them.
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        party = claims.get("azp", None if several else self.client.client_id)
        if party != self.client.client_id:
            raise _not_believed("audience")
        person = person_from(claims, self.provider)
        if person is None:
            raise _not_believed("claims")
        return person


class Leaving(BaseModel):
    model_config = ConfigDict(extra="forbid")

    place: str = Field(
        default="",
        pattern=f"^({PLACE})$",
        description="Where to go on: `review`, `review/<document id>`, `console`, "
        "`console/<page>/<id>`, or nothing.",
    )


class Leave(BaseModel):
    address: str = Field(description="Of the provider; the browser goes there.")


@router.post("/v1/sign-in", status_code=HTTPStatus.CREATED, openapi_extra=public())
async def begin_sign_in(
    asked: Annotated[Leaving, Body()], request: Request, response: Response
) -> Leave:
    """Sign in with the identity provider: where to send the browser, which keeps a cookie
    for its way back."""
    sign_ins = _configured(request)
    # Else another site could begin it, and its visitor would end as somebody without asking.
    require_own_page(request)
    require_safe_way(request)
    _require_right_address(request, sign_ins.client)
    if (token := session_token(request)) is not None:
        await sign_ins.sessions.end(token)
    attempt, address = await sign_ins.begin(asked.place)
    keep_attempt(request, response, attempt)
    SIGN_INS.labels("begun").inc()
    return Leave(address=address)


@router.get(RETURN_PATH, openapi_extra=public(), include_in_schema=False)
async def come_back(request: Request) -> Response:
    """From the provider's page to ours, signed in or with a word why not."""
    sign_ins = _configured(request)
    response = Response(status_code=HTTPStatus.SEE_OTHER)
    attempt = kept_attempt(request, sign_ins.now_s)
    outcome = "signed_in"
    try:
        token = await sign_ins.finish(attempt, Returned.of(request), address_of(request))
    except SignInRefused as refused:
        outcome = refused.reason
    except Retryable:
        outcome = "away"
    else:
        set_session(request, response, token)
    SIGN_INS.labels(outcome).inc()
    if outcome != "state":
        # A return that does not fit must not end the attempt that is under way.
        drop_attempt(request, response)
    word = "" if outcome == "signed_in" else f"refused/{outcome}/"
    place = attempt.place if attempt else ""
    response.headers["Location"] = f"/#{word}{place}"
    return response


def _configured(request: Request) -> SignIns:
    sign_ins: SignIns | None = request.app.state.sign_ins
    if sign_ins is None:
        raise Problem(HTTPStatus.NOT_FOUND, "not-found")
    return sign_ins


def _require_right_address(request: Request, client: Client) -> None:
    """The cookie of the way back belongs to the address people come back to."""
    there = urlsplit(client.redirect_url.lower())
    home = f"{there.scheme}://{there.netloc.removesuffix(_DEFAULT_PORTS[there.scheme])}"
    if request.headers.get("origin", "").lower() != home:
        raise Problem(
            HTTPStatus.FORBIDDEN, "other_address", f"Open this page at {home}/ to sign in."
        )


def _not_believed(reason: str) -> SignInRefused:
    log.warning("sign_in_not_believed", extra={"reason": reason})
    return SignInRefused("token")


def _same(ours: str, theirs: object) -> bool:
    return isinstance(theirs, str) and hmac.compare_digest(
        ours.encode(), theirs.encode("utf-8", "surrogateescape")
    )
