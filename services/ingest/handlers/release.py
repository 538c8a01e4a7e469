"""Let waiting documents go to the broker, as many as the window has room for.

Urgent ones go at once, window or not: they wait only where their batch or a failure before
held them. A backlog stays in PostgreSQL, where it costs the broker nothing and its order can
still be changed. A round is one short transaction; it runs after commits that accept or end
documents and now and then, on every replica, one round at a time.
"""

import asyncio
import logging
from collections.abc import Sequence
from uuid import UUID

from services.ingest.domain.turns import Look, Served, next_turn
from services.ingest.ports import Ports, Released
from shared.bus.headers import RUN
from shared.bus.jobs import Job
from shared.bus.waiting import happens, until_beat
from shared.contracts.body import Priority
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.topology.queues import EXTRACT

log = logging.getLogger(__name__)

BACKOFF_S = 1.0
URGENT_AT_ONCE = 100


class Bell:
    """Rung by whoever commits something that may let others in; heard within one process."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()

    async def heard(self, within_s: float) -> None:
        await happens(self._rung, within_s=until_beat(within_s))

    def hush(self) -> None:
        self._rung.clear()


async def keep_releasing(use: Ports, bell: Bell, *, every_s: float) -> None:
    """Until cancelled. What another process committed is seen at the next look."""
    while True:
        # Before the look, so that a commit during the look is not slept through.
        bell.hush()
        try:
            if await use.releases.is_anyone_waiting():
                while await release_documents(use):
                    continue
        except Retryable as away:
            log.info("releaser_waits", extra={"error": str(away)})
            await asyncio.sleep(BACKOFF_S)
        await bell.heard(every_s)


async def release_documents(use: Ports) -> bool:
    """One round; whether the next might find somebody to let go, as far as this one knows."""
    async with use.ledger.unit() as unit:
        look = await use.releases.look(unit)
        if look is None:
            return False
        if Priority.URGENT in look.priorities:
            await _release_urgent(unit, use)
            # They have taken places, and the oldest may have a turn for them.
            look = await use.releases.look(unit)
            if look is None:
                return False
        more = await _release_in_turn(unit, look, use)
    return more or Priority.URGENT in look.priorities


async def _release_urgent(unit: Unit, use: Ports) -> None:
    """They count as those do that were urgent when they were accepted."""
    found = await use.releases.find_next(unit, Priority.URGENT, URGENT_AT_ONCE, but_not=None)
    ids = [document_id for document_id, _ in found]
    await use.releases.count_urgent(unit, len(ids))
    await _release(unit, ids, None, Served(), use)


async def _release_in_turn(unit: Unit, look: Look, use: Ports) -> bool:
    """Whether there may be room for more, and somebody left."""
    turn = next_turn(look)
    oldest = look.oldest if turn.oldest else None
    chosen, last = await _in_turn(unit, turn.in_turn, oldest, look.priorities, use)
    ids = [*([oldest] if oldest else []), *chosen]
    if not ids:
        return False
    served = Served(len(chosen), turn.oldest, turn.urgent_owed, last)
    released = await _release(unit, ids, oldest, served, use)
    await failpoint("ingest.before_release")
    # Fewer than were looked for are all there were. What urgent ones owe the oldest is paid
    # beyond the window too.
    return len(chosen) == turn.in_turn and (released < look.free or look.urgent > 0)


async def _in_turn(
    unit: Unit, count: int, but_not: UUID | None, priorities: Sequence[int], use: Ports
) -> tuple[list[UUID], dict[int, str]]:
    chosen: list[UUID] = []
    last: dict[int, str] = {}
    for priority in priorities:
        if len(chosen) == count:
            break
        found = await use.releases.find_next(
            unit, priority, count - len(chosen), but_not=but_not
        )
        chosen += [document_id for document_id, _ in found]
        if found:
            last[priority] = found[-1][1]
    return chosen, last


async def _release(
    unit: Unit, ids: Sequence[UUID], oldest: UUID | None, served: Served, use: Ports
) -> int:
    released = await use.releases.release(unit, ids, served)
    # The rows come back in any order; the outbox keeps the one we send in.
    for one in sorted(released, key=lambda one: ids.index(one.document_id)):
        # Urgent to the end of its way: what waited longest must not be overtaken again.
        priority = Priority.URGENT if one.document_id == oldest else Priority(one.priority)
        order = order_for(one, priority)
        unit.send(order, cause=in_name_of(order, one.run, one.traceparent))
    return len(released)


def order_for(one: Released, priority: Priority) -> ExtractDocumentV1:
    return ExtractDocumentV1(
        document_id=one.document_id,
        owner_id=one.owner_id,
        accepted_at=one.accepted_at,
        priority=priority,
        content_key=one.content_key,
        sha256=one.sha256,
        size_bytes=one.size_bytes,
        media_type=one.media_type,
        filename=one.filename,
        force=one.forced,
        replaces_version=one.replaces_version,
        due_at=one.due_at,
        engine=one.wanted_engine,
    )


def in_name_of(
    order: ExtractDocumentV1, run: int, traceparent: str | None = None
) -> Job[ExtractDocumentV1]:
    """There is no job behind it; but the order continues its document's run and trace."""
    headers = {RUN: str(run)} if run else {}
    return Job(order, new_id(), EXTRACT.name, headers=headers, traceparent=traceparent)
