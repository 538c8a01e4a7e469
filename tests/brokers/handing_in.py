"""Documents that keep coming while something else goes on: never none, and never a heap."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle

from tests.eventually import eventually
from tests.system.client import ENDED, Client
from tests.system.invoices import SAMPLES, invoice
from tests.system.records import IN_FLIGHT, Records

UNDER_WAY = 6
ROOM_WITHIN_S = 120.0
# What one death may take: a lost connection, an election, a lease that runs out.
HEALS_WITHIN_S = 30.0


@dataclass(slots=True)
class Stream:
    """All whose file names begin with its name."""

    name: str
    records: Records
    count: int = 0
    over: bool = False

    async def has_room(self) -> bool:
        statuses = await self.records.statuses(self.name)
        return self.over or sum(statuses[one] for one in IN_FLIGHT) < UNDER_WAY

    async def flows(self, *, within_s: float = HEALS_WITHIN_S) -> None:
        """Of those that come from now on, some come to their end, too."""
        wanted = self.count + UNDER_WAY + 3

        async def have_ended() -> bool:
            statuses = await self.records.statuses(self.name)
            ended = sum(statuses[one] for one in ENDED)
            assert ended >= wanted, f"{ended} of {wanted} have ended: {dict(statuses)}"
            return True

        await eventually(have_ended, within_s=within_s, every_s=0.2)


@asynccontextmanager
async def handing_in(client: Client, records: Records, name: str) -> AsyncIterator[Stream]:
    """Goes on until the block ends; by then `count` documents were promised an end."""
    stream = Stream(name, records)
    async with asyncio.TaskGroup() as group:
        group.create_task(_hand_in(client, stream))
        try:
            yield stream
        finally:
            stream.over = True


async def _hand_in(client: Client, stream: Stream) -> None:
    for sample in cycle(sorted(SAMPLES.glob("*.pdf"))):
        await eventually(stream.has_room, within_s=ROOM_WITHIN_S, every_s=0.2)
        if stream.over:
            return
        await client.hand_in(invoice(sample), filename=f"{stream.name}-{stream.count}.pdf")
        stream.count += 1
