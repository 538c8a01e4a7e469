"""A process that stands still past every lease, while another does its work, and wakes up.

What the servers do by themselves to whoever was silent for half a minute is done at once: the
broker closes its connections, and the database ends what it had begun.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from deploy.local import services
from deploy.local.roles import OWNER
from tests.crashes.scene import Scene
from tests.system.replicas import replica_of

BEGUN = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE usename = $1 AND state LIKE 'idle in transaction%'
"""
# Whoever asked the sleeper goes to another soon.
ANSWERED_WITHIN_S = 5.0


@asynccontextmanager
async def frozen_meanwhile(
    service: str, scene: Scene, settings: Mapping[str, str]
) -> AsyncIterator[None]:
    stack = scene.stack
    await _taken_for_dead(service, scene)
    async with replica_of(stack, service, 2, **settings) as other:
        scene.client.stack = other
        yield
        stack.thaw(service)
        # It believes that all of it is its own, says so, and is back at work.
        await asyncio.to_thread(services.wait_ready, stack.state, service)
        await scene.rests()
        scene.client.stack = stack


async def _taken_for_dead(service: str, scene: Scene) -> None:
    await scene.stack.control("close_all_user_connections", service, "not heard of any more")
    await scene.records.rows(BEGUN, f"{OWNER}_{service}")
