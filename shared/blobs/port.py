"""What the services need from a store of bytes, whatever stands behind it.

`tests/conformance/test_blobs.py` holds every implementation to these words. When the store is
away they raise `Retryable(dependency="blobs")`; what will never be readable is `Rejected`.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from shared.errors import Rejected


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that are safely stored: the key is made of the digest."""

    key: str
    size: int
    sha256: str


class TooLarge(Rejected):
    """The bytes went over the caller's limit; nothing of them was kept."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__("too_large", f"more than {limit_bytes} bytes")
        self.limit_bytes = limit_bytes


class Blobs(Protocol):
    async def write(
        self, chunks: AsyncIterator[bytes], *, limit_bytes: int | None = None
    ) -> Blob:
        """Store a stream under its own digest. The same bytes twice are one blob."""
        ...

    async def put(self, key: str, data: bytes, *, durable: bool = True) -> None:
        """Durable on return; a reader sees the old bytes or the new, never a part. What may be
        lost with the power need not wait for the disk."""
        ...

    async def put_new(self, key: str, data: bytes) -> bool:
        """False when the key was taken: of any number of callers one is told True."""
        ...

    async def put_all(self, items: Mapping[str, bytes]) -> None:
        """Like `put` for each, at the price of one: on an error some may be stored, and none
        of them any more once it is raised."""
        ...

    async def copy_all(self, copies: Mapping[str, str]) -> set[str]:
        """Under each key what lies under the other one, as whole and as lasting as it is there;
        from then on each of the two goes its own way. Those under whose source nothing lies are
        told, and stay what they were; on an error some may be stored, as of `put_all`."""
        ...

    async def put_file(self, key: str, path: Path) -> None:
        """Like `put`, of a local file of any size: never held in memory, and left as it is."""
        ...

    async def read(self, key: str, *, limit_bytes: int | None = None) -> bytes:
        """Raises Rejected: source_missing, source_corrupt, or too_large."""
        ...

    def stream(
        self, key: str, *, start: int = 0, length: int | None = None
    ) -> AsyncIterator[bytes]:
        """A whole blob is verified when its last piece is out, a range never."""
        ...

    async def size(self, key: str) -> int | None:
        """None when there is no such blob."""
        ...

    async def delete(self, key: str) -> None:
        """Deleting what is not there is no error: twice is once."""
        ...

    def list(self, prefix: str) -> AsyncIterator[str]:
        """Each key that starts with the prefix, once, in an order of the store's own."""
        ...

    async def check(self) -> None:
        """Raises Retryable unless the store answers and has room."""
        ...

    async def sweep_temp(self, *, older_than_s: float) -> int:
        """Remove what killed writers left behind; the number removed."""
        ...
