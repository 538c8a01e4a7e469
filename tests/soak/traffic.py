"""Documents at a steady rate, one in a hundred of them poison, and a reviewer beside it.

The rate is that of arrivals: who is slow is not waited for, as clients do not wait for each
other.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import count
from random import choice
from secrets import token_hex
from uuid import UUID

from deploy.samples.invoices import INVOICES
from deploy.samples.layouts import drawn
from tests.hostile import page_tree_loop, twice_packed_bomb
from tests.nemesis.pace import a_while, until
from tests.nemesis.traffic import TALK_FAILS
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, SAMPLES

POISON_EVERY = 100
REVIEW_EVERY_S = 2.0
TRUNCATED = SAMPLES / "unreadable" / "truncated.pdf"
# None of them can ever be read: locked, torn off, unpacked without end, in a circle.
POISON: Sequence[Callable[[], bytes]] = (
    ENCRYPTED.read_bytes,
    TRUNCATED.read_bytes,
    twice_packed_bomb,
    page_tree_loop,
)


@dataclass(slots=True)
class Steady:
    client: Client
    rate_per_s: float
    name: str = field(default_factory=lambda: token_hex(4))
    poisoned: set[UUID] = field(default_factory=set)
    approved: int = 0
    # Nobody has such wishes here.
    read_anew: set[UUID] = field(default_factory=set)
    cancelled: set[UUID] = field(default_factory=set)

    @property
    def promised(self) -> set[UUID]:
        return self.client.promised - self.poisoned

    @property
    def name_of_poison(self) -> str:
        """It begins otherwise than that of all others."""
        return f"poison-{self.name}"

    async def flow(self, length_s: float) -> None:
        began = time.monotonic()
        async with asyncio.TaskGroup() as people:
            reviewer = people.create_task(self._review())
            for number in count(1):
                await until(began + number / self.rate_per_s)
                if time.monotonic() > began + length_s:
                    break
                people.create_task(self._hand_in(number))
            reviewer.cancel()

    async def _hand_in(self, number: int) -> None:
        # Half a hundred in, so that a short soak has one too.
        if number % POISON_EVERY != POISON_EVERY // 2:
            await self.client.hand_in(another_invoice(number), filename=f"{self.name}.pdf")
            return
        make = POISON[number // POISON_EVERY % len(POISON)]
        content = make() + f"\n% {token_hex(16)}\n".encode()
        made = await self.client.hand_in(content, filename=f"{self.name_of_poison}.pdf")
        self.poisoned.add(made)

    async def _review(self) -> None:
        while True:
            with suppress(*TALK_FAILS):
                page = await self.client.get("review", "/v1/items?status=pending&limit=1")
                for item in page["items"]:
                    answer = await self.client.approve(UUID(item["document_id"]))
                    self.approved += answer.is_success
            await a_while(REVIEW_EVERY_S)


def another_invoice(number: int) -> bytes:
    """Of the same issuers, under a number of its own: the same one thousands of times over
    would be a soak of how second copies are recognised."""
    plain, file = choice(INVOICES), BytesIO()
    drawn(replace(plain, number=f"{number}-{token_hex(6)}".upper()), file).save()
    return file.getvalue()
