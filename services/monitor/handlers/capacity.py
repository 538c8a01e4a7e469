"""Look at what servers have only so much of, before somebody is told no.

Who does not answer leaves a gap, as nobody knows; that it is away is somebody else's alert.
"""

import logging
from collections.abc import Iterable

from services.monitor.ports.capacity import Server
from shared.errors import Retryable
from shared.observability.metrics import CAPACITY_SHARE

log = logging.getLogger(__name__)


async def measure_capacity(servers: Iterable[Server]) -> None:
    shares: dict[str, float] = {}
    for server in servers:
        try:
            shares |= await server.measure_shares()
        except Retryable as error:
            log.info("capacity_not_measured", extra={"error": str(error)})
    # All at once: a gap while somebody is asked would end every alert that has begun to wait.
    CAPACITY_SHARE.clear()
    for resource, share in shares.items():
        CAPACITY_SHARE.labels(resource).set(share)
