"""When a server's certificate ends, asked of the server itself, as its clients meet it.

Whether it is believed is not the question, so nothing is verified: one that has ended, or whose
authority nobody here knows, still says when. Nothing is sent, and nothing read goes by it.
A PostgreSQL speaks TLS only after it was asked whether it does, so its address says what it is.
"""

import asyncio
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from urllib.parse import SplitResult, urlsplit

from shared.errors import Retryable

TIMEOUT_S = 5.0
# Eight bytes: their length, and the code 1234.5679 that is no version of the protocol.
POSTGRES_ASKS, POSTGRES_SPEAKS_TLS = struct.pack("!II", 8, 80_877_103), b"S"


class TlsCertificates:
    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._unverified.check_hostname = False
        self._unverified.verify_mode = ssl.CERT_NONE

    async def find_end(self, address: str) -> datetime:
        # Loaded where there is one to look at: without TLS nobody needs it.
        from cryptography.x509 import load_der_x509_certificate  # noqa: PLC0415

        where = urlsplit(address if "://" in address else f"//{address}")
        try:
            async with asyncio.timeout(self._timeout_s), self._met(where) as writer:
                encoded = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
            return load_der_x509_certificate(encoded).not_valid_after_utc
        # A timeout and a refused handshake are an OSError; what cannot be read is a ValueError.
        except (OSError, ValueError) as error:
            raise Retryable(f"{address}: {error!r}", dependency="tls") from error

    @asynccontextmanager
    async def _met(self, where: SplitResult) -> AsyncIterator[asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        try:
            if where.scheme:
                await _ask_postgres(reader, writer)
            await writer.start_tls(self._unverified, server_hostname=where.hostname)
            yield writer
        finally:
            writer.transport.abort()


async def _ask_postgres(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(POSTGRES_ASKS)
    if await reader.read(1) != POSTGRES_SPEAKS_TLS:
        raise ConnectionError("it speaks no TLS")
