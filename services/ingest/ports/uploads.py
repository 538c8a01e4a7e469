"""What the door gives a handler of a request that is still arriving."""

from collections.abc import AsyncIterator
from typing import Protocol

from services.ingest.domain.documents import (
    Details,
)


class Upload(Protocol):
    """A request's bytes on their way in."""

    def chunks(self) -> AsyncIterator[bytes]: ...

    def details(self) -> Details:
        """Complete once the chunks are read: a form may name things after its file."""
