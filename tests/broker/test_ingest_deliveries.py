"""Deliveries in a real PostgreSQL: in one hand at a time, in turn, and due again in time."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from services.ingest.adapters.deliveries import PostgresDeliveries
from services.ingest.domain.webhooks import (
    FAILURES_MIN,
    Answer,
    Claimed,
    Settlement,
    Webhook,
    Wishes,
)
from tests.broker.ingest_world import World, ingest_world
from tests.broker.webhook_world import (
    ANSWER,
    OK,
    RETRIED,
    Hooks,
    emptied,
)


@pytest.fixture(scope="module")
async def schema(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


@pytest.fixture
async def world(schema: World) -> Hooks:
    return await emptied(schema)


async def test_two_senders_never_hold_the_same_delivery(world: Hooks) -> None:
    for _ in range(5):
        await world.endpoint()
    await world.notify(40)
    senders = [world.sender(at_once=50), world.sender(at_once=50)]
    held: list[Claimed] = []

    async def drain(sender: PostgresDeliveries) -> None:
        idle = 0
        while idle < 5:
            claimed = await sender.claim_deliveries(limit=7)
            held.extend(claimed)
            idle = 0 if claimed else idle + 1
            await asyncio.sleep(0)

    await asyncio.gather(*(drain(sender) for sender in senders for _ in range(3)))

    ids = [one.delivery_id for one in held]
    assert len(ids) == len(set(ids)) == 200
    assert await senders[0].claim_deliveries(limit=10) == []


async def test_no_endpoint_gets_more_at_once_than_it_may_however_many_ask(world: Hooks) -> None:
    await world.endpoint()
    await world.notify(30)
    senders = [world.sender(at_once=3) for _ in range(8)]

    found = await asyncio.gather(*(one.claim_deliveries(limit=10) for one in senders))
    claimed = [one for group in found for one in group]

    assert len(claimed) == 3
    await senders[0].settle(claimed[0], ANSWER, OK)
    assert len(await senders[1].claim_deliveries(limit=10)) == 1


async def test_a_busy_endpoint_does_not_hold_up_the_others(world: Hooks) -> None:
    busy, quiet = await world.endpoint(), await world.endpoint(owner="quiet")
    await world.notify(500)
    sender = world.sender(at_once=4)
    assert len(await sender.claim_deliveries(limit=32)) == 4
    await world.notify(2, owner="quiet")

    claimed = await sender.claim_deliveries(limit=32)

    assert {one.webhook_id for one in claimed} == {quiet.webhook_id}
    assert len(claimed) == 2
    assert busy.webhook_id != quiet.webhook_id


async def test_endpoints_take_turns_when_there_is_little_room(world: Hooks) -> None:
    webhooks = [await world.endpoint() for _ in range(4)]
    await world.notify(10)
    sender = world.sender(at_once=10)

    served = [
        one.webhook_id for _ in range(8) for one in await sender.claim_deliveries(limit=1)
    ]

    assert set(served[:4]) == set(served[4:]) == {one.webhook_id for one in webhooks}


async def test_one_that_fails_gets_a_single_delivery_at_a_time(world: Hooks) -> None:
    webhook = await world.endpoint()
    await world.notify(10)
    sender = world.sender(at_once=4)
    for one in await sender.claim_deliveries(limit=10):
        await sender.settle(one, Answer(0.1, 500), RETRIED)

    [probe] = await sender.claim_deliveries(limit=10)
    assert (await world.now_is(webhook)).failures == 4
    await sender.settle(probe, ANSWER, OK)

    assert (await world.now_is(webhook)).failing_since is None
    assert len(await sender.claim_deliveries(limit=10)) == 4


async def test_a_delivery_is_due_again_when_its_wait_is_over_and_no_sooner(
    world: Hooks,
) -> None:
    webhook = await world.endpoint()
    await world.notify(1)
    [first] = await world.deliveries.claim_deliveries(limit=10)
    await world.deliveries.settle(first, Answer(0.1, 503), RETRIED)

    [row] = await world.log(webhook)
    assert row.due_at is not None
    wait_s = (row.due_at - world.use.clock.now()).total_seconds()
    assert (row.state, row.attempt) == ("pending", 1)
    assert 50 < wait_s <= 60
    assert await world.deliveries.claim_deliveries(limit=10) == []
    await world.sooner(60)
    [second] = await world.deliveries.claim_deliveries(limit=10)
    assert (second.delivery_id, second.attempt, second.body) == (
        first.delivery_id,
        2,
        first.body,
    )


async def test_what_a_dead_sender_held_is_sent_by_another_and_it_changes_nothing_any_more(
    world: Hooks,
) -> None:
    webhook = await world.endpoint()
    await world.notify(1)
    [dead] = await world.deliveries.claim_deliveries(limit=10)
    assert await world.deliveries.claim_deliveries(limit=10) == []
    await world.sooner(61)

    [alive] = await world.deliveries.claim_deliveries(limit=10)

    assert (alive.delivery_id, alive.attempt) == (dead.delivery_id, 2)
    assert not await world.deliveries.settle(dead, Answer(0.1, 410), Settlement("gone"))
    assert (await world.now_is(webhook)).enabled
    assert await world.deliveries.settle(alive, ANSWER, OK)
    assert not await world.deliveries.settle(alive, ANSWER, OK)
    log = await world.use.delivery_log.list_attempts(alive.delivery_id, limit=10)
    assert [(one.attempt, one.status_code) for one in log] == [(2, 200)]


async def test_an_endpoint_that_does_nothing_but_fail_is_turned_off_and_on_again(
    world: Hooks,
) -> None:
    webhook = await world.endpoint()
    await world.notify(1)
    sender = world.sender(failing_s=3600)

    async def fail() -> Webhook:
        await world.sooner(3600)
        [claimed] = await sender.claim_deliveries(limit=10)
        await sender.settle(claimed, Answer(0.1, 500), RETRIED)
        return await world.now_is(webhook)

    for _ in range(FAILURES_MIN + 5):
        assert (await fail()).enabled
    await world.pool.execute(
        "UPDATE webhooks SET failing_since = failing_since - interval '2 h'"
    )
    disabled = await fail()
    assert (disabled.enabled, disabled.disabled_reason) == (False, "failing")
    assert disabled.revision == 2
    await world.sooner(3600)
    assert await sender.claim_deliveries(limit=10) == []
    async with world.use.ledger.unit() as unit:
        healed = await world.use.webhooks.change_webhook(
            unit, webhook.webhook_id, Wishes(enabled=True), owner_id=None, revision=2
        )

    assert healed is not None
    assert (healed.enabled, healed.failures, healed.disabled_reason) == (True, 0, None)
    assert len(await sender.claim_deliveries(limit=10)) == 1


async def test_who_is_gone_is_turned_off_at_once(world: Hooks) -> None:
    webhook = await world.endpoint()
    await world.notify(2)
    [one, _] = await world.deliveries.claim_deliveries(limit=2)

    await world.deliveries.settle(one, Answer(0.1, 410), Settlement("gone"))

    disabled = await world.now_is(webhook)
    assert (disabled.enabled, disabled.disabled_reason) == (False, "gone")


async def test_a_replay_is_the_same_delivery_in_its_next_run(world: Hooks) -> None:
    webhook = await world.endpoint()
    await world.notify(1)
    [first] = await world.deliveries.claim_deliveries(limit=1)
    log, key = world.use.delivery_log, (webhook.webhook_id, first.delivery_id)
    assert await log.replay_delivery(*key) is None
    await world.deliveries.settle(first, ANSWER, OK)

    asked = await asyncio.gather(*(log.replay_delivery(*key) for _ in range(5)))

    assert sum(one is not None for one in asked) == 1
    [again] = await world.deliveries.claim_deliveries(limit=1)
    assert (again.delivery_id, again.run, again.attempt) == (first.delivery_id, 1, 1)
    await world.deliveries.settle(again, ANSWER, OK)
    attempts = await log.list_attempts(first.delivery_id, limit=10)
    assert [(one.run, one.attempt) for one in attempts] == [(1, 1), (0, 1)]
    assert await log.replay_delivery(uuid4(), first.delivery_id) is None


async def test_the_age_of_what_is_due_says_whether_anybody_sends(world: Hooks) -> None:
    webhook = await world.endpoint()
    assert await world.deliveries.oldest_due() == 0
    await world.notify(5)
    await world.sooner(120)
    assert 119 < await world.deliveries.oldest_due() < 300

    # A busy endpoint waits for itself.
    assert len(await world.deliveries.claim_deliveries(limit=10)) == 4
    assert await world.deliveries.oldest_due() == 0
    assert webhook.enabled
