"""Dead letters by the million, published by a process of its own: the memory of the one that is
measured must not be warm with them.

`python -m tests.bench._shared.dying <amqp url> <count>` leaves so many in one dead queue.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from uuid import UUID

from shared.bus.connection import Link
from shared.bus.frames import Outgoing
from shared.bus.headers import DEAD_FINGERPRINT, DEAD_MESSAGE, DEAD_REASON
from shared.bus.publisher import Publisher
from shared.contracts.identity import new_id
from shared.process.doors import new_loop
from shared.topology.queues import DEAD
from tests.bench._shared.report import say
from tests.unit.monitor.world import QUEUE, dead_letter

AT_ONCE = 500
# The broker may hold back whoever sends more than it can write.
PATIENCE_S = 120.0
TELL_EVERY = 100_000
GROUPS = 50
# What some die of and few speak of.
RARE_REASON, RARE_WORD = "bug", "needle"
JOB, DOCUMENT = UUID(int=1), UUID(int=2)
LETTER = dead_letter(job_id=JOB, document_id=DOCUMENT)


def letter(number: int) -> Outgoing:
    """Like the others but for whose it is, and some for what they died of."""
    body = LETTER.body.replace(str(JOB).encode(), str(new_id()).encode(), 1)
    headers = {
        **LETTER.headers,
        DEAD_REASON: RARE_REASON if number % 10 == 0 else LETTER.headers[DEAD_REASON],
        DEAD_FINGERPRINT: f"{number % GROUPS:016x}",
    }
    if number % 1_000 == 0:
        headers[DEAD_MESSAGE] += f" {RARE_WORD}"
    return replace(
        EXAMPLE,
        headers=headers,
        body=body.replace(str(DOCUMENT).encode(), str(new_id()).encode(), 1),
    )


EXAMPLE = Outgoing(
    exchange=DEAD,
    routing_key=QUEUE,
    type="document.extract",
    headers=LETTER.headers,
    body=LETTER.body,
    priority=LETTER.priority,
)


@asynccontextmanager
async def linked(url: str, purpose: str) -> AsyncIterator[Link]:
    link = Link(url, purpose=purpose, name="bench")
    kept = asyncio.ensure_future(link.keep())
    try:
        yield link
    finally:
        kept.cancel()
        with suppress(asyncio.CancelledError):
            await kept


async def publish(url: str, count: int) -> None:
    async with linked(url, "publish") as link:
        publisher = Publisher(link, app_id="bench", timeout_s=PATIENCE_S)
        for first in range(0, count, AT_ONCE):
            last = min(count, first + AT_ONCE)
            await publisher.publish([letter(number) for number in range(first, last)])
            if last % TELL_EVERY == 0:
                say(f"  {last:,} published")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(publish(sys.argv[1], int(sys.argv[2])))
