"""The identity provider's side of a sign-in: where people are sent, and what a code is worth.

Authorization code with PKCE (OpenID Connect). What the provider says of its own addresses is
asked for when needed and kept through its outages; a code is exchanged server to server, so
that no token ever stands in an address or in a browser.
"""

import asyncio
import base64
import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import quote_plus, urlencode

from shared.access.provider import Client, Provider
from shared.errors import Retryable
from shared.web.attempts import Attempt, CodeRefused
from shared.web.foreign import NO_ANSWER, Said, address_in, ask, calling, describe
from shared.web.jwks import DEPENDENCY, FRESH_S, KEPT_S, RETRY_S

log = logging.getLogger(__name__)

# Codes that one process has exchanged at a time; whoever comes beyond that comes back.
EXCHANGES_MAX = 16
# What it means that a code opens nothing (RFC 6749, 5.2); anything else is a wrong setting.
_USED_OR_OLD = "invalid_grant"
_REFUSALS = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@dataclass(frozen=True, slots=True)
class Endpoints:
    authorization: str
    token: str
    # How a client proves itself with its secret; by default in the header.
    is_secret_in_header: bool
    # RFC 9207: each return names who sent it.
    names_itself: bool

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Self:
        ways = description.get("token_endpoint_auth_methods_supported")
        return cls(
            authorization=address_in(description, "authorization_endpoint"),
            token=address_in(description, "token_endpoint"),
            is_secret_in_header=not isinstance(ways, list) or "client_secret_basic" in ways,
            names_itself=description.get("authorization_response_iss_parameter_supported")
            is True,
        )


class OpenId:
    def __init__(
        self,
        provider: Provider,
        client: Client,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._client = client
        self._monotonic = monotonic
        self._known: Endpoints | None = None
        self._known_at = self._asked_at = -math.inf
        self._turn = asyncio.Lock()
        self._exchanges = 0

    async def address(self, attempt: Attempt) -> str:
        """Where to send the person. Raises Retryable while the provider is away."""
        endpoints = await self.endpoints()
        asked = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._client.redirect_url,
            "scope": self._client.scopes,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        separator = "&" if "?" in endpoints.authorization else "?"
        return f"{endpoints.authorization}{separator}{urlencode(asked)}"

    async def exchange(self, code: str, verifier: str) -> str:
        """The token that says who came back. Raises CodeRefused, or Retryable."""
        endpoints = await self.endpoints()
        if self._exchanges >= EXCHANGES_MAX:
            raise _away()
        self._exchanges += 1
        try:
            async with asyncio.timeout(self._provider.timeout_s):
                return _id_token(await self._sent(endpoints, code, verifier))
        except NO_ANSWER as error:
            _tell("code_not_exchanged", error)
            raise _away() from error
        finally:
            self._exchanges -= 1

    async def endpoints(self) -> Endpoints:
        known = self._remembered()
        # While somebody else asks again, what is known will do.
        if known is not None and (self._age_s() < FRESH_S or self._turn.locked()):
            return known
        async with self._turn:
            waited_s = self._monotonic() - self._asked_at
            if self._age_s() >= FRESH_S and waited_s >= RETRY_S:
                await self._ask()
        known = self._remembered()
        if known is None:
            raise _away()
        return known

    def _remembered(self) -> Endpoints | None:
        return self._known if self._age_s() < KEPT_S else None

    def _age_s(self) -> float:
        return self._monotonic() - self._known_at

    async def _ask(self) -> None:
        asked_at = self._monotonic()
        try:
            async with (
                asyncio.timeout(self._provider.timeout_s),
                calling(self._provider.timeout_s) as client,
            ):
                self._known = Endpoints.of(await describe(client, self._provider.issuer))
                self._known_at = asked_at
        except NO_ANSWER as error:
            _tell("provider_not_described", error)
        finally:
            # From its end: those who waited for it must not each wait for one of their own.
            self._asked_at = self._monotonic()

    async def _sent(self, endpoints: Endpoints, code: str, verifier: str) -> Said:
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._client.redirect_url,
            "code_verifier": verifier,
        }
        headers = {}
        if self._client.secret is None:
            asked["client_id"] = self._client.client_id
        elif endpoints.is_secret_in_header:
            headers["Authorization"] = _basic(self._client.client_id, self._client.secret)
        else:
            asked |= {"client_id": self._client.client_id, "client_secret": self._client.secret}
        async with calling(self._provider.timeout_s) as client:
            request = client.build_request("POST", endpoints.token, data=asked, headers=headers)
            return await ask(client, request)


def _id_token(said: Said) -> str:
    token = said.content.get("id_token")
    if said.status == HTTPStatus.OK and isinstance(token, str):
        return token
    error = said.content.get("error")
    # By what it says: not every provider says it with the same status.
    if said.status in _REFUSALS and isinstance(error, str):
        is_ours = error != _USED_OR_OLD
        log.warning("code_refused", extra={"reason": "client" if is_ours else "code"})
        raise CodeRefused(is_ours=is_ours)
    raise ValueError(f"answered {said.status}, and no token")


def _basic(client_id: str, secret: str) -> str:
    """Each part is encoded as in a form first (RFC 6749, 2.3.1)."""
    pair = f"{quote_plus(client_id)}:{quote_plus(secret)}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _tell(event: str, error: Exception) -> None:
    log.warning(event, extra={"reason": f"{type(error).__name__}: {error}"[:500]})


def _away() -> Retryable:
    return Retryable(
        "the identity provider does not answer", after_s=RETRY_S, dependency=DEPENDENCY
    )
