"""A monitor with letters to operate on: in memory, and on PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.operations import Kind, Operation, Pace, Selection, Wish
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.requesting import get_operation, request_operation
from services.monitor.handlers.settling import settle_replays
from services.monitor.ports import Ports
from shared.audit import log
from shared.audit.chain import Entry
from shared.bus.letters import Letter
from tests.broker.monitor_world import Monitor, monitor_service
from tests.conformance.database import database
from tests.unit.monitor.world import World, dead_letter

ANY_PACE = Pace(rate_per_s=1_000_000, in_flight_max=100_000)
STEPS_MAX = 50


class Keeping(Protocol):
    async def kept(self, letter: Letter) -> DeadLetter: ...


@dataclass(frozen=True, slots=True)
class Operating:
    keeper: Keeping
    use: Ports
    # Time goes by, where it would not by itself.
    later: "Later"
    # The newest last.
    entries: "Entries | None" = None

    async def letters(self, count: int) -> list[DeadLetter]:
        kept = [await self.keeper.kept(dead_letter()) for _ in range(count)]
        self.later()
        return kept

    def selection(self, **named: object) -> Selection:
        return Selection(arrived_before=self.use.clock.now(), **named)  # type: ignore[arg-type]

    def wish(self, kind: Kind = Kind.REPLAY, **given: object) -> Wish:
        values = {
            "selection": self.selection(queue="extractor.extract"),
            "pace": ANY_PACE,
            "reason": "Fixed.",
            "requested_by": "olga",
            "letters_max": 1_000,
            "key": "k1",
            "digest": "d",
        }
        return Wish(kind=kind, **{**values, **given})  # type: ignore[arg-type]

    async def asked(self, kind: Kind = Kind.REPLAY, **given: object) -> Operation:
        operation, _ = await request_operation(self.wish(kind, **given), self.use)
        return operation

    async def step(self) -> None:
        assert await step_operation(self.use)

    async def run(self) -> None:
        """Until there is nothing to do just now."""
        for _ in range(STEPS_MAX):
            if not await step_operation(self.use):
                return
        raise AssertionError(f"still moving after {STEPS_MAX} steps")

    async def settle(self, *outcomes: tuple[UUID, str]) -> None:
        async with self.use.ledger.unit() as unit:
            await settle_replays(unit, dict(outcomes), self.use)

    async def now(self, operation: Operation) -> Operation:
        return await get_operation(operation.operation_id, self.use)

    async def outcomes(self, operation: Operation) -> list[tuple[str, str | None]]:
        items = await self.use.operations.list_items(
            operation.operation_id, outcome=None, after=0, limit=100
        )
        return [(item.outcome.value, item.detail) for item in items]

    async def deeds(self) -> list[tuple[str, str]]:
        """What the audit log says was done, and why."""
        assert self.entries is not None
        return [(entry.action, entry.reason) for entry in await self.entries()]

    async def replays(self, operation: Operation) -> list[UUID]:
        items = await self.use.operations.list_items(
            operation.operation_id, outcome=None, after=0, limit=100
        )
        return [item.replay_id for item in items if item.replay_id]


class Later(Protocol):
    def __call__(self) -> None: ...


class Entries(Protocol):
    async def __call__(self) -> list[Entry]: ...


@asynccontextmanager
async def in_memory() -> AsyncIterator[Operating]:
    world = World()

    async def entries() -> list[Entry]:
        return world.trail.entries

    yield Operating(world, world.ports, lambda: world.clock.advance(1), entries)


@asynccontextmanager
async def in_postgres() -> AsyncIterator[Operating]:
    async with monitor_service(database()) as monitor:
        yield over(monitor)


def over(monitor: Monitor) -> Operating:
    async def entries() -> list[Entry]:
        page = await log.page(monitor.schema.pool, log.Filter(), limit=1_000)
        return [line.entry() for line in reversed(page)]

    return Operating(monitor, monitor.use, lambda: None, entries)
