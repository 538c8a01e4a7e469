"""What a look at certificates needs from the outside."""

from datetime import datetime
from typing import Protocol


class Certificates(Protocol):
    async def find_end(self, address: str) -> datetime:
        """Of the certificate that the server at `host:port` shows. Raises Retryable."""
        ...
