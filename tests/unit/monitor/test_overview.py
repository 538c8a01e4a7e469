"""The first screen: the same questions every time, and what is wrong."""

from typing import Any

import httpx

from services.monitor.domain.overview import QueueState
from services.monitor.handlers.conserving import check_conservation
from services.monitor.handlers.promising import check_levels
from shared.errors import Retryable
from shared.topology.queues import WORK_QUEUES
from tests.fakes.keys import key_of
from tests.unit.monitor.world import QUEUE, World, dead_letter

VERA = key_of("vera", "viewer")


async def looked(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.get("/ops/v1/overview", headers=VERA)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def unwell(shown: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["detail"] for one in shown["checks"] if not one["is_well"]}


async def at_work(world: World) -> None:
    world.broker.queues = [QueueState(queue.name, 0, None, 1) for queue in WORK_QUEUES]
    await check_levels(world.ports)
    await check_conservation(world.ports)


async def test_when_all_is_well_every_question_says_so(
    world: World, client: httpx.AsyncClient
) -> None:
    await at_work(world)

    shown = await looked(client)

    assert (shown["is_well"], unwell(shown)) == (True, {})
    assert len(shown["checks"]) == 9


async def test_what_is_wrong_is_named(world: World, client: httpx.AsyncClient) -> None:
    await at_work(world)
    world.broker.queues = [
        QueueState(queue.name, 4, None, 0 if queue.name == QUEUE else 1)
        for queue in WORK_QUEUES
    ]
    await world.kept(dead_letter())

    shown = await looked(client)

    assert unwell(shown) == {"queues": f"{QUEUE} is stalled", "dead_letters": "1 open"}
    assert [group["letters"] for group in shown["groups"]] == [1]


async def test_what_nobody_has_checked_yet_is_not_well(
    world: World, client: httpx.AsyncClient
) -> None:
    world.broker.error = Retryable("timed out", dependency="broker")

    shown = await looked(client)

    assert unwell(shown) == {
        "broker": "no answer",
        "service_levels": "not checked yet",
        "conservation": "not checked yet",
    }
