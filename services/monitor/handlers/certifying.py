"""Look when certificates end. Nobody notices one before the day on which nothing connects.

Who could not be asked keeps what was known, and a server that never answered says 0, so that an
address with a slip of the pen calls somebody too, instead of nobody ever.
"""

import logging
from collections.abc import Iterable

from services.monitor.ports.certificates import Certificates
from shared.errors import Retryable
from shared.observability.metrics import CERTIFICATE_ENDS

log = logging.getLogger(__name__)


async def look_at_certificates(addresses: Iterable[str], certificates: Certificates) -> None:
    for address in addresses:
        ends = CERTIFICATE_ENDS.labels(address)
        try:
            ends.set((await certificates.find_end(address)).timestamp())
        except Retryable as error:
            log.warning("certificate_not_seen", extra={"error": str(error)})
