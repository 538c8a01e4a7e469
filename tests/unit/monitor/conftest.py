"""The setting of every test of the monitor; a test says only what differs."""

from collections.abc import AsyncIterator

import httpx
import pytest

from services.monitor.api import build
from tests.fakes.entrance import entrance
from tests.unit.monitor.world import World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://monitor") as client:
        yield client
