"""Tokens of people (JWT), signed by an identity provider: believed only when all of it fits.

Which key verifies and which algorithm that takes is decided by the provider's own list, never
by the token: a token that brings its key along, names an address or asks for another kind of
signature gets nothing. Nothing is remembered of one, so it ends when it says.
"""

import math
from dataclasses import replace
from typing import Any, Protocol

import jwt
from jwt.exceptions import (
    InvalidAudienceError,
    InvalidIssuerError,
    InvalidSignatureError,
    MissingRequiredClaimError,
    PyJWTError,
)

from shared.access.keys import Caller
from shared.access.provider import Claims, Client, Provider, caller_from
from shared.clock import Clock
from shared.observability.metrics import TOKENS_REFUSED
from shared.web.bearer import Unbelieved
from shared.web.jwks import ALGORITHMS, KID_CHARS_MAX

TOKEN_CHARS_MAX = 8 * 1024
REQUIRED = ("iss", "aud", "sub", "exp", "iat")
# A token for signing out, or one that proves something else, is no token to come in with.
TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
# In the order of asking; what comes first is the narrowest.
_REASONS: tuple[tuple[type[PyJWTError], str], ...] = (
    (InvalidSignatureError, "signature"),
    (InvalidAudienceError, "audience"),
    (InvalidIssuerError, "issuer"),
    (MissingRequiredClaimError, "claims"),
    (PyJWTError, "malformed"),
)


class KeySource(Protocol):
    async def find(self, kid: str, /) -> jwt.PyJWK | None:
        """None: the provider has no such key. Raises Retryable while nobody can say."""


class Tokens:
    def __init__(self, provider: Provider, keys: KeySource, clock: Clock) -> None:
        self._provider = provider
        self._keys = keys
        self._clock = clock

    async def authenticate(self, token: str) -> Caller | None:
        """None for what is not believed; the reason is counted and not told."""
        try:
            caller = caller_from(await self.read(token), self._provider)
        except Unbelieved:
            return None
        if caller is None:
            TOKENS_REFUSED.labels("claims").inc()
        return caller

    async def read(self, token: str) -> Claims:
        """What it says. Raises Unbelieved, with a reason for whoever runs this, and none for
        whoever shows it."""
        try:
            return await self._verified(token)
        except Unbelieved as error:
            TOKENS_REFUSED.labels(error.reason).inc()
            raise

    async def _verified(self, token: str) -> Claims:
        algorithm, kid = _named(token)
        key = await self._keys.find(kid)
        if key is None:
            raise Unbelieved("unknown_key")
        if key.algorithm_name != algorithm:
            raise Unbelieved("algorithm")
        claims = self._decoded(token, key)
        self._require_now(claims)
        return claims

    def _decoded(self, token: str, key: jwt.PyJWK) -> Claims:
        try:
            claims: Claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                audience=self._provider.audience,
                issuer=self._provider.issuer,
                options={
                    "require": list(REQUIRED),
                    # By the database's clock, below, and not by this machine's.
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
        except PyJWTError as error:
            reason = next(reason for kind, reason in _REASONS if isinstance(error, kind))
            raise Unbelieved(reason) from error
        return claims

    def _require_now(self, claims: Claims) -> None:
        now, leeway = self._clock.now().timestamp(), self._provider.leeway_s
        issued, expires = _moment(claims["iat"]), _moment(claims["exp"])
        begins = max(issued, _moment(claims.get("nbf", issued)))
        if expires <= now - leeway:
            raise Unbelieved("expired")
        if begins > now + leeway:
            raise Unbelieved("not_yet")
        if expires - issued > self._provider.lifetime_max_s:
            raise Unbelieved("too_long")


def tokens_for(client: Client, provider: Provider, keys: KeySource, clock: Clock) -> Tokens:
    """What says who somebody is was made for the client; what opens the API, for the API."""
    return Tokens(replace(provider, audience=client.client_id), keys, clock)


def _named(token: str) -> tuple[str, str]:
    """The algorithm and the key that an unverified header names."""
    if len(token) > TOKEN_CHARS_MAX:
        raise Unbelieved("malformed")
    try:
        header: dict[str, Any] = jwt.get_unverified_header(token)
    except PyJWTError as error:
        raise Unbelieved("malformed") from error
    if str(header.get("typ", "jwt")).lower() not in TYPES:
        raise Unbelieved("type")
    algorithm, kid = header.get("alg"), header.get("kid")
    if algorithm not in ALGORITHMS:
        raise Unbelieved("algorithm")
    if not isinstance(kid, str) or not 0 < len(kid) <= KID_CHARS_MAX:
        raise Unbelieved("unknown_key")
    return str(algorithm), kid


def _moment(claim: object) -> float:
    """Seconds since 1970; a fraction is fine, and a text or `true` is no number."""
    if isinstance(claim, bool) or not isinstance(claim, int | float):
        raise Unbelieved("claims")
    try:
        moment = float(claim)
    except OverflowError:
        raise Unbelieved("claims") from None
    if not math.isfinite(moment):
        raise Unbelieved("claims")
    return moment
