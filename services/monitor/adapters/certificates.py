"""When a server's certificate ends, asked of the server itself, as its clients meet it.

Whether it is believed is not the question, so nothing is verified: one that has ended, or whose
authority nobody here knows, still says when. Nothing is sent, and nothing read goes by it.
"""

import asyncio
import ssl
from datetime import datetime
from urllib.parse import urlsplit

from shared.errors import Retryable

TIMEOUT_S = 5.0


class TlsCertificates:
    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._unverified.check_hostname = False
        self._unverified.verify_mode = ssl.CERT_NONE

    async def find_end(self, address: str) -> datetime:
        # Loaded where there is one to look at: without TLS nobody needs it.
        from cryptography.x509 import load_der_x509_certificate  # noqa: PLC0415

        where = urlsplit(f"//{address}")
        try:
            async with asyncio.timeout(self._timeout_s):
                _, writer = await asyncio.open_connection(
                    where.hostname,
                    where.port,
                    ssl=self._unverified,
                    server_hostname=where.hostname,
                )
            try:
                encoded = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
            finally:
                writer.transport.abort()
            return load_der_x509_certificate(encoded).not_valid_after_utc
        # A timeout and a refused handshake are an OSError; what cannot be read is a ValueError.
        except (OSError, ValueError) as error:
            raise Retryable(f"{address}: {error!r}", dependency="tls") from error
