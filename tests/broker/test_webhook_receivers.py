"""Receivers that are told over real sockets, out of a real PostgreSQL."""

import asyncio
import hashlib
import hmac
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from services.ingest.adapters.courier import HttpCourier
from services.ingest.domain.addresses import Policy
from services.ingest.handlers.deliver import deliver, keep_delivering
from services.ingest.ports.webhooks import Sending
from tests import builders
from tests.broker.ingest_world import World, ingest_world
from tests.broker.webhook_world import (
    SECRETS,
    STORED,
    Hooks,
    emptied,
    sender,
)
from tests.eventually import eventually
from tests.fakes.receiver import Receiver, receiver, silence, status


@pytest.fixture(scope="module")
async def schema(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


@pytest.fixture
async def world(schema: World) -> Hooks:
    return await emptied(schema)


@pytest.fixture
async def theirs() -> AsyncIterator[Receiver]:
    async with receiver() as one:
        yield one


async def test_a_receiver_is_told_and_told_again_after_it_broke(
    world: Hooks, theirs: Receiver
) -> None:
    theirs.answers = [status(500, "not today"), status(204)]
    webhook = await world.endpoint(f"http://127.0.0.1:{theirs.port}/hook")
    await world.world.record(STORED.about(await world.world.accepted()))

    async with sender(world) as ours:
        await ours.deliver_due()
        await world.sooner(10)
        await ours.deliver_due()

    [row] = await world.log(webhook)
    assert row.state == "delivered"
    attempts = await world.use.delivery_log.list_attempts(row.delivery_id, limit=10)
    assert [(one.attempt, one.status_code, one.response) for one in attempts] == [
        (2, 204, ""),
        (1, 500, "not today"),
    ]
    secret = SECRETS.secret(webhook.webhook_id, 1)
    for heard in theirs.heard:
        assert heard.body.decode() == row.body
        assert heard.headers["paperline-delivery"] == str(row.delivery_id)
        moment, seals = _signature(heard.headers["paperline-signature"])
        assert seals == [_seal(secret, moment, heard.body)]


async def test_a_rotated_secret_and_the_one_before_sign_until_the_overlap_ends(
    world: Hooks, theirs: Receiver
) -> None:
    webhook = await world.endpoint(f"http://127.0.0.1:{theirs.port}/")
    async with world.use.ledger.unit() as unit:
        await world.use.webhooks.rotate_secret(
            unit, webhook.webhook_id, owner_id=builders.OWNER, revision=1, overlap_s=3600
        )

    async with sender(world) as ours:
        await world.notify(1)
        await ours.deliver_due()
        await world.pool.execute("UPDATE webhooks SET overlap_until = now()")
        await world.notify(1)
        await ours.deliver_due()

    new, old = (SECRETS.secret(webhook.webhook_id, version) for version in (2, 1))
    [first, second] = theirs.heard
    moment, seals = _signature(first.headers["paperline-signature"])
    assert seals == [_seal(new, moment, first.body), _seal(old, moment, first.body)]
    assert len(_signature(second.headers["paperline-signature"])[1]) == 1


async def test_a_silent_endpoint_does_not_keep_others_from_being_told(
    world: Hooks, theirs: Receiver
) -> None:
    async with receiver() as tarpit, sender(world, timeout_s=1) as ours:
        tarpit.answers = [silence]
        await world.endpoint(f"http://127.0.0.1:{tarpit.port}/", owner="slow")
        quick = await world.endpoint(f"http://127.0.0.1:{theirs.port}/")
        await world.notify(20, owner="slow")
        await world.notify(20)
        stopping = asyncio.Event()

        async with asyncio.TaskGroup() as group:
            group.create_task(keep_delivering(ours.sending, stopping))
            await eventually(lambda: len(theirs.heard) == 20)
            # Two at a time, whatever else there is room for.
            assert tarpit.connections <= 4
            stopping.set()

        states = {row.state for row in await world.log(quick)}
        assert states == {"delivered"}


async def test_two_senders_tell_everything_once(world: Hooks, theirs: Receiver) -> None:
    await world.endpoint(f"http://127.0.0.1:{theirs.port}/")
    await world.notify(60)
    stopping = asyncio.Event()

    async with sender(world) as one, sender(world) as two, asyncio.TaskGroup() as group:
        for ours in (one, two):
            group.create_task(keep_delivering(ours.sending, stopping))
        await eventually(lambda: len(theirs.heard) >= 60)
        await eventually(lambda: _all_settled(world))
        stopping.set()

    told = Counter(heard.headers["paperline-delivery"] for heard in theirs.heard)
    assert len(told) == 60
    assert set(told.values()) == {1}


async def test_a_private_address_is_refused_and_the_log_says_so(
    world: Hooks, theirs: Receiver
) -> None:
    webhook = await world.endpoint(f"http://127.0.0.1:{theirs.port}/")
    await world.notify(1)
    courier = HttpCourier(Policy(plain_http=True), timeout_s=2)
    sending = Sending(world.deliveries, courier, SECRETS, world.use.clock, 8, 3, 0.05)

    for one in await world.deliveries.claim_deliveries(limit=10):
        await deliver(one, sending)
    await courier.close()

    [row] = await world.log(webhook)
    [attempt] = await world.use.delivery_log.list_attempts(row.delivery_id, limit=10)
    assert attempt.error == "refused: the address is not public"
    assert theirs.connections == 0


async def _all_settled(world: Hooks) -> bool:
    return not await world.pool.fetchval(
        "SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'"
    )


def _signature(header: str) -> tuple[str, list[str]]:
    parts = [part.partition("=")[::2] for part in header.split(",")]
    [moment] = [value for name, value in parts if name == "t"]
    return moment, [value for name, value in parts if name == "v1"]


def _seal(secret: str, moment: str, body: bytes) -> str:
    return hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()
