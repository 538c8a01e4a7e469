"""What a stack on a cluster lives through, as a line in the book of all that was survived."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex
from uuid import UUID

from tests.nemesis.entry import Entry, entered
from tests.nemesis.verdict import judged
from tests.system.client import Client
from tests.system.records import Records


@dataclass(slots=True)
class Survived:
    """What a client is promised from now on, under one name; faults are to be counted."""

    entry: Entry
    client: Client
    before: frozenset[UUID]
    name: str = field(default_factory=lambda: token_hex(6))
    read_anew: set[UUID] = field(default_factory=set)
    cancelled: set[UUID] = field(default_factory=set)

    @property
    def promised(self) -> set[UUID]:
        return self.client.promised - self.before

    def struck(self) -> None:
        self.entry.faults += 1

    @property
    def line(self) -> str:
        """When it is over."""
        return str(self.entry.line)


@asynccontextmanager
async def survived(
    kind: str, what: str, client: Client, records: Records
) -> AsyncIterator[Survived]:
    """The block ends when all of them have; then they are judged."""
    entry = Entry(kind, what)
    told = Survived(entry, client, frozenset(client.promised))
    judge = partial(judged, records, told)
    async with entered(entry, told, judge):
        yield told
        entry.verdict = verdict = await judge()
        assert verdict.holds, verdict.offenders
