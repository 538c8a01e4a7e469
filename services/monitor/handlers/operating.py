"""Move operations on, a step at a time: write their letters down, then send or apply them.

A step is one transaction over the operation's locked row: claim, replay rows, outbox rows and
counters commit together. So several monitors may run, each may die anywhere, and no letter is
ever sent twice by one operation or forgotten by it.
"""

from services.monitor.domain.operations import (
    Kind,
    OperationState,
    Turn,
    room,
)
from services.monitor.handlers.replaying import resend
from services.monitor.ports import Ports
from shared.failpoints import failpoint
from shared.ledger.port import Unit


async def step_operation(use: Ports) -> bool:
    """False when there was nothing to do just now."""
    async with use.ledger.unit() as unit:
        turn = await use.operations.take_turn(unit)
        if turn is None:
            return False
        if turn.operation.state is OperationState.PREPARING:
            await use.operations.prepare_items(unit, turn.operation, use.limits.prepare_batch)
            await failpoint("monitor.operation_prepared")
            return True
        moved = await _move(unit, turn, use)
        await use.operations.note_step(unit, turn, moved)
        await failpoint("monitor.operation_stepped")
    return moved > 0


async def _move(unit: Unit, turn: Turn, use: Ports) -> int:
    operation, limits = turn.operation, use.limits
    if operation.kind is not Kind.REPLAY:
        free = room(turn, limits.apply_batch)
        await use.operations.apply_items(unit, operation, free)
        return min(free, operation.total - operation.taken)
    free = room(turn, limits.replay_batch)
    if free == 0:
        return 0
    claimed = await use.operations.claim_items(unit, operation, free)
    for letter, body in claimed:
        if letter.replay_id is None:
            raise ValueError("a claimed letter has a replay")
        unit.resend(resend(letter, body, letter.replay_id))
    return min(free, operation.total - operation.taken)
