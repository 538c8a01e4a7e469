"""A stream of files becomes what a batch is made of: bytes that are kept, and refusals.

One file after the other, while the request is still arriving, so that none is ever whole in
memory. One that cannot be read does not keep the others out. Whatever makes one file into
many, as an archive does, stands between the request and this.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from services.ingest.domain.batches import ITEMS_MAX, Item, Refused
from services.ingest.domain.documents import Scan, clean_filename
from services.ingest.handlers.keeping import keep_bytes
from services.ingest.ports import Part, Parts, Ports
from shared.errors import Rejected


@dataclass(frozen=True, slots=True)
class Kept:
    position: int
    filename: str
    found: Scan | Refused

    @property
    def content(self) -> str:
        if isinstance(self.found, Refused):
            return f"refused: {self.found.reason}"
        return self.found.content_key


async def keep_files(files: Parts, use: Ports) -> list[Item]:
    """In the order in which they arrived, each with what is wished for it."""
    kept = [one async for one in keep_parts(files.parts(), use)]
    wishes = files.wishes(frozenset(one.filename for one in kept))
    return [
        Item(one.position, one.filename, one.content, one.found, wishes[one.filename])
        for one in kept
    ]


async def keep_parts(parts: AsyncIterator[Part], use: Ports) -> AsyncIterator[Kept]:
    position = 0
    async for part in parts:
        if position == ITEMS_MAX:
            raise Rejected("too_many_items", f"At most {ITEMS_MAX} documents are one batch.")
        filename = clean_filename(part.filename)
        yield Kept(position, filename, await _keep(part, position, filename, use))
        position += 1


async def _keep(part: Part, position: int, filename: str, use: Ports) -> Scan | Refused:
    try:
        return await keep_bytes(part.chunks(), use)
    except Rejected as error:
        return Refused(position, filename, error.reason, error.detail)
