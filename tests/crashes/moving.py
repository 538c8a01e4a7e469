"""`python -m tests.crashes.moving URL FAILPOINT`: queues that differ from the plan are made
anew, as the operator's command does it, and it dies where it was told to.

Storage is away meanwhile, so that its queue holds what is on its way to it.
"""

import asyncio
import logging
import signal
import sys

from deploy.local.endpoints import endpoints
from shared import failpoints
from shared.topology.migrate import migrate
from shared.topology.plan import plan
from shared.topology.queues import JOBS, STORE
from tests.broker.messages import raw_channel
from tests.crashes.scene import Scene, Steps
from tests.eventually import eventually
from tests.house.repository import ROOT

RUNS_S = 120
# With which code it ends, by what is done to it; held up for a while it ends well.
ENDS = {"kill": -signal.SIGKILL, "raise": 1}


async def make_a_queue_anew(scene: Scene) -> Steps:
    url = endpoints(scene.stack.state).amqp["topology"]
    await scene.stack.stop("storage")
    try:
        async with raw_channel(url) as channel:
            # As an older plan had made it: without priorities.
            await channel.queue_delete(STORE.name)
            await channel.queue_declare(STORE.name, durable=True)
            await channel.queue_bind(STORE.name, JOBS, STORE.name)
        await scene.all_handed_in()
        await eventually(lambda: _holds(url, scene.count), within_s=60, every_s=0.1)
        yield
        scene.met.append(await _moved(url, scene.failpoint))
        yield
        await _moved(url, "")
    finally:
        await scene.stack.start("storage")


async def _holds(url: str, count: int) -> bool:
    async with raw_channel(url) as channel:
        return (await channel.queue_declare(STORE.name, passive=True)).message_count == count


async def _moved(url: str, failpoint: str) -> str:
    """What it said of itself."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.crashes.moving", url, failpoint),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(RUNS_S):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    action = failpoint.partition(":")[2].partition(":")[0]
    assert process.returncode == ENDS.get(action, 0), said.decode()
    return said.decode()


if __name__ == "__main__":
    telling = logging.StreamHandler()
    telling.setFormatter(logging.Formatter("%(message)s %(failpoint)s"))
    failpoints.log.addHandler(telling)
    failpoints.arm(sys.argv[2])
    asyncio.run(migrate(sys.argv[1], plan()))
