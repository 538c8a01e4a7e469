"""How often one key may ask, told on every answer and enforced before the body is read.

`RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-11. The numbers
are those of this moment: other replicas serve the same key.
"""

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

from shared.web.problems import Problem


class Rates(Protocol):
    @property
    def rate_per_s(self) -> float: ...

    @property
    def burst(self) -> int: ...

    async def take(self, key_id: str, /) -> tuple[float, int]:
        """The seconds to wait, zero for go; and how many requests are left for now."""


async def admit(rates: Rates, key_id: str) -> Mapping[str, str]:
    """The headers of the answer. Raises the 429 of who asks too often."""
    wait_s, left = await rates.take(key_id)
    headers = _headers(rates, wait_s, left)
    if wait_s > 0:
        raise Problem(
            HTTPStatus.TOO_MANY_REQUESTS,
            "too_many_requests",
            f"At most {rates.rate_per_s:g} requests a second with one key.",
            headers={**headers, "Retry-After": str(math.ceil(wait_s))},
        )
    return headers


def _headers(rates: Rates, wait_s: float, left: int) -> Mapping[str, str]:
    window_s = math.ceil(rates.burst / rates.rate_per_s)
    # Until asking is worth it, or until all of the burst is there again.
    until_s = wait_s or (rates.burst - left) / rates.rate_per_s
    return {
        "RateLimit-Policy": f'"key";q={rates.burst};w={window_s}',
        "RateLimit": f'"key";r={left};t={max(0, math.ceil(until_s))}',
    }
