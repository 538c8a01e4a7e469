"""What each trouble does to a running stack, and how it is over.

Whatever was struck is whole again when its trouble has ended, except for what only an operator
brings back: at the end of all the stack is told `up`, as after an accident.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from secrets import token_hex
from typing import Any

import asyncpg

from deploy.local import postgres, processes, rabbitmq
from deploy.local.errors import StackError
from deploy.local.ports import remembered
from shared.topology.queues import EVENTS, JOBS, WORK_QUEUES
from tests.broker.servers import WATERMARK
from tests.broker.vhosts import BrokerApi
from tests.faketime import start_skewed
from tests.fault_proxy import Cut, Fault, FaultProxy, Flip, Forward, Silence
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.pace import a_while
from tests.nemesis.plan import Trouble
from tests.system.stack import SERVICES, VHOST, Stack

BLOCKED, OPEN = ("0.00001",), ("absolute", WATERMARK)
WATERMARK_IS = "set_vm_memory_high_watermark"
DOUBLED_MAX = 500
DOUBLES = "doubled-"
# What the broker's HTTP API ends with when there is no broker.
AWAY = (OSError, HTTPException)
END_SESSIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
NODES = (rabbitmq.COMPONENT, postgres.COMPONENT)
# And for how long it thinks before that.
MODES: Mapping[str, tuple[str, float]] = {
    "provider_fails": ("error_503", 0),
    "provider_is_spent": ("rate_bare", 0),
    "provider_hangs": ("hang", 0),
    "provider_babbles": ("garbage", 0),
    "provider_resets": ("reset", 0),
    "provider_is_slow": ("ok", 4.0),
    "provider_drips": ("drip", 0),
}
NETWORK: Mapping[str, Fault] = {
    "network_slow": Forward(latency_s=0.15),
    "network_silent": Silence(),
    # What is asked arrives, and no answer comes back.
    "network_one_way": Silence("client"),
    "network_resets": Cut("server", after_bytes=0),
    "bytes_flipped": Flip("client"),
}
SKEWS = {"clock_ahead": "+2h", "clock_behind": "-2h"}


@dataclass(frozen=True, slots=True)
class Struck:
    stack: Stack
    # None: no provider is asked.
    provider: GeminiDouble | None = None
    # What lies between the services and what they speak to, by its name.
    ways: Mapping[str, FaultProxy] = field(default_factory=dict)
    # None: no clock can be moved here.
    faketime: Path | None = None

    def lacks(self, trouble: Trouble) -> str:
        """What there is not on this machine, so that the trouble would be none."""
        if trouble.kind in NETWORK and trouble.target not in self.ways:
            return f"nobody stands between the services and {trouble.target}"
        if trouble.kind in SKEWS and self.faketime is None:
            return "there is no libfaketime"
        return ""

    async def by(self, trouble: Trouble) -> None:
        """Until it is over."""
        async with self._during(trouble):
            await a_while(trouble.lasts_s)

    async def heal(self) -> None:
        """Everything runs and is as it should be; what is owed may take its time."""
        if self.provider is not None:
            self.provider.will("ok")
        for way in self.ways.values():
            way.do(Forward())
        for component in (*SERVICES, *NODES):
            _tell(self._family(component), signal.SIGCONT)
        await self.stack.up()
        await self._control(WATERMARK_IS, *OPEN)
        api = BrokerApi(self.stack.broker_api_url)
        for queue in await api.call("GET", f"queues/{VHOST}"):
            if queue["name"].startswith(DOUBLES):
                await api.call("DELETE", f"queues/{VHOST}/{queue['name']}")

    def _during(self, trouble: Trouble) -> AbstractAsyncContextManager[None]:
        if trouble.kind in MODES:
            return self._provider_in_mode(*MODES[trouble.kind])
        if trouble.kind in NETWORK:
            return self._on_the_way(self.ways[trouble.target], NETWORK[trouble.kind])
        if trouble.kind in SKEWS:
            return self._with_another_clock(trouble.target, SKEWS[trouble.kind])
        kinds: Mapping[str, Callable[[], AbstractAsyncContextManager[None]]] = {
            "killed": lambda: self._without(trouble.target, self.stack.kill),
            "stopped": lambda: self._without(trouble.target, self.stack.stop),
            "frozen": lambda: self._frozen(trouble.target),
            "broker_killed": lambda: self._without_node(rabbitmq.COMPONENT, kill=True),
            "broker_restarted": lambda: self._without_node(rabbitmq.COMPONENT, kill=False),
            "broker_frozen": lambda: self._frozen(rabbitmq.COMPONENT),
            "broker_blocks": self._blocking,
            "connections_closed": self._connections_closed,
            "database_killed": lambda: self._without_node(postgres.COMPONENT, kill=True),
            "database_restarted": lambda: self._without_node(postgres.COMPONENT, kill=False),
            "database_frozen": lambda: self._frozen(postgres.COMPONENT),
            "sessions_ended": self._sessions_ended,
            "messages_doubled": self._messages_doubled,
        }
        return kinds[trouble.kind]()

    @asynccontextmanager
    async def _without(
        self, service: str, end: Callable[[str], Awaitable[None]]
    ) -> AsyncIterator[None]:
        await end(service)
        yield
        # With its database or its broker away it is not ready; then its trouble lasts longer.
        with suppress(StackError):
            await self.stack.start(service)

    @asynccontextmanager
    async def _without_node(self, node: str, *, kill: bool) -> AsyncIterator[None]:
        await self.stack.stop_node(node, kill=kill)
        yield
        await self.stack.start_node(node)

    @asynccontextmanager
    async def _frozen(self, component: str) -> AsyncIterator[None]:
        pids = self._family(component)
        try:
            _tell(pids, signal.SIGSTOP)
            yield
        finally:
            _tell(pids, signal.SIGCONT)

    @asynccontextmanager
    async def _blocking(self) -> AsyncIterator[None]:
        with suppress(StackError):
            await self._control(WATERMARK_IS, *BLOCKED)
        yield
        with suppress(StackError):
            await self._control(WATERMARK_IS, *OPEN)

    @asynccontextmanager
    async def _connections_closed(self) -> AsyncIterator[None]:
        with suppress(StackError):
            await self._control("close_all_connections", "-p", VHOST, "the nemesis")
        yield

    @asynccontextmanager
    async def _sessions_ended(self) -> AsyncIterator[None]:
        # Down already, it has no sessions.
        with suppress(OSError, asyncpg.PostgresError, TimeoutError):
            connection = await asyncpg.connect(self.stack.database_url, timeout=5)
            try:
                await connection.execute(END_SESSIONS)
            finally:
                await connection.close()
        yield

    @asynccontextmanager
    async def _on_the_way(self, way: FaultProxy, fault: Fault) -> AsyncIterator[None]:
        way.do(fault)
        try:
            yield
        finally:
            way.do(Forward())

    @asynccontextmanager
    async def _with_another_clock(self, service: str, skew: str) -> AsyncIterator[None]:
        assert self.faketime is not None
        # Without its servers it does not come up, neither with this clock nor with its own.
        with suppress(StackError):
            await start_skewed(self.stack, service, skew, self.faketime)
        yield
        with suppress(StackError):
            await self.stack.start(service)

    @asynccontextmanager
    async def _provider_in_mode(self, mode: str, delay_s: float) -> AsyncIterator[None]:
        assert self.provider is not None
        self.provider.will(mode, delay_s=delay_s)
        try:
            yield
        finally:
            self.provider.will("ok")

    @asynccontextmanager
    async def _messages_doubled(self) -> AsyncIterator[None]:
        """Whatever is on its way meanwhile comes once more when it is over, late and in the
        order in which it went."""
        api, queue = BrokerApi(self.stack.broker_api_url), f"{DOUBLES}{token_hex(4)}"
        # Away, the broker doubles nothing.
        with suppress(*AWAY):
            await api.call("PUT", f"queues/{VHOST}/{queue}", {"durable": True})
            keys = [(EVENTS, "#"), *((JOBS, one.name) for one in WORK_QUEUES)]
            for exchange, key in keys:
                path = f"bindings/{VHOST}/e/{exchange}/q/{queue}"
                await api.call("POST", path, {"routing_key": key})
        yield
        with suppress(*AWAY):
            wanted = {"count": DOUBLED_MAX, "ackmode": "ack_requeue_false", "encoding": "auto"}
            for one in await api.call("POST", f"queues/{VHOST}/{queue}/get", wanted):
                await api.call(
                    "POST", f"exchanges/{VHOST}/{one['exchange']}/publish", copy(one)
                )
            await api.call("DELETE", f"queues/{VHOST}/{queue}")

    def _family(self, component: str) -> set[int]:
        if component == postgres.COMPONENT:
            return postgres.family(self.stack.state)
        return processes.family(self.stack.state, component)

    async def _control(self, *words: str) -> None:
        """Frozen or away, it cannot be told anything, and says so; `heal` tells it again."""
        known = remembered(self.stack.state)
        await asyncio.to_thread(rabbitmq.control, self.stack.state, known, *words)


def copy(message: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: message[name]
        for name in ("properties", "routing_key", "payload", "payload_encoding")
    }


def _tell(pids: set[int], what: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)
