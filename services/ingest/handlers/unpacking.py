"""An archive among the files of a request becomes the files that are in it.

What is an archive is told from its first bytes, as every format is. One that is refused whole
is one refused file; a member that is refused keeps no other out.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from services.ingest.domain.archives import is_archive
from services.ingest.domain.batches import Wish
from services.ingest.ports import Archives, Part, Parts
from shared.errors import Rejected

HEAD_BYTES = 4


class Unpacked:
    """Files of a request, with the members of an archive in its place."""

    def __init__(self, files: Parts, archives: Archives) -> None:
        self._files = files
        self._archives = archives

    async def parts(self) -> AsyncIterator[Part]:
        async for part in self._files.parts():
            rest = part.chunks()
            try:
                head = await _head(rest)
            except Rejected as refusal:
                yield _Judged(part.filename, refusal, part.chunks)
                continue
            if not is_archive(head):
                yield _Begun(part.filename, head, rest)
                continue
            async for member in self._members(_Begun(part.filename, head, rest)):
                yield member

    def wishes(self, filenames: frozenset[str]) -> dict[str, Wish]:
        return self._files.wishes(filenames)

    async def _members(self, archive: Part) -> AsyncIterator[Part]:
        try:
            async with self._archives.unpack(archive.chunks()) as members:
                for member in members:
                    yield _Judged(member.filename, member.refused, member.content)
        except Rejected as refusal:
            yield _Judged(archive.filename, refusal, archive.chunks)


@dataclass(frozen=True, slots=True)
class _Begun:
    filename: str
    head: bytes
    rest: AsyncIterator[bytes]

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self.head
        async for piece in self.rest:
            yield piece


@dataclass(frozen=True, slots=True)
class _Judged:
    """A file of which may be known already that it is not taken in."""

    filename: str
    refused: Rejected | None
    content: Callable[[], AsyncIterator[bytes]]

    async def chunks(self) -> AsyncIterator[bytes]:
        if self.refused is not None:
            raise self.refused
        async for piece in self.content():
            yield piece


async def _head(chunks: AsyncIterator[bytes]) -> bytes:
    """The first piece, and more while it is too short to tell anything."""
    head = bytearray()
    while len(head) < HEAD_BYTES and (piece := await anext(chunks, b"")):
        head += piece
    return bytes(head)
