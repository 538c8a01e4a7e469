"""How an operation may be steered: what each state allows. Doing the same twice is once."""

from dataclasses import replace

from services.monitor.domain.operations import (
    ACTIVE,
    MOVING,
    NotAllowed,
    Operation,
    OperationState,
)


def paused(operation: Operation) -> Operation:
    if operation.state is OperationState.PAUSED:
        return operation
    if operation.state not in MOVING:
        raise NotAllowed(operation, f"the operation is {operation.state}")
    return replace(operation, state=OperationState.PAUSED, paused_because="asked")


def resumed(operation: Operation) -> Operation:
    if operation.state in MOVING:
        return operation
    if operation.state is not OperationState.PAUSED:
        raise NotAllowed(operation, f"the operation is {operation.state}")
    state = OperationState.RUNNING if operation.prepared else OperationState.PREPARING
    # Who goes on has looked at the first letters.
    canary = 0 if operation.paused_because == "canary" else operation.canary
    return replace(operation, state=state, paused_because=None, canary=canary)


def cancelled(operation: Operation) -> Operation:
    if operation.state is OperationState.CANCELLED:
        return operation
    if operation.state not in ACTIVE:
        raise NotAllowed(operation, f"the operation is {operation.state}")
    return replace(operation, state=OperationState.CANCELLED, paused_because=None)


def paced(
    operation: Operation, rate_per_s: float | None, in_flight_max: int | None
) -> Operation:
    if operation.state not in ACTIVE:
        raise NotAllowed(operation, f"the operation is {operation.state}")
    return replace(
        operation,
        rate_per_s=operation.rate_per_s if rate_per_s is None else rate_per_s,
        in_flight_max=operation.in_flight_max if in_flight_max is None else in_flight_max,
    )
