"""Ask for an operation: look first, then freeze what is meant, once however often it is sent.

Those who ask take turns until their commit. Two operators who click at the same moment
would otherwise both get the same letters, and one of them a promise that cannot be kept.
"""

from uuid import UUID

from services.monitor.domain.operations import (
    KeyTaken,
    Kind,
    NoSuchOperation,
    Operation,
    Overlapping,
    Preview,
    Selection,
    Wish,
    resource_of,
)
from services.monitor.handlers.refusing import note_refusal
from services.monitor.ports import Ports
from shared.audit.chain import Entry

SAMPLE = 5
# How the audit log names what no operation became of.
HOME = "operations"


async def preview_operation(kind: Kind, which: Selection, use: Ports) -> Preview:
    """What it would find. Nothing is kept."""
    days = use.limits.letters_kept_days
    found = await use.operations.count_selected(kind, which, days)
    sample = await use.operations.sample_selected(kind, which, SAMPLE)
    return Preview(tuple(found), tuple(sample), which.arrived_before)


async def request_operation(wish: Wish, use: Ports) -> tuple[Operation, bool]:
    """The operation, and whether the same key had asked for it before."""
    try:
        operation, is_known = await _request(wish, use)
    except (Overlapping, KeyTaken) as error:
        await note_refusal(
            wish.requested_by, f"{wish.kind}_refused", HOME, wish.reason, str(error), use
        )
        raise
    use.wake()
    return operation, is_known


async def _request(wish: Wish, use: Ports) -> tuple[Operation, bool]:
    async with use.ledger.unit() as unit:
        await use.operations.lock_requests(unit)
        known = await use.operations.find_keyed(unit, wish.requested_by, wish.key)
        if known is not None:
            if known.request_digest != wish.digest:
                raise KeyTaken("the key has asked for another operation")
            return known, True
        other = await use.operations.find_overlap(unit, wish.kind, wish.selection)
        if other is not None:
            raise Overlapping(other)
        operation = await use.operations.insert_operation(unit, wish)
        await use.trail.record(unit, _entry(operation))
    return operation, False


async def get_operation(operation_id: UUID, use: Ports) -> Operation:
    operation = await use.operations.find_operation(operation_id)
    if operation is None:
        raise NoSuchOperation(str(operation_id))
    return operation


def _entry(operation: Operation) -> Entry:
    return Entry(
        actor=operation.requested_by,
        action=f"{operation.kind}_requested",
        resource=resource_of(operation.operation_id),
        reason=operation.reason,
        after={
            "selector": {k: v for k, v in operation.selector.items() if v is not None},
            "arrived_before": operation.arrived_before.isoformat(),
            "letters_max": operation.letters_max,
            "rate_per_s": operation.rate_per_s,
            "in_flight_max": operation.in_flight_max,
            "canary": operation.canary,
        },
    )
