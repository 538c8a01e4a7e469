"""A copy of every message on its way, orders and facts, for tests of what travels."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any
from uuid import UUID

from shared.topology.queues import EVENTS, JOBS, WORK_QUEUES
from tests.broker.vhosts import BrokerApi
from tests.system.stack import VHOST, Stack

MESSAGES_MAX = 1000
Message = dict[str, Any]


@dataclass(slots=True)
class Tap:
    api: BrokerApi
    queue: str
    _taken: list[Message]

    async def messages_about(self, document_id: UUID) -> list[Message]:
        """The envelopes that have passed so far."""
        await self._take()
        return [
            one for one in self._taken if one["body"].get("document_id") == str(document_id)
        ]

    async def messages(self) -> list[Message]:
        """All of them, however many they are."""
        while await self._take():
            continue
        return self._taken

    async def _take(self) -> int:
        wanted = {"count": MESSAGES_MAX, "ackmode": "ack_requeue_false", "encoding": "auto"}
        found = await self.api.call("POST", f"queues/{VHOST}/{self.queue}/get", wanted)
        self._taken += [json.loads(one["payload"]) for one in found]
        return len(found)


@asynccontextmanager
async def tapped(stack: Stack) -> AsyncIterator[Tap]:
    api, queue = BrokerApi(stack.broker_api_url), f"tap-{token_hex(4)}"
    await api.call("PUT", f"queues/{VHOST}/{queue}", {"durable": True, "auto_delete": False})
    keys = [(EVENTS, "#"), *((JOBS, one.name) for one in WORK_QUEUES)]
    for exchange, key in keys:
        binding = f"bindings/{VHOST}/e/{exchange}/q/{queue}"
        await api.call("POST", binding, {"routing_key": key})
    try:
        yield Tap(api, queue, [])
    finally:
        await api.call("DELETE", f"queues/{VHOST}/{queue}")


async def publish_letter(stack: Stack, queue: str, body: str, headers: dict[str, str]) -> None:
    """Put a message into the queue's dead letters, as a consumer that gave it up would."""
    message = {
        "properties": {"headers": headers, "content_type": "application/json"},
        "routing_key": queue,
        "payload": body,
        "payload_encoding": "string",
    }
    api = BrokerApi(stack.broker_api_url)
    told = await api.call("POST", f"exchanges/{VHOST}/dead/publish", message)
    assert told == {"routed": True}
