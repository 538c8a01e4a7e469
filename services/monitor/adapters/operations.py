"""Operations in PostgreSQL. One method per file in `sql/`, under the same name."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any
from uuid import UUID

from services.monitor.adapters.letters import letter_of
from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.operations import (
    STATES_OF,
    Found,
    Item,
    ItemOutcome,
    Kind,
    Operation,
    OperationState,
    Selection,
    Turn,
    Wish,
)
from services.monitor.domain.replays import REPLAYABLE_QUEUES
from services.monitor.ports.operations import Asked
from shared.contracts.identity import new_id
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

PLAN_EACH_TIME = statement(__file__, "plan_each_time")
COUNT_SELECTED = statement(__file__, "count_selected")
SAMPLE_SELECTED = statement(__file__, "sample_selected")
LOCK_REQUESTS = statement(__file__, "lock_requests")
FIND_KEYED = statement(__file__, "find_keyed")
FIND_OVERLAP = statement(__file__, "find_overlap")
INSERT_OPERATION = statement(__file__, "insert_operation")
FIND_OPERATION = statement(__file__, "find_operation")
LIST_OPERATIONS = statement(__file__, "list_operations")
LIST_ITEMS = statement(__file__, "list_items")
LOCK_OPERATION = statement(__file__, "lock_operation")
TURN_OPERATION = statement(__file__, "turn_operation")
IS_ANY_MOVING = statement(__file__, "is_any_moving")
TAKE_TURN = statement(__file__, "take_turn")
PREPARE_ITEMS = statement(__file__, "prepare_items")
CLAIM_ITEMS = statement(__file__, "claim_items")
APPLY_ITEMS = statement(__file__, "apply_items")
NOTE_STEP = statement(__file__, "note_step")
NOTE_FAILURE = statement(__file__, "note_failure")
INSERT_IDS = statement(__file__, "insert_ids")
READ_IDS = statement(__file__, "read_ids")
SETTLE_ITEMS = statement(__file__, "settle_items")
HOLD_OPERATIONS = statement(__file__, "hold_operations")

_COLUMNS = tuple(field.name for field in fields(Operation))
_ITEM_COLUMNS = tuple(field.name for field in fields(Item))


class PostgresOperations:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def count_selected(self, kind: Kind, which: Selection, days: int) -> list[Found]:
        async with self._pool.transaction() as connection:
            await connection.execute(PLAN_EACH_TIME)
            rows = await connection.fetch(
                COUNT_SELECTED,
                *_selection(kind, which),
                sorted(REPLAYABLE_QUEUES),
                which.ids,
                days,
            )
        return [Found(**row) for row in rows]

    async def sample_selected(
        self, kind: Kind, which: Selection, limit: int
    ) -> list[DeadLetter]:
        async with self._pool.transaction() as connection:
            await connection.execute(PLAN_EACH_TIME)
            rows = await connection.fetch(
                SAMPLE_SELECTED, *_selection(kind, which), limit, which.ids
            )
        return [letter_of(row) for row in rows]

    async def lock_requests(self, unit: Unit) -> None:
        await unit.connection.execute(LOCK_REQUESTS)

    async def find_keyed(self, unit: Unit, requested_by: str, key: str) -> Operation | None:
        row = await unit.connection.fetchrow(FIND_KEYED, requested_by, key)
        return _operation(row) if row else None

    async def find_overlap(self, unit: Unit, kind: Kind, which: Selection) -> UUID | None:
        await _plan_each_time(unit)
        found: UUID | None = await unit.connection.fetchval(
            FIND_OVERLAP, *_selection(kind, which), which.ids
        )
        return found

    async def insert_operation(self, unit: Unit, wish: Wish) -> Operation:
        operation = _operation(
            await unit.connection.fetchrow(
                INSERT_OPERATION,
                new_id(),
                wish.kind,
                wish.selection.told(),
                wish.selection.arrived_before,
                wish.reason,
                wish.requested_by,
                wish.key,
                wish.digest,
                wish.letters_max,
                wish.pace.rate_per_s,
                wish.pace.in_flight_max,
                wish.pace.canary,
            )
        )
        if wish.selection.ids is not None:
            await _insert_ids(unit, operation.operation_id, wish.selection.ids)
        return operation

    async def find_operation(self, operation_id: UUID) -> Operation | None:
        row = await self._pool.fetchrow(FIND_OPERATION, operation_id)
        return _operation(row) if row else None

    async def list_operations(
        self, *, state: OperationState | None, after: Asked | None, limit: int
    ) -> list[Operation]:
        rows = await self._pool.fetch(
            LIST_OPERATIONS,
            state,
            after.requested_at if after else None,
            after.operation_id if after else None,
            limit,
        )
        return [_operation(row) for row in rows]

    async def list_items(
        self, operation_id: UUID, *, outcome: ItemOutcome | None, after: int, limit: int
    ) -> list[Item]:
        rows = await self._pool.fetch(LIST_ITEMS, operation_id, outcome, after, limit)
        return [_item(row) for row in rows]

    async def lock_operation(self, unit: Unit, operation_id: UUID) -> Operation | None:
        row = await unit.connection.fetchrow(LOCK_OPERATION, operation_id)
        return _operation(row) if row else None

    async def turn_operation(self, unit: Unit, operation: Operation) -> Operation:
        return _operation(
            await unit.connection.fetchrow(
                TURN_OPERATION,
                operation.operation_id,
                operation.state,
                operation.rate_per_s,
                operation.in_flight_max,
                operation.canary,
                operation.paused_because,
            )
        )

    async def is_any_moving(self) -> bool:
        return bool(await self._pool.fetchval(IS_ANY_MOVING))

    async def take_turn(self, unit: Unit) -> Turn | None:
        row = await unit.connection.fetchrow(TAKE_TURN)
        return Turn(_operation(row), row["allowance"]) if row else None

    async def prepare_items(self, unit: Unit, operation: Operation, limit: int) -> None:
        ids = await _read_ids(unit, operation.operation_id)
        await _plan_each_time(unit)
        await unit.connection.execute(
            PREPARE_ITEMS,
            operation.operation_id,
            sorted(STATES_OF[operation.kind]),
            limit,
            {**operation.selector, "ids": None},
            operation.arrived_before,
            operation.prepared_at,
            operation.prepared_id,
            ids,
        )

    async def claim_items(
        self, unit: Unit, operation: Operation, limit: int, days: int
    ) -> list[tuple[DeadLetter, bytes]]:
        await _plan_each_time(unit)
        rows = await unit.connection.fetch(
            CLAIM_ITEMS,
            operation.operation_id,
            [new_id() for _ in range(limit)],
            sorted(REPLAYABLE_QUEUES),
            days,
        )
        return [(letter_of(row), row["body"]) for row in rows]

    async def apply_items(self, unit: Unit, operation: Operation, limit: int) -> None:
        states = sorted(STATES_OF[operation.kind])
        await _plan_each_time(unit)
        await unit.connection.execute(
            APPLY_ITEMS, operation.operation_id, operation.kind, states, limit
        )

    async def note_step(self, unit: Unit, turn: Turn, spent: int) -> Operation:
        return _operation(
            await unit.connection.fetchrow(
                NOTE_STEP, turn.operation.operation_id, turn.allowance, spent
            )
        )

    async def note_failure(
        self, unit: Unit, operation_id: UUID, *, error: str, failures_max: int
    ) -> Operation | None:
        row = await unit.connection.fetchrow(NOTE_FAILURE, operation_id, error, failures_max)
        return _operation(row) if row else None

    async def settle_items(self, unit: Unit, outcomes: Mapping[UUID, str]) -> None:
        await unit.connection.execute(SETTLE_ITEMS, [*outcomes], [*outcomes.values()])

    async def hold_operations(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(HOLD_OPERATIONS, document_ids)


async def _insert_ids(unit: Unit, operation_id: UUID, ids: Sequence[UUID]) -> None:
    await unit.connection.execute(INSERT_IDS, operation_id, ids)


async def _read_ids(unit: Unit, operation_id: UUID) -> list[UUID] | None:
    ids: list[UUID] | None = await unit.connection.fetchval(READ_IDS, operation_id)
    return ids


async def _plan_each_time(unit: Unit) -> None:
    await unit.connection.execute(PLAN_EACH_TIME)


def _selection(kind: Kind, which: Selection) -> tuple[dict[str, Any], datetime, list[str]]:
    # The ids go beside it.
    return {**which.told(), "ids": None}, which.arrived_before, sorted(STATES_OF[kind])


def _operation(row: Row) -> Operation:
    # By name, so that a column added for a newer version does not stop an older process.
    values = {name: row[name] for name in _COLUMNS}
    values["kind"] = Kind(values["kind"])
    values["state"] = OperationState(values["state"])
    return Operation(**values)


def _item(row: Row) -> Item:
    values = {name: row[name] for name in _ITEM_COLUMNS}
    values["outcome"] = ItemOutcome(values["outcome"])
    return Item(**values)
