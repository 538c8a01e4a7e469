"""Webhooks in a real PostgreSQL: who is told of what, and what is kept of it for how long."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from services.ingest.domain.webhooks import (
    EVENTS,
    NewWebhook,
    Notice,
    Webhook,
    Wishes,
)
from services.ingest.handlers import cancel_document
from services.ingest.ports.webhooks import Behind
from shared.contracts.identity import new_id
from tests import builders
from tests.broker.ingest_world import World, ingest_world
from tests.broker.webhook_world import (
    ANSWER,
    DECIDED,
    FINALISED,
    OK,
    STORED,
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


async def test_each_fact_is_one_delivery_for_each_endpoint_that_wants_it(world: Hooks) -> None:
    both, one = await world.endpoint(), await world.endpoint("https://a.b/", "review.decided")
    await world.endpoint(owner="globex")
    document_id = await world.world.accepted()
    jobs = [told.about(document_id) for told in (STORED, DECIDED, FINALISED)]

    await world.world.record(*jobs)
    await world.world.record(*jobs, *jobs)
    await asyncio.gather(*(world.world.record(job) for job in jobs))

    assert Counter(row.event for row in await world.log(both)) == {
        "document.ended": 1,
        "review.decided": 1,
        "document.finalised": 1,
    }
    assert [row.event for row in await world.log(one)] == ["review.decided"]
    assert await world.count("webhook_deliveries") == 4


async def test_what_is_rolled_back_was_never_told(world: Hooks) -> None:
    webhook = await world.endpoint()
    with pytest.raises(RuntimeError):
        async with world.use.ledger.unit() as unit:
            notice = Notice(builders.OWNER, "document.ended", uuid4(), "{}")
            await world.use.webhooks.insert_notices(unit, [notice])
            raise RuntimeError

    assert await world.log(webhook) == []


async def test_a_cancelled_document_has_ended_for_its_owner_too(world: Hooks) -> None:
    webhook = await world.endpoint()
    document_id = await world.world.accepted()

    await cancel_document(document_id, actor="anna", owner_id=None, use=world.use)
    await world.world.record(STORED.about(document_id), DECIDED.about(document_id))

    [row] = await world.log(webhook)
    assert '"status":"cancelled"' in row.body


async def test_who_turned_it_off_or_deleted_it_is_told_nothing(world: Hooks) -> None:
    off, deleted = await world.endpoint(), await world.endpoint()
    async with world.use.ledger.unit() as unit:
        wishes = Wishes(enabled=False)
        await world.use.webhooks.change_webhook(
            unit, off.webhook_id, wishes, owner_id=None, revision=1
        )
        await world.use.webhooks.delete_webhook(unit, deleted.webhook_id, owner_id=None)

    await world.notify(3)

    assert await world.count("webhook_deliveries") == 0


async def test_simultaneous_requests_make_no_more_webhooks_than_are_allowed(
    world: Hooks,
) -> None:
    async def make() -> Webhook | None:
        new = NewWebhook(new_id(), "acme", "https://erp.example.com/", EVENTS)
        async with world.use.ledger.unit() as unit:
            return await world.use.webhooks.insert_webhook(unit, new, webhooks_max=3)

    made = await asyncio.gather(*(make() for _ in range(8)))

    assert sum(one is not None for one in made) == 3
    listed = await world.use.webhooks.list_webhooks("acme", Behind(10))
    assert len(listed) == 3
    assert [one.created_at for one in listed] == sorted(one.created_at for one in listed)
    last = listed[1]
    behind = Behind(10, last.created_at, last.webhook_id)
    assert await world.use.webhooks.list_webhooks("acme", behind) == listed[2:]


async def test_only_the_owner_finds_changes_and_deletes(world: Hooks) -> None:
    webhook = await world.endpoint()
    ports, webhook_id = world.use.webhooks, webhook.webhook_id

    async with world.use.ledger.unit() as unit:
        wishes = Wishes(url="https://evil.example/")
        assert not await ports.change_webhook(
            unit, webhook_id, wishes, owner_id="globex", revision=1
        )
        assert not await ports.rotate_secret(
            unit, webhook_id, owner_id="globex", revision=1, overlap_s=1
        )
        assert not await ports.delete_webhook(unit, webhook_id, owner_id="globex")
    assert await ports.find_webhook(webhook_id, owner_id="globex") is None
    assert await world.now_is(webhook) == webhook


async def test_old_lines_and_those_of_deleted_endpoints_are_forgotten(world: Hooks) -> None:
    kept, deleted = await world.endpoint(), await world.endpoint()
    await world.notify(3)
    [claimed, *_] = await world.deliveries.claim_deliveries(limit=1)
    await world.deliveries.settle(claimed, ANSWER, OK)
    await world.pool.execute(
        "UPDATE webhook_deliveries SET created_at = now() - interval '31 days'"
        " WHERE delivery_id = (SELECT delivery_id FROM webhook_deliveries"
        "                      WHERE webhook_id = $1 LIMIT 1)",
        kept.webhook_id,
    )
    async with world.use.ledger.unit() as unit:
        await world.use.webhooks.delete_webhook(unit, deleted.webhook_id, owner_id=None)

    assert await world.deliveries.purge_deliveries(30 * 86_400) == 4

    assert len(await world.log(kept)) == 2
    assert await world.count("webhooks") == 2
    await world.pool.execute("UPDATE webhooks SET deleted_at = deleted_at - interval '2 days'")
    await world.deliveries.purge_deliveries(30 * 86_400)
    assert await world.count("webhooks") == 1
    url = await world.pool.fetchval("SELECT url FROM webhooks")
    assert url == kept.url


async def test_a_page_of_the_log_neither_repeats_nor_skips_while_it_grows(
    world: Hooks,
) -> None:
    webhook = await world.endpoint()
    for _ in range(5):
        await world.notify(2)
    before = {row.delivery_id for row in await world.log(webhook)}
    seen: list[UUID] = []
    page = Behind(3)

    while found := await world.use.delivery_log.list_deliveries(
        webhook.webhook_id, page, state="pending"
    ):
        seen += [row.delivery_id for row in found]
        await world.notify(1)
        page = Behind(3, found[-1].created_at, found[-1].delivery_id)

    assert set(seen) == before
    assert len(seen) == len(before)
