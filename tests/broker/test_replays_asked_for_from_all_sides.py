"""Two clients ask two monitors for the same letters, by group, by id, one by one and mended.

Each dead letter goes back once, and is applied once, whoever was faster.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from uuid import UUID

import pytest

from services.monitor.domain.editing import Edit
from services.monitor.domain.letters import DeadLetter, LetterState
from services.monitor.domain.operations import (
    KeyTaken,
    Kind,
    Operation,
    Overlapping,
    Pace,
    Selection,
    Wish,
)
from services.monitor.domain.replays import NotReplayable
from services.monitor.handlers.editing import edit_and_replay
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.requesting import get_operation, request_operation
from services.monitor.handlers.settling import settle_replays
from services.monitor.ports import Filter, Ports
from shared.clock import WallClock
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.ledger.postgres import PostgresLedger
from tests.broker.monitor_world import Monitor, monitor_service, ports_over
from tests.eventually import eventually
from tests.unit.monitor.world import dead_letter

LETTERS = 8
PACE = Pace(rate_per_s=1_000_000, in_flight_max=1_000)
REFUSALS = (Overlapping, KeyTaken, NotReplayable)


@dataclass(frozen=True, slots=True)
class Both:
    monitor: Monitor
    first: Ports
    second: Ports


@pytest.fixture
async def both(database_url: str) -> AsyncIterator[Both]:
    async with monitor_service(database_url) as monitor:
        pools = [await _pool(monitor, database_url) for _ in range(2)]
        first, second = (
            ports_over(pool, PostgresLedger(pool, WallClock(), wake=lambda: None))
            for pool in pools
        )
        yield Both(monitor, first, second)
        for pool in pools:
            await pool.close()


async def _pool(monitor: Monitor, database_url: str) -> Pool:
    return await open_pool(
        DatabaseSettings(database_url), schema=monitor.schema.name, application="test"
    )


async def died(both: Both, mark: str) -> list[DeadLetter]:
    letters = [dead_letter(dead_fingerprint=mark) for _ in range(LETTERS)]
    await keep_letters(letters, both.first)
    which = Filter(fingerprint=mark)
    return await both.first.letters.list_letters(which, after=None, limit=LETTERS)


async def asked(use: Ports, key: str, **named: object) -> Operation:
    selection = Selection(arrived_before=use.clock.now(), **named)  # type: ignore[arg-type]
    wish = Wish(Kind.REPLAY, selection, PACE, "Fixed.", key, 1_000, key, key)
    operation, _ = await request_operation(wish, use)
    return operation


async def stepped(use: Ports) -> None:
    for _ in range(4):
        while await step_operation(use):
            pass
        await asyncio.sleep(0)


async def at_once(chance: random.Random, *deeds: Awaitable[object]) -> list[object]:
    shuffled = list(deeds)
    chance.shuffle(shuffled)
    return list(await asyncio.gather(*shuffled, return_exceptions=True))


async def from_all_sides(both: Both, run: int) -> None:
    mark, chance = f"run-{run}", random.Random(run)
    letters = await died(both, mark)
    ids = tuple(one.letter_id for one in letters)
    mended = Edit(ids[0], 1, {"filename": "mended.pdf"}, "edith", "A bad name.")
    some = tuple(chance.sample(ids, LETTERS // 2))

    ended = await at_once(
        chance,
        asked(both.first, f"{mark}/group", fingerprint=mark),
        asked(both.second, f"{mark}/group", fingerprint=mark),
        asked(both.second, f"{mark}/ids", ids=some),
        asked(both.first, f"{mark}/again", ids=ids),
        replay_letter(ids[1], "otto", "Mine.", both.second),
        replay_letter(ids[1], "anna", "No, mine.", both.first),
        edit_and_replay(mended, both.first),
        edit_and_replay(mended, both.second),
        stepped(both.first),
        stepped(both.second),
    )
    errors = [one for one in ended if isinstance(one, BaseException)]
    assert not [one for one in errors if not isinstance(one, REFUSALS)]
    await eventually(lambda: all_sent(both, chance))
    # Whatever nobody got in the turmoil is left, and goes with the next who asks.
    await asked(both.first, f"{mark}/rest", fingerprint=mark)
    await eventually(lambda: all_sent(both, chance))

    replays = await sent_of(both, ids)
    assert Counter(replays.values()) == dict.fromkeys(ids, 1)
    # Both are told how each ended, some twice.
    outcomes = dict.fromkeys(replays, "done")
    await at_once(chance, *(told(use, outcomes) for use in (both.first, both.second) * 2))
    await at_once(chance, stepped(both.first), stepped(both.second))
    await all_settled(both, mark, ids)


async def all_sent(both: Both, chance: random.Random) -> bool:
    """A step that finds that its rate has earned nothing yet is due again a moment later."""
    await at_once(chance, stepped(both.first), stepped(both.second))
    sent = await both.monitor.schema.owner.fetchval(
        """SELECT NOT EXISTS (
               SELECT FROM operations AS o
                 LEFT JOIN operation_items AS w
                        ON w.operation_id = o.operation_id AND w.outcome = 'waiting'
                WHERE o.state = 'preparing' OR o.state = 'running' AND w.outcome IS NOT NULL)"""
    )
    return sent is True


async def sent_of(both: Both, ids: tuple[UUID, ...]) -> dict[UUID, UUID]:
    """Under which replay each letter left, by what lies in the outbox."""
    rows = await both.monitor.schema.owner.fetch(
        """SELECT r.replay_id, r.letter_id
             FROM outbox AS o
             JOIN replays AS r ON r.replay_id::text = o.headers::json->>'paperline-replay'
            WHERE r.letter_id = ANY ($1)""",
        ids,
    )
    assert len(rows) == len({row["replay_id"] for row in rows})
    return {row["replay_id"]: row["letter_id"] for row in rows}


async def told(use: Ports, outcomes: dict[UUID, str]) -> None:
    async with use.ledger.unit() as unit:
        await settle_replays(unit, outcomes, use)


async def all_settled(both: Both, mark: str, ids: tuple[UUID, ...]) -> None:
    letters = await both.first.letters.list_letters(
        Filter(fingerprint=mark), after=None, limit=LETTERS
    )
    states = Counter(one.state for one in letters)
    assert states[LetterState.RESOLVED] + states[LetterState.SUPERSEDED] == LETTERS
    assert {one.outcome for one in letters} == {"done"}
    operations = await both.first.operations.list_operations(state=None, after=None, limit=200)
    ours = [one for one in operations if one.requested_by.startswith(f"{mark}/")]
    for one in ours:
        now = await get_operation(one.operation_id, both.second)
        assert (now.state, now.in_flight) == ("completed", 0)
    assert sum(one.sent for one in ours) <= len(ids)


async def test_each_letter_is_applied_once(both: Both) -> None:
    for run in range(5):
        await from_all_sides(both, run)


@pytest.mark.slow
async def test_each_letter_is_applied_once_a_hundred_times(both: Both) -> None:
    for run in range(100, 200):
        await from_all_sides(both, run)
