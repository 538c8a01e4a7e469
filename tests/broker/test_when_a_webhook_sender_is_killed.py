"""Ingest as a process: it tells owners, and what it told when it was killed is told again."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from services.ingest.adapters.webhooks import PostgresDeliveryLog, PostgresWebhooks
from services.ingest.domain.webhooks import EVENTS, Delivery, NewWebhook, Notice
from services.ingest.ports.webhooks import Behind
from shared.clock import WallClock
from shared.contracts.identity import new_id
from shared.ledger.postgres import PostgresLedger
from tests.broker.ingest_process import Outside, outside
from tests.eventually import eventually
from tests.fakes.receiver import Receiver, receiver

LOOPBACK = {
    "PAPERLINE_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
    "PAPERLINE_WEBHOOK_POLL_S": "0.1",
}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    async with outside(tmp_path) as world:
        yield world


@pytest.fixture
async def theirs() -> AsyncIterator[Receiver]:
    async with receiver() as one:
        yield one


async def _told(world: Outside, theirs: Receiver) -> UUID:
    """An endpoint that something has just happened for."""
    webhooks = PostgresWebhooks(world.pool)
    url = f"http://127.0.0.1:{theirs.port}/"
    async with PostgresLedger(world.pool, WallClock(), wake=lambda: None).unit() as unit:
        new = NewWebhook(new_id(), "acme", url, EVENTS)
        await webhooks.insert_webhook(unit, new, webhooks_max=1)
        await webhooks.insert_notices(unit, [Notice("acme", EVENTS[0], uuid4(), "{}")])
    return new.webhook_id


async def _row(world: Outside, webhook_id: UUID) -> Delivery:
    log = PostgresDeliveryLog(world.pool)
    [row] = await log.list_deliveries(webhook_id, Behind(9), state=None)
    return row


async def test_what_was_sent_and_not_written_down_is_sent_again(
    world: Outside, theirs: Receiver
) -> None:
    webhook_id = await _told(world, theirs)
    async with world.ingest(failpoint="ingest.delivered:kill", **LOOPBACK) as process:
        await process.wait()
    assert (await _row(world, webhook_id)).state == "sending"
    # As if its lease had ended.
    await world.pool.execute("UPDATE webhook_deliveries SET due_at = now()")

    async with world.ingest(**LOOPBACK):
        await eventually(lambda: len(theirs.heard) == 2, within_s=20)
        await eventually(lambda: _is(world, webhook_id, "delivered"))

    first, second = theirs.heard
    assert first.headers["paperline-delivery"] == second.headers["paperline-delivery"]
    assert (await _row(world, webhook_id)).attempt == 2


async def test_unless_it_is_allowed_nothing_of_the_own_network_is_told(
    world: Outside, theirs: Receiver
) -> None:
    webhook_id = await _told(world, theirs)

    async with world.ingest(PAPERLINE_WEBHOOK_POLL_S="0.1"):
        await eventually(lambda: _is(world, webhook_id, "pending", attempt=1), within_s=20)

    assert theirs.connections == 0
    [attempt] = await PostgresDeliveryLog(world.pool).list_attempts(
        (await _row(world, webhook_id)).delivery_id, limit=9
    )
    assert attempt.error == "refused: the address is not public"


async def _is(world: Outside, webhook_id: UUID, state: str, attempt: int | None = None) -> bool:
    row = await _row(world, webhook_id)
    return row.state == state and attempt in (None, row.attempt)
