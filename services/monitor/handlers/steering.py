"""Pause an operation, let it go on, end it, or give it another pace.

A step that is under way ends first; it is one short transaction, so nobody waits for long.
What was sent stays sent, and its outcomes are still written down.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from services.monitor.domain.operations import (
    NoSuchOperation,
    Operation,
    StaleOperation,
    resource_of,
)
from services.monitor.ports import Ports
from shared.audit.chain import Entry

Change = Callable[[Operation], Operation]


async def steer_operation(
    operation_id: UUID, seen: int, change: Change, *, actor: str, action: str, use: Ports
) -> Operation:
    """`seen` is the version that was looked at; what changes nothing asks for none."""
    async with use.ledger.unit() as unit:
        operation = await use.operations.lock_operation(unit, operation_id)
        if operation is None:
            raise NoSuchOperation(str(operation_id))
        wanted = change(operation)
        if wanted == operation:
            return operation
        if operation.version != seen:
            raise StaleOperation(operation, seen)
        turned = await use.operations.turn_operation(unit, wanted)
        await use.trail.record(unit, _entry(operation, turned, actor, action))
    use.wake()
    return turned


def _entry(before: Operation, after: Operation, actor: str, action: str) -> Entry:
    return Entry(
        actor=actor,
        action=action,
        resource=resource_of(after.operation_id),
        before=_told(before),
        after=_told(after),
    )


def _told(operation: Operation) -> dict[str, Any]:
    return {
        "state": operation.state.value,
        "taken": operation.taken,
        "rate_per_s": operation.rate_per_s,
        "in_flight_max": operation.in_flight_max,
    }
