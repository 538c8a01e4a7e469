"""The files of one request, told by a test instead of arriving."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from services.ingest.domain.batches import Wish
from services.ingest.ports import Part


@dataclass(frozen=True, slots=True)
class FakePart:
    filename: str
    data: bytes

    async def chunks(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self.data), 4096):
            yield self.data[at : at + 4096]


@dataclass(slots=True)
class FakeParts:
    """Its wishes can be asked for only once the files are read, as those of a form."""

    files: list[tuple[str, bytes]]
    wished: Mapping[str, Wish] = field(default_factory=dict)
    _read: bool = False

    async def parts(self) -> AsyncIterator[Part]:
        for filename, data in self.files:
            yield FakePart(filename, data)
        self._read = True

    def wishes(self, filenames: frozenset[str]) -> dict[str, Wish]:
        assert self._read, "the wishes were asked for before the files were read"
        return {one: self.wished.get(one, Wish()) for one in filenames}
