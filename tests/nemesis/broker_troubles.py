"""What only a broker can be made to do: to block, to throw out, to say everything twice."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from http.client import HTTPException
from secrets import token_hex
from typing import Any

from deploy.local.errors import StackError
from shared.topology.queues import EVENTS, JOBS, WORK_QUEUES
from tests.broker.servers import DISK_FREE, WATERMARK
from tests.broker.vhosts import BrokerApi
from tests.eventually import eventually
from tests.nemesis.blow import Blow
from tests.system.stack import VHOST, Stack

# What raises each alarm, and what puts it out.
MEMORY = "set_vm_memory_high_watermark"
DISK = "set_disk_free_limit"
ALARMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "memory": ((MEMORY, "0.00001"), (MEMORY, "absolute", WATERMARK)),
    "disk": ((DISK, "1000000GB"), (DISK, DISK_FREE)),
}
DOUBLED_MAX = 500
DOUBLES = "doubled-"
# What the broker's HTTP API ends with when there is no broker.
AWAY = (OSError, HTTPException)


@asynccontextmanager
async def blocking(stack: Stack, alarm: str, blow: Blow) -> AsyncIterator[None]:
    raised, put_out = ALARMS[alarm]
    try:
        await stack.control(*raised)
        await eventually(partial(_is_alarmed, stack, alarm), within_s=30, every_s=0.5)
    except StackError as error:
        blow.missed = str(error)
    yield
    with suppress(StackError):
        await stack.control(*put_out)


async def put_out_all(stack: Stack) -> None:
    for _, put_out in ALARMS.values():
        await stack.control(*put_out)


@asynccontextmanager
async def connections_closed(stack: Stack, blow: Blow) -> AsyncIterator[None]:
    closed = await _connections(stack)
    blow.missed = "" if closed else "nobody was connected"
    try:
        await stack.control("close_all_connections", "-p", VHOST, "the nemesis")
    except StackError as error:
        blow.missed = str(error)
    yield

    async def are_gone() -> bool:
        return not closed & await _connections(stack)

    if not blow.missed:
        # Where the way to it is silent, the broker waits for half a minute for a last word.
        await eventually(are_gone, within_s=90, every_s=0.5)


@asynccontextmanager
async def messages_doubled(stack: Stack, blow: Blow) -> AsyncIterator[None]:
    """Whatever is on its way meanwhile comes once more when it is over, late and in the
    order in which it went."""
    api, queue = BrokerApi(stack.broker_api_url), f"{DOUBLES}{token_hex(4)}"
    # Away, the broker doubles nothing.
    with suppress(*AWAY):
        await api.call("PUT", f"queues/{VHOST}/{queue}", {"durable": True})
        keys = [(EVENTS, "#"), *((JOBS, one.name) for one in WORK_QUEUES)]
        for exchange, key in keys:
            path = f"bindings/{VHOST}/e/{exchange}/q/{queue}"
            await api.call("POST", path, {"routing_key": key})
    yield
    blow.missed = "nothing went by"
    with suppress(*AWAY):
        wanted = {"count": DOUBLED_MAX, "ackmode": "ack_requeue_false", "encoding": "auto"}
        for one in await api.call("POST", f"queues/{VHOST}/{queue}/get", wanted):
            await api.call("POST", f"exchanges/{VHOST}/{one['exchange']}/publish", copy(one))
            blow.missed = ""
        await api.call("DELETE", f"queues/{VHOST}/{queue}")


async def _connections(stack: Stack) -> set[str]:
    """None where it cannot be asked."""
    with suppress(*AWAY):
        api = BrokerApi(stack.broker_api_url)
        found = await api.call("GET", f"vhosts/{VHOST}/connections?columns=name")
        return {one["name"] for one in found}
    return set()


async def _is_alarmed(stack: Stack, alarm: str) -> bool:
    return alarm in await stack.control("eval", "rabbit_alarm:get_alarms().")


def copy(message: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: message[name]
        for name in ("properties", "routing_key", "payload", "payload_encoding")
    }
