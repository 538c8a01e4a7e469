"""Move operations on, a step at a time: write their letters down, then send or apply them.

A step is one transaction over the operation's locked row: claim, replay rows, outbox rows and
counters commit together. So several monitors may run, each may die anywhere, and no letter is
ever sent twice by one operation or forgotten by it. A step that fails costs its operation the
next turns and no other operation anything.
"""

import asyncio
import logging

from services.monitor.domain.operations import (
    Kind,
    Operation,
    OperationState,
    Turn,
    resource_of,
    room,
)
from services.monitor.handlers.replaying import resend
from services.monitor.ports import Ports
from shared.audit.chain import Entry
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit

log = logging.getLogger(__name__)


async def step_operation(use: Ports) -> bool:
    """False when no operation is due."""
    held: list[Operation] = []
    [ended] = await asyncio.gather(_step(held, use), return_exceptions=True)
    if isinstance(ended, bool):
        return ended
    if not held or not isinstance(ended, Exception):
        raise ended
    await _note_failure(held[0], ended, use)
    return True


async def _step(held: list[Operation], use: Ports) -> bool:
    async with use.ledger.unit() as unit:
        turn = await use.operations.take_turn(unit)
        if turn is None:
            return False
        held.append(turn.operation)
        if turn.operation.state is OperationState.PREPARING:
            await use.operations.prepare_items(unit, turn.operation, use.limits.prepare_batch)
            await failpoint("monitor.operation_prepared")
            return True
        moved = await _move(unit, turn, use)
        after = await use.operations.note_step(unit, turn, moved)
        await failpoint("monitor.operation_stepped")
        if after.state is not turn.operation.state:
            await use.trail.record(unit, _entry(after, f"operation_{after.state}"))
    return True


async def _move(unit: Unit, turn: Turn, use: Ports) -> int:
    operation, limits = turn.operation, use.limits
    if operation.kind is not Kind.REPLAY:
        free = room(turn, limits.apply_batch)
        await use.operations.apply_items(unit, operation, free)
        return min(free, operation.total - operation.taken)
    free = room(turn, limits.replay_batch)
    if free == 0:
        return 0
    claimed = await use.operations.claim_items(unit, operation, free, limits.letters_kept_days)
    for letter, body in claimed:
        if letter.replay_id is None:
            raise ValueError("a claimed letter has a replay")
        unit.resend(resend(letter, body, letter.replay_id))
    return min(free, operation.total - operation.taken)


async def _note_failure(operation: Operation, error: Exception, use: Ports) -> None:
    may_pass = isinstance(error, Retryable)
    # What a bug has to say may quote a customer's letter: it goes to the log alone.
    told = str(error) if may_pass else type(error).__name__
    log.error(
        "operation_step_failed",
        extra={"operation_id": str(operation.operation_id), "error": told},
        exc_info=None if may_pass else error,
    )
    async with use.ledger.unit() as unit:
        after = await use.operations.note_failure(
            unit,
            operation.operation_id,
            error=told[:1000],
            # Logic is not cured by trying again.
            failures_max=use.limits.step_failures_max if may_pass else 1,
        )
        if after is not None:
            await use.trail.record(unit, _entry(after, "operation_step_failed"))


def _entry(operation: Operation, action: str) -> Entry:
    return Entry(
        actor="system",
        action=action,
        resource=resource_of(operation.operation_id),
        reason=operation.error or operation.paused_because or "",
        after={
            "state": operation.state.value,
            "total": operation.total,
            "sent": operation.sent,
            "done": operation.done,
            "already_applied": operation.already_applied,
            "withdrawn": operation.withdrawn,
            "refailed": operation.refailed,
            "skipped": operation.skipped,
            "applied": operation.applied,
            "failures": operation.failures,
        },
    )
