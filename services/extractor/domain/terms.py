"""How long things hold, and how often a document is tried: told by the wiring, kept by all."""

from dataclasses import dataclass

from shared.bus.running import HURRY_AT
from shared.topology.queues import EXTRACT


@dataclass(frozen=True, slots=True)
class Terms:
    """How long things hold."""

    cache_ttl_s: float
    lease_s: float
    refusal_s: float
    # Whether what was read while an engine was away serves later uploads as well.
    degraded_serves: bool = False
    # How often a document is tried, for how long one delivery of it may read, and for how long
    # it may wait in all.
    attempts_max: int = EXTRACT.attempts_max
    reading_s: float = EXTRACT.timeout_s * HURRY_AT
    patience_s: float = EXTRACT.patience_s
