"""What the door gives a handler of a request that is still arriving."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from services.ingest.domain.archives import ArchiveMember
from services.ingest.domain.batches import Wish
from services.ingest.domain.documents import (
    Details,
)


class Upload(Protocol):
    """A request's bytes on their way in."""

    def chunks(self) -> AsyncIterator[bytes]: ...

    def details(self) -> Details:
        """Complete once the chunks are read: a form may name things after its file."""

    @property
    def password(self) -> str | None:
        """Of a locked document; known once the first chunk is out, and never kept."""


class Part(Protocol):
    """One file of many, on its way in. Whatever is left of it is skipped by what follows."""

    @property
    def filename(self) -> str:
        """As the client wrote it."""

    def chunks(self) -> AsyncIterator[bytes]:
        """Raises Rejected for what cannot be this document; the others go on."""


class Parts(Protocol):
    """The files of one request, one after the other."""

    def parts(self) -> AsyncIterator[Part]: ...

    def wishes(self, filenames: frozenset[str]) -> dict[str, Wish]:
        """What is wished for each of these. Complete once the parts are read."""


class Unlocker(Protocol):
    """Nothing of the password is left when it is done, and nothing of the locked bytes."""

    def unlocked(self, chunks: AsyncIterator[bytes], password: str) -> AsyncIterator[bytes]:
        """The same document without its lock; as it came when it has none. Raises Rejected,
        also for a wrong password, before the first piece."""


class Archives(Protocol):
    def unpack(
        self, chunks: AsyncIterator[bytes]
    ) -> AbstractAsyncContextManager[Sequence[ArchiveMember]]:
        """Its members, to be read while it is open. Raises Rejected if it is refused whole."""
