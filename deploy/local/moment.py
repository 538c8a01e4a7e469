"""The moment of a backup: a snapshot of the database, taken when the broker holds nothing.

What the broker holds cannot be copied without taking it, and what is left out of a backup is
only missed after a long silence. So for some seconds nothing new is sent: the services finish
what waits in the queues, and when these are empty every message is a row. Uploads are accepted
all the while. The hold is a lock of our session, so it ends with us, however we end.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import asyncpg

from deploy.local import ports, provision, rabbitmq
from deploy.local.broker_users import VHOST
from deploy.local.errors import StackError
from deploy.local.state import State
from shared.database.statements import statement
from shared.topology.ladder import RUNGS, UNIT_S, rung_name
from shared.topology.queues import UNROUTABLE, WORK_QUEUES, dead_queue

HOLD_SENDING = statement(__file__, "hold_sending")
HOLD_ROLLING = statement(__file__, "hold_rolling")
EXPORT_SNAPSHOT = statement(__file__, "export_snapshot")
LIST_TABLES = statement(__file__, "list_tables")

# Longer than a relay may take for what it is sending.
HELD_WITHIN_S = 30.0
LOOK_EVERY_S = 0.5
COLUMNS = ("name", "messages", "consumers")
# By the longest time that a message can still rest on it, or below it.
RESTS_S = {rung_name(level): UNIT_S * 2 ** (level + 1) for level in range(RUNGS)}
OURS = {
    *(queue.name for queue in WORK_QUEUES),
    *(dead_queue(queue.name) for queue in WORK_QUEUES),
    UNROUTABLE,
    *RESTS_S,
}


@dataclass(frozen=True, slots=True)
class Held:
    """A queue that holds messages, waiting or in hand, and how many take from it."""

    name: str
    messages: int
    consumers: int


@dataclass(frozen=True, slots=True)
class Moment:
    snapshot: str
    taken_at: str
    held_s: float
    server_major: int
    rows: dict[str, int]
    # Messages that the broker still held.
    left: dict[str, int]


@asynccontextmanager
async def moment(state: State, owner_url: str, *, within_s: float) -> AsyncIterator[Moment]:
    """What others can see until the block ends: the database of one instant."""
    connection = await provision.connect(owner_url)
    try:
        await connection.execute(HOLD_ROLLING)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            began = time.monotonic()
            async with _nothing_sent(owner_url):
                left = await _emptied(state, within_s)
                # The first statement of the transaction: what it sees is what there is now.
                snapshot = await connection.fetchval(EXPORT_SNAPSHOT)
            held_s = round(time.monotonic() - began, 1)
            taken_at = datetime.now(UTC).isoformat(timespec="milliseconds")
            major = connection.get_server_version().major
            rows = await _counted(connection)
            yield Moment(snapshot, taken_at, held_s, major, rows, left)
    finally:
        await connection.close()


@asynccontextmanager
async def _nothing_sent(owner_url: str) -> AsyncIterator[None]:
    holder = await provision.connect(owner_url)
    try:
        try:
            await holder.execute(HOLD_SENDING, timeout=HELD_WITHIN_S)
        except TimeoutError:
            raise StackError(
                "Somebody has been sending for so long that nothing could be held back: does "
                "the broker answer (./paperline doctor)? Nothing was backed up"
            ) from None
        yield
    finally:
        await holder.close()


async def _emptied(state: State, within_s: float) -> dict[str, int]:
    """What could not be waited for: in the end, or because nobody takes it."""
    ends_at = time.monotonic() + within_s
    while True:
        held = await asyncio.to_thread(_holding, state)
        if not is_worth_waiting(held, ends_at - time.monotonic()):
            return {one.name: one.messages for one in held}
        await asyncio.sleep(LOOK_EVERY_S)


def is_worth_waiting(held: Sequence[Held], left_s: float) -> bool:
    """Somebody takes from it, or it comes home to who does in time."""
    return left_s > 0 and any(
        one.consumers or RESTS_S.get(one.name, left_s + 1) <= left_s for one in held
    )


def _holding(state: State) -> list[Held]:
    # The HTTP API would tell what was true seconds ago.
    words = ("list_queues", "-p", VHOST, *COLUMNS, "--silent")
    lines = rabbitmq.control(state, ports.remembered(state), *words).splitlines()
    found = [row for row in (line.split("\t") for line in lines) if len(row) == len(COLUMNS)]
    held = [Held(name, int(messages), int(takers)) for name, messages, takers in found]
    return [one for one in held if one.name in OURS and one.messages]


async def _counted(connection: asyncpg.Connection) -> dict[str, int]:
    tables = [row[0] for row in await connection.fetch(LIST_TABLES)]
    return {name: await connection.fetchval(f"SELECT count(*) FROM {name}") for name in tables}
