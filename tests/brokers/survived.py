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
class Meanwhile:
    """What a client is promised from now on, under one name."""

    client: Client
    before: frozenset[UUID]
    name: str = field(default_factory=lambda: token_hex(6))
    read_anew: set[UUID] = field(default_factory=set)
    cancelled: set[UUID] = field(default_factory=set)

    @property
    def promised(self) -> set[UUID]:
        return self.client.promised - self.before


@dataclass(slots=True)
class Survived:
    """Documents are to be handed in under its name; every fault is to be counted."""

    entry: Entry
    name: str

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
    meanwhile, entry = Meanwhile(client, frozenset(client.promised)), Entry(kind, what)
    judge = partial(judged, records, meanwhile)
    async with entered(entry, meanwhile, judge):
        yield Survived(entry, meanwhile.name)
        entry.verdict = verdict = await judge()
        assert verdict.holds, verdict.offenders
