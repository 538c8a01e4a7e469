"""TLS of our own doors: one certificate for the API and the ops port, taken anew when replaced.

Certificates live for weeks where a program renews them, and processes live longer. What was
replaced is tried apart first: half of a pair must not take the place of one that works.
"""

import asyncio
import logging
import ssl
from functools import cache
from pathlib import Path

LOOK_EVERY_S = 30.0

log = logging.getLogger(__name__)


class OwnTls:
    """Raises ValueError, with a sentence, for a pair that cannot be used."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._certificate = certificate
        self._key = key
        self._standing = _standing(certificate, key)
        self.context = self._tried()

    def take_anew(self) -> bool:
        """Whether another pair is shown from now on; connections that stand keep theirs."""
        standing = _standing(self._certificate, self._key)
        if standing == self._standing:
            return False
        self._tried()
        self.context.load_cert_chain(self._certificate, self._key, password=str)
        self._standing = standing
        return True

    def _tried(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            # An empty password: without one a locked key would ask the terminal, and wait.
            context.load_cert_chain(self._certificate, self._key, password=str)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"{self._certificate} and {self._key} are no certificate and its key: {error}"
            ) from error
        return context


@cache
def own_tls(certificate: Path, key: Path) -> OwnTls:
    """One for all doors of a process."""
    return OwnTls(certificate, key)


async def keep_certificate(tls: OwnTls, *, every_s: float = LOOK_EVERY_S) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            if await asyncio.to_thread(tls.take_anew):
                log.info("certificate_replaced")
        except ValueError as error:
            log.warning("certificate_not_taken", extra={"error": str(error)})


def _standing(certificate: Path, key: Path) -> tuple[tuple[int, int], ...]:
    """Of the files behind them: what mounts secrets exchanges a link."""
    found = []
    for path in (certificate, key):
        try:
            now = path.stat()
        except OSError:
            found.append((0, 0))
        else:
            found.append((now.st_mtime_ns, now.st_ino))
    return tuple(found)
