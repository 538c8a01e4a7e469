"""An operation followed as it moves: each move once, until all has ended."""

import json

import httpx

from services.monitor.handlers.operating import step_operation
from tests.fakes.keys import key_of
from tests.unit.monitor.world import QUEUE, World

OLGA = key_of("olga", "operator")


async def followed(client: httpx.AsyncClient) -> str:
    """Where an operation that is asked for can be followed."""
    wish = {"selector": {"queue": QUEUE}, "reason": "Fixed."}
    once = {"Idempotency-Key": "k1"}
    answer = await client.post("/ops/v1/operations", headers=OLGA | once, json=wish)
    return str(answer.json()["links"]["events"])


async def test_the_stream_tells_each_move_until_all_has_ended(
    world: World, client: httpx.AsyncClient
) -> None:
    path = await followed(client)
    for _ in range(2):
        await step_operation(world.ports)

    told = await client.get(path, headers=OLGA)

    data = [line for line in told.text.splitlines() if line.startswith("data: ")]
    assert json.loads(data[-1].removeprefix("data: "))["state"] == "completed"
    assert told.headers["content-type"].startswith("text/event-stream")


async def test_a_stream_goes_on_behind_what_was_seen(
    world: World, client: httpx.AsyncClient
) -> None:
    path = await followed(client)
    for _ in range(2):
        await step_operation(world.ports)
    [last] = [
        line.removeprefix("id: ")
        for line in (await client.get(path, headers=OLGA)).text.splitlines()
        if line.startswith("id: ")
    ]

    behind = {
        seen: await client.get(path, headers=OLGA | {"Last-Event-ID": seen})
        for seen in (last, "1", "9999", "none", "-1")
    }

    # A browser that is told nothing asks again for ever; at this it stops.
    assert behind.pop(last).status_code == 204
    assert {answer.text.count("id: ") for answer in behind.values()} == {1}
