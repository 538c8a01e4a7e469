"""The only reader of the outbox: from committed rows to confirmed messages.

Claim, publish and delete are one bounded transaction. A relay that dies between publish and
commit leaves the rows where they were, and they are sent again; consumers drop the copies.
There is no lease to expire, no state to repair and no NOTIFY, whose lock at commit costs more
than looking several times a second.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from shared.bus.pace import Pace
from shared.bus.publisher import Outcome, Publisher
from shared.bus.waiting import happens, until_beat
from shared.contracts.envelope import MESSAGE_BYTES_MAX
from shared.database.pool import Connection, Pool
from shared.database.statements import statement
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.ledger.rows import OutboxRow, columns
from shared.ledger.telling import told_of
from shared.observability.metrics import ANSWERS, RELAYED

log = logging.getLogger(__name__)

CLAIM_OUTBOX = statement(__file__, "claim_outbox")
IS_OWED = statement(__file__, "is_owed")
INSERT_LATER = statement(__file__, "insert_later")
PARK = statement(__file__, "park")

BATCH = 500
# Rounds begin so far apart while many rows come; a full one is followed at once.
PACE_S = 0.02
BACKOFF_S_MIN = 0.1
BACKOFF_S_MAX = 5.0
AGAIN_AFTER_S = 5.0
# Headers may add a little to a body; what is larger closes the channel for everybody.
ROW_BYTES_MAX = MESSAGE_BYTES_MAX + 1024


class PublishUnknown(Exception):
    """Nobody knows what arrived: all of it stays in the outbox and is sent again."""


class Relay:
    def __init__(
        self, pool: Pool, publisher: Publisher, *, poll_s: float = 0.2, pace_s: float = PACE_S
    ) -> None:
        self._pool = pool
        self._publisher = publisher
        self._poll_s = poll_s
        self._wanted = asyncio.Event()
        self._watermark = Watermark()
        self._pace = Pace(pace_s)

    def wake(self) -> None:
        self._wanted.set()

    async def run(self) -> None:
        """Send until cancelled; slower and slower while the broker or the database is away."""
        backoff_s = BACKOFF_S_MIN
        while True:
            try:
                while await self._is_owed() and await self.send_batch() == BATCH:
                    backoff_s = BACKOFF_S_MIN
            except (Retryable, PublishUnknown) as error:
                log.warning("relay_waits", extra={"error": str(error), "seconds": backoff_s})
                await asyncio.sleep(backoff_s)
                backoff_s = min(backoff_s * 2, BACKOFF_S_MAX)
            else:
                backoff_s = BACKOFF_S_MIN
                await happens(self._wanted, within_s=until_beat(self._poll_s))
                # A round costs the same for one row as for ten, and many commits wake us.
                await asyncio.sleep(self._pace.rest_s())

    async def _is_owed(self) -> bool:
        """Somebody of this process said so, or a look says so. Nobody mostly did, and a look is
        one statement where claiming nothing is a transaction, several times a second."""
        if self._wanted.is_set():
            return True
        owed = bool(await self._pool.fetchval(IS_OWED, self._watermark.now()))
        if not owed:
            self._watermark.note(0, drained=True)
        return owed

    async def drain(self) -> None:
        """Send what is left, as far as it can be sent now."""
        try:
            while await self.send_batch():
                continue
        except (Retryable, PublishUnknown) as error:
            log.info("relay_left_some", extra={"error": str(error)})

    async def send_batch(self) -> int:
        """The number of rows claimed, all of which have left the outbox."""
        # Before the look, so that a commit during the look is not slept through.
        self._wanted.clear()
        async with self._pool.transaction() as connection:
            found = await connection.fetch(CLAIM_OUTBOX, BATCH, self._watermark.now())
            # A deletion returns its rows in no order, and priority is one.
            claimed = sorted(found, key=lambda row: (-row["priority"], row["id"]))
            self._pace.begin(len(claimed))
            if claimed:
                await failpoint("relay.claimed")
                await self._publish(connection, [_row(row) for row in claimed])
                await failpoint("relay.published")
        if claimed:
            await failpoint("relay.deleted")
        RELAYED.inc(len(claimed))
        highest = max((row["id"] for row in claimed), default=0)
        self._watermark.note(highest, drained=len(claimed) < BATCH)
        return len(claimed)

    async def _publish(self, connection: Connection, rows: Sequence[OutboxRow]) -> None:
        fitting = [row for row in rows if _fits(row) and not row.is_answer]
        with told_of(fitting) as told:
            outcomes = await self._publisher.publish([row.outgoing() for row in fitting])
            told(outcomes)
        if Outcome.UNKNOWN in outcomes:
            raise PublishUnknown(f"{outcomes.count(Outcome.UNKNOWN)} of {len(outcomes)}")
        parked = [("oversize", row) for row in rows if not _fits(row)]
        refused = []
        for row, outcome in zip(fitting, outcomes, strict=True):
            if outcome is Outcome.RETURNED:
                parked.append(("returned", row))
            elif outcome is Outcome.REFUSED:
                refused.append(row)
        if parked:
            await self._park(connection, parked)
        await self._send_later(connection, refused)
        await self._answer(connection, [row for row in rows if row.is_answer and _fits(row)])

    async def _answer(self, connection: Connection, answers: Sequence[OutboxRow]) -> None:
        """By themselves, because where they go was not planned by us: an answer that costs us
        the channel, as without the right to it, must not hold up what we do owe."""
        outcomes = await self._publisher.publish([row.outgoing() for row in answers])
        for outcome in outcomes:
            # Whoever has left meanwhile is not waited for, and is no cause of alarm.
            ANSWERS.labels(outcome.value).inc()
        unknown = zip(answers, outcomes, strict=True)
        await self._send_later(
            connection, [row for row, outcome in unknown if outcome is Outcome.UNKNOWN]
        )

    async def _send_later(self, connection: Connection, rows: Sequence[OutboxRow]) -> None:
        if rows:
            delays = [AGAIN_AFTER_S] * len(rows)
            await connection.execute(INSERT_LATER, delays, *columns(rows))

    async def _park(
        self, connection: Connection, parked: Sequence[tuple[str, OutboxRow]]
    ) -> None:
        for reason, row in parked:
            log.error(
                "outbox_parked",
                extra={"reason": reason, "to": f"{row.exchange} {row.routing_key}"},
            )
        reasons = [reason for reason, _ in parked]
        await connection.execute(PARK, reasons, *columns([row for _, row in parked]))


def _fits(row: OutboxRow) -> bool:
    return len(row.body) <= ROW_BYTES_MAX


def _row(row: Any) -> OutboxRow:  # noqa: ANN401 -- asyncpg's record has no types
    return OutboxRow(
        priority=row["priority"],
        exchange=row["exchange"],
        routing_key=row["routing_key"],
        type=row["type"],
        headers=from_json(row["headers"]),
        body=row["body"],
    )


@dataclass(frozen=True, slots=True)
class _Drained:
    at: float
    highest: int


class Watermark:
    """Below which id the outbox is empty, so that dead rows are not looked at again.

    A hint: a transaction that began long ago may still commit a lower id, so once a minute
    the whole outbox is looked at. It only moves when everything visible was sent; otherwise
    a backlog of less urgent rows would be left behind.
    """

    SETTLED_S = 30.0
    WHOLE_LOOK_EVERY_S = 60.0

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._drained: deque[_Drained] = deque()
        self._low = 0
        self._highest = 0
        self._whole_look_at = monotonic()
        self._looks_at_all = False

    def now(self) -> int:
        """Where the next look begins."""
        self._looks_at_all = self._monotonic() >= self._whole_look_at
        return 0 if self._looks_at_all else self._low

    def note(self, highest: int, *, drained: bool) -> None:
        """What that look found: the highest id sent, and whether nothing visible is left."""
        now = self._monotonic()
        self._highest = max(self._highest, highest)
        if not drained:
            return
        # Only a look that really began at 0 counts: the minute may have passed meanwhile.
        if self._looks_at_all:
            self._whole_look_at = now + self.WHOLE_LOOK_EVERY_S
        if not self._drained or now - self._drained[-1].at >= 1:
            self._drained.append(_Drained(now, self._highest))
        while self._drained and now - self._drained[0].at >= self.SETTLED_S:
            self._low = self._drained.popleft().highest
