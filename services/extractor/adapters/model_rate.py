"""How often a model is asked, by all replicas together.

When a provider says that it is asked too often, the others hear of it with their next lease: so
a lease is short, and only a fast replica saves questions by it.
"""

from shared.database.pool import Pool
from shared.limits.bucket import Budget, TokenBucket

LEASE_S = 0.25
CHUNK_MAX = 5


def model_rate(pool: Pool, model: str, calls_per_s: float) -> TokenBucket:
    # A second's worth at once: more is what providers complain about.
    capacity = max(1, round(calls_per_s))
    return TokenBucket(
        pool,
        Budget(f"model:{model}", calls_per_s, capacity, chunk_max=CHUNK_MAX, lease_s=LEASE_S),
    )
