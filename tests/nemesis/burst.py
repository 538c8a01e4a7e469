"""Is the system as quick as before? The same few documents again, and the time they take.

Nothing but the documents is alike on a machine that others use as well, so the quickest of
several counts, and a margin stands beside the share that is promised.
"""

import time
from dataclasses import dataclass

from tests.eventually import eventually
from tests.system.client import client_of
from tests.system.invoices import batch_of
from tests.system.records import Records
from tests.system.stack import Stack

DOCUMENTS = 60
BEFORE, AFTER_MAX = 2, 5
ENDS_WITHIN_S = 120.0
# Of the throughput before, which has to be there again.
SHARE = 0.9
# For what other work on this machine takes of it meanwhile.
MARGIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Bursts:
    stack: Stack

    async def before(self) -> float:
        return min([await self._takes_s() for _ in range(BEFORE)])

    async def after(self, before_s: float) -> float:
        """As often as it takes to be as quick, and no more often than that."""
        quickest = await self._takes_s()
        for _ in range(AFTER_MAX - 1):
            if quickest <= before_s / SHARE:
                break
            quickest = min(quickest, await self._takes_s())
        return quickest

    async def _takes_s(self) -> float:
        records, batch = Records(self.stack), batch_of(DOCUMENTS)
        # Of its own: what others were promised is judged by their books.
        async with client_of(self.stack) as client:
            began = time.monotonic()
            await client.hand_in_all(batch)
            await eventually(
                lambda: records.has_ended(batch.name, count=DOCUMENTS),
                within_s=ENDS_WITHIN_S,
                every_s=0.1,
            )
            took_s = time.monotonic() - began
        await eventually(records.is_quiet, within_s=ENDS_WITHIN_S, every_s=0.25)
        return took_s


def is_back(before_s: float, after_s: float) -> bool:
    return after_s <= before_s / SHARE + MARGIN_S
