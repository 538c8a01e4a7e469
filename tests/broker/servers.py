"""The test's own servers as processes: stopped, killed, started again, held back."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from deploy.local import rabbitmq
from deploy.local.ports import remembered
from deploy.local.state import State

WATERMARK, DISK_FREE = "400MiB", "100MB"


class OwnServers:
    def __init__(self, state: str) -> None:
        self._state = State(Path(state))

    async def restart(self, node: str, *, kill: bool = False) -> None:
        """`postgres` or `rabbitmq`; with `kill` as a crash would."""
        await self._node("restart", node, kill=kill)

    async def stop(self, node: str, *, kill: bool = False) -> None:
        await self._node("stop", node, kill=kill)

    async def start(self, node: str) -> None:
        await self._node("start", node)

    @asynccontextmanager
    async def memory_alarm(self) -> AsyncIterator[None]:
        """The broker stops reading from everybody who publishes."""
        await self._control("set_vm_memory_high_watermark", "0.0000001")
        try:
            yield
        finally:
            await self._control("set_vm_memory_high_watermark", "absolute", WATERMARK)

    @asynccontextmanager
    async def disk_alarm(self) -> AsyncIterator[None]:
        """As if the broker's disk were full: it asks for more room than any has."""
        await self._control("set_disk_free_limit", "1000000GB")
        try:
            yield
        finally:
            await self._control("set_disk_free_limit", DISK_FREE)

    async def _control(self, *words: str) -> None:
        ports = remembered(self._state)
        await asyncio.to_thread(rabbitmq.control, self._state, ports, *words)

    async def _node(self, verb: str, node: str, *, kill: bool = False) -> None:
        command = [sys.executable, "-m", "deploy.local", "node", verb, node]
        command += ["--state", str(self._state.root), *(["--kill"] if kill else [])]
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.DEVNULL
        )
        assert await process.wait() == 0, f"could not {verb} {node}"


Alarm: TypeAlias = Callable[[OwnServers], AbstractAsyncContextManager[None]]
# In both the broker reads nothing any more from whoever publishes.
alarms = pytest.mark.parametrize(
    "alarm", [OwnServers.memory_alarm, OwnServers.disk_alarm], ids=["memory", "disk"]
)
