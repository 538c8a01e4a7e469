"""How often one key may ask, told on every answer and enforced before the body is read.

`RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-11, with an item
for each policy that was looked at. The numbers are those of this moment: other replicas serve
the same key.
"""

import math
from collections.abc import MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from shared.web.gate import ANSWER_HEADERS
from shared.web.problems import Problem

_SHARES = "paperline.rate_shares"


class Rates(Protocol):
    @property
    def rate_per_s(self) -> float: ...

    @property
    def burst(self) -> int: ...

    async def take(self, key_id: str, /) -> tuple[float, int]:
        """The seconds to wait, zero for go; and how many requests are left for now."""


@dataclass(frozen=True, slots=True)
class Share:
    """What is left of one policy, and after how many seconds there is more."""

    policy: str
    quota: int
    window_s: int
    left: int
    more_in_s: float
    # As the draft registers them; requests, when nothing is said.
    unit: str = ""

    def rule(self) -> str:
        unit = f';qu="{self.unit}"' if self.unit else ""
        return f'"{self.policy}";q={self.quota}{unit};w={self.window_s}'

    def state(self) -> str:
        return f'"{self.policy}";r={max(0, self.left)};t={max(0, math.ceil(self.more_in_s))}'


def tell(scope: MutableMapping[str, Any], *shares: Share) -> None:
    """On the answer, whichever it will be; what was told of a policy before is replaced."""
    told: dict[str, Share] = scope.setdefault(_SHARES, {})
    told.update({share.policy: share for share in shares})
    scope[ANSWER_HEADERS] = {
        "RateLimit-Policy": ", ".join(share.rule() for share in told.values()),
        "RateLimit": ", ".join(share.state() for share in told.values()),
    }


async def admit(scope: MutableMapping[str, Any], rates: Rates, key_id: str) -> None:
    """Raises the 429 of who asks too often."""
    wait_s, left = await rates.take(key_id)
    window_s = math.ceil(rates.burst / rates.rate_per_s)
    # Until asking is worth it, or until all of the burst is there again.
    more_in_s = wait_s or (rates.burst - left) / rates.rate_per_s
    tell(scope, Share("key", rates.burst, window_s, left, more_in_s))
    if wait_s > 0:
        raise Problem(
            HTTPStatus.TOO_MANY_REQUESTS,
            "too_many_requests",
            f"At most {rates.rate_per_s:g} requests a second with one key.",
            headers={"Retry-After": str(math.ceil(wait_s))},
        )
