"""The keys of an identity provider: asked for when needed, kept through its outages.

Whatever a token names, the provider is asked at most every so often, so nobody can make us
ask it by inventing keys. An answer that fails or holds nothing usable never takes good keys
away; after a day without a good answer they are forgotten, for they may have been withdrawn.
"""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from shared.access.provider import Provider
from shared.errors import Retryable
from shared.observability.metrics import PROVIDER_FETCHES
from shared.web.foreign import NO_ANSWER, address_in, calling, describe, get

log = logging.getLogger(__name__)

# Signatures that only the provider can make; never a secret that both sides would share.
ALGORITHMS = ("RS256", "ES256", "EdDSA")
DEPENDENCY = "oidc"
# A key that the provider withdrew dies after so long.
FRESH_S = 600.0
KEPT_S = 86_400.0
# Without any key nobody gets in, so the provider is asked sooner.
RETRY_S = 5.0
KEYS_MAX = 100
KID_CHARS_MAX = 200
RSA_BITS_MIN = 2048


class ProviderKeys:
    def __init__(
        self, provider: Provider, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._provider = provider
        self._monotonic = monotonic
        self._keys: Mapping[str, PyJWK] = {}
        self._fetched_at = self._asked_at = -math.inf
        self._turn = asyncio.Lock()

    async def find(self, kid: str) -> PyJWK | None:
        """None: the provider has no such key. Raises Retryable while nobody can say."""
        known = self._remembered().get(kid)
        # While somebody else asks again, those whose key is known need not wait for it.
        if known is not None and (self._is_fresh() or self._turn.locked()):
            return known
        async with self._turn:
            if self._is_worth_asking(kid):
                await self._ask()
        keys = self._remembered()
        if not keys:
            raise Retryable(
                "the identity provider does not answer", after_s=RETRY_S, dependency=DEPENDENCY
            )
        return keys.get(kid)

    def _remembered(self) -> Mapping[str, PyJWK]:
        return self._keys if self._monotonic() - self._fetched_at < KEPT_S else {}

    def _is_fresh(self) -> bool:
        return self._monotonic() - self._fetched_at < FRESH_S

    def _is_worth_asking(self, kid: str) -> bool:
        remembered = self._remembered()
        pause_s = self._provider.refetch_s if remembered else RETRY_S
        needed = kid not in remembered or not self._is_fresh()
        return needed and self._monotonic() - self._asked_at >= pause_s

    async def _ask(self) -> None:
        asked_at = self._monotonic()
        try:
            async with asyncio.timeout(self._provider.timeout_s):
                self._keys = await self._fetch()
        except NO_ANSWER as error:
            PROVIDER_FETCHES.labels("failed").inc()
            why = f"{type(error).__name__}: {error}"
            log.warning("provider_keys_not_fetched", extra={"reason": why[:500]})
        else:
            PROVIDER_FETCHES.labels("fetched").inc()
            # As old as the question: what was withdrawn meanwhile is in no answer.
            self._fetched_at = asked_at
        finally:
            self._asked_at = self._monotonic()

    async def _fetch(self) -> Mapping[str, PyJWK]:
        async with calling(self._provider.timeout_s) as client:
            url = self._provider.jwks_url
            if url is None:
                url = address_in(await describe(client, self._provider.issuer), "jwks_uri")
            answer = await get(client, url)
        keys = dict(_usable(answer.get("keys")))
        if not keys:
            raise ValueError("the provider shows no key that could be used")
        return keys


def _usable(found: object) -> Iterator[tuple[str, PyJWK]]:
    """Public keys for signatures of the kinds we take, with their names."""
    if not isinstance(found, list) or len(found) > KEYS_MAX:
        raise ValueError(f"a list of at most {KEYS_MAX} keys is expected")
    for one in found:
        if isinstance(one, dict) and _is_for_us(one) and (key := _key(one)) is not None:
            yield one["kid"], key


def _is_for_us(one: Mapping[str, Any]) -> bool:
    kid, uses = one.get("kid"), one.get("key_ops")
    return (
        isinstance(kid, str)
        and 0 < len(kid) <= KID_CHARS_MAX
        and one.get("use", "sig") == "sig"
        and (uses is None or (isinstance(uses, list) and "verify" in uses))
        # Its private part has no business here; who publishes it has other problems.
        and "d" not in one
    )


def _key(one: dict[str, Any]) -> PyJWK | None:
    try:
        key = PyJWK(one)
    except (PyJWTError, ValueError, TypeError, KeyError):
        return None
    if key.algorithm_name not in ALGORITHMS:
        return None
    weak = isinstance(key.key, RSAPublicKey) and key.key.key_size < RSA_BITS_MIN
    return None if weak else key
