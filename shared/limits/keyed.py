"""One rate for each of many keys, shared by all replicas like any other.

Only the keys of the moment are held in memory; what a forgotten one had leased fills up again
in its row.
"""

from shared.database.pool import Pool
from shared.limits.bucket import Budget, TokenBucket

KEYS_MAX = 4096
# One lease takes at most such a part of the burst, so that other replicas get theirs.
CHUNKS = 20


class KeyedBuckets:
    def __init__(self, pool: Pool, *, rate_per_s: float, burst: int) -> None:
        self.rate_per_s = rate_per_s
        self.burst = burst
        self._pool = pool
        self._buckets: dict[str, TokenBucket] = {}

    async def take(self, key: str) -> tuple[float, int]:
        """The seconds to wait, zero for go; and how many are left for now."""
        bucket = self._buckets.pop(key, None) or self._made(key)
        self._buckets[key] = bucket
        wait_s = await bucket.take()
        return wait_s, bucket.left

    def _made(self, key: str) -> TokenBucket:
        if len(self._buckets) >= KEYS_MAX:
            # The one not used for longest: each use puts a key behind the others.
            del self._buckets[next(iter(self._buckets))]
        chunk_max = max(1, self.burst // CHUNKS)
        budget = Budget(f"key:{key}", self.rate_per_s, self.burst, chunk_max=chunk_max)
        return TokenBucket(self._pool, budget)
