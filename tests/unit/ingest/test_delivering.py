"""Deliveries on their way: signed, tried again, and no more at once than there is room for."""

import asyncio
from dataclasses import replace
from typing import Any

from services.ingest.domain.webhooks import (
    Answer,
    signature,
)
from services.ingest.handlers.deliver import keep_delivering
from tests import builders
from tests.eventually import eventually
from tests.fakes.webhooks import FakeCourier
from tests.unit.ingest.webhook_world import SECRETS, URL, ToldWorld
from tests.unit.ingest.world import World


async def test_each_attempt_sends_the_same_bytes_under_the_same_id_with_its_own_time() -> None:
    world = ToldWorld(Answer(0.1, 500), Answer(0.1, 204))
    webhook_id = await world.endpoint()
    await world.record(builders.stored(document_id=await world.accepted()))
    row = world.only()

    await world.deliver_due()
    assert (world.only().state, world.only().attempt) == ("pending", 1)
    world.clock.advance(9)
    await world.deliver_due()
    world.clock.advance(1)
    await world.deliver_due()

    assert world.only().state == "delivered"
    [first, second] = world.courier.carried
    assert first[0] == second[0] == URL
    assert first[2] == second[2] == row.body.encode()
    secret = SECRETS.secret(webhook_id, 1)
    assert second[1] == {
        "Content-Type": "application/json",
        "User-Agent": "Paperline-Webhooks/1",
        "Paperline-Event": "document.ended",
        "Paperline-Delivery": str(row.delivery_id),
        "Paperline-Signature": signature([secret], world.clock.now(), row.body),
    }
    assert first[1]["Paperline-Signature"] != second[1]["Paperline-Signature"]


async def test_after_the_last_attempt_a_delivery_is_given_up_and_kept() -> None:
    world = ToldWorld(Answer(0.1, error="no answer"))
    await world.endpoint()
    await world.record(builders.stored(document_id=await world.accepted()))

    for _ in range(5):
        await world.deliver_due()
        world.clock.advance(3600)

    row = world.only()
    assert (row.state, row.due_at, len(world.courier.carried)) == ("failed", None, 3)
    log = await world.webhooks.list_attempts(row.delivery_id, limit=10)
    assert [one.attempt for one in log] == [3, 2, 1]


async def test_who_is_gone_is_told_nothing_more() -> None:
    world = ToldWorld(Answer(0.1, 410))
    webhook_id = await world.endpoint()
    await world.record(builders.stored(document_id=await world.accepted()))

    await world.deliver_due()
    await world.record(builders.stored(document_id=await world.accepted()))

    row = world.webhooks.rows[webhook_id]
    assert (row.enabled, row.disabled_reason) == (False, "gone")
    assert world.only().state == "failed"


class Slow(FakeCourier):
    """Keeps what it carries until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    async def carry(self, url: str, headers: Any, body: bytes) -> Answer:  # noqa: ANN401
        answer = await super().carry(url, headers, body)
        await self.go_on.wait()
        return answer


async def test_no_more_is_under_way_than_there_are_places_and_the_rest_follows() -> None:
    world, slow = ToldWorld(), Slow()
    await world.endpoint()
    for _ in range(7):
        await world.record(builders.stored(document_id=await world.accepted()))
    sending = replace(world.sending, courier=slow)
    stopping = asyncio.Event()

    async with asyncio.TaskGroup() as group:
        group.create_task(keep_delivering(sending, stopping))
        await eventually(lambda: len(slow.carried) == 4)
        slow.go_on.set()
        await eventually(lambda: len(slow.carried) == 7)
        await eventually(lambda: _states(world) == {"delivered"})
        stopping.set()


async def test_what_is_under_way_at_the_end_is_sent_to_its_end() -> None:
    world, slow = ToldWorld(), Slow()
    await world.endpoint()
    await world.record(builders.stored(document_id=await world.accepted()))
    stopping = asyncio.Event()

    async with asyncio.TaskGroup() as group:
        group.create_task(keep_delivering(replace(world.sending, courier=slow), stopping))
        await eventually(lambda: slow.carried)
        stopping.set()
        slow.go_on.set()

    assert _states(world) == {"delivered"}


async def test_what_could_not_be_written_down_stays_lent_and_is_sent_again_later() -> None:
    world = ToldWorld()
    await world.endpoint()
    await world.record(builders.stored(document_id=await world.accepted()))
    world.webhooks.away = True

    await world.deliver_due()

    assert len(world.courier.carried) == 1
    assert world.only().state == "sending"


def _states(world: World) -> set[str]:
    return {row.state for row in world.webhooks.deliveries.values()}
