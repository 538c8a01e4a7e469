"""What the broker holds, queue by queue.

Asked over AMQP it tells what waits, and not what is in hand; its management API, where there
is one, tells both, as of some seconds ago.
"""

import base64
import json
from asyncio import to_thread
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen

import aio_pika
from aio_pika.exceptions import AMQPError, ChannelNotFoundEntity

from deploy.verify.promises import CannotJudge
from shared.dialling import dial
from shared.topology.plan import Binding, plan

TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Depth:
    # In hand as well, where `Depths.tells_all`.
    messages: int
    consumers: int


@dataclass(frozen=True, slots=True)
class Depths:
    queues: Mapping[str, Depth]
    missing: tuple[str, ...]
    tells_all: bool
    # None where nobody could tell.
    lacking_bindings: tuple[str, ...] | None = None

    @property
    def messages(self) -> int:
        return sum(one.messages for one in self.queues.values())


@dataclass(frozen=True, slots=True)
class Broker:
    amqp_url: str
    api_url: str | None = None

    async def depths(self) -> Depths:
        names = [queue.name for queue in plan().queues]
        try:
            async with await dial(self.amqp_url, timeout_s=TIMEOUT_S) as connection:
                found = {name: await _asked(connection, name) for name in names}
        except (AMQPError, OSError, TimeoutError) as error:
            raise CannotJudge(f"the broker does not answer: {error!r}") from error
        there = {name: depth for name, depth in found.items() if depth is not None}
        missing = tuple(name for name in names if name not in there)
        if self.api_url is None:
            return Depths(there, missing, tells_all=False)
        in_hand = await to_thread(_in_hand, self.api_url, self._vhost)
        lacking = await to_thread(_lacking, self.api_url, self._vhost)
        both = {
            # What waits is told at once by AMQP; what is in hand, only by the API and late.
            name: Depth(depth.messages + in_hand.get(name, 0), depth.consumers)
            for name, depth in there.items()
        }
        return Depths(both, missing, tells_all=True, lacking_bindings=lacking)

    @property
    def _vhost(self) -> str:
        return unquote(urlsplit(self.amqp_url).path.removeprefix("/")) or "/"


async def _asked(connection: aio_pika.abc.AbstractConnection, name: str) -> Depth | None:
    # What is not there costs the channel.
    channel = await connection.channel(publisher_confirms=False)
    try:
        queue = await channel.declare_queue(name, passive=True, timeout=TIMEOUT_S)
    except ChannelNotFoundEntity:
        return None
    told = queue.declaration_result
    await channel.close()
    return Depth(told.message_count or 0, told.consumer_count or 0)


def _in_hand(api_url: str, vhost: str) -> dict[str, int]:
    columns = "columns=name,messages_unacknowledged"
    found = _get(api_url, f"/api/queues/{quote(vhost, safe='')}?{columns}")
    return {one["name"]: one.get("messages_unacknowledged", 0) for one in found}


def _lacking(api_url: str, vhost: str) -> tuple[str, ...]:
    found = _get(api_url, f"/api/bindings/{quote(vhost, safe='')}")
    live = {(one["source"], one["destination"], one["routing_key"]) for one in found}
    return tuple(
        f"{one.source} -> {one.destination} [{one.routing_key}]"
        for one in plan().bindings
        if _identity(one) not in live
    )


def _identity(binding: Binding) -> tuple[str, str, str]:
    return binding.source, binding.destination, binding.routing_key


def _get(api_url: str, path: str) -> list[dict[str, Any]]:
    parts = urlsplit(api_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CannotJudge("the management API's address is http://user:password@host:port")
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    port = f":{parts.port}" if parts.port else ""
    request = Request(  # noqa: S310 -- the scheme was checked above
        f"{parts.scheme}://{parts.hostname}{port}{path}",
        headers={"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"},
    )
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
            found: list[dict[str, Any]] = json.load(answer)
    except (OSError, ValueError) as error:
        raise CannotJudge(f"the management API does not answer: {error}") from error
    return found
