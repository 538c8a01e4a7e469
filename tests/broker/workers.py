"""Workers as processes of the test: started, awaited, killed, and started again."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from tests.broker.bus_bench import BusBench
from tests.broker.worker import Orders


def orders_for(bench: BusBench, *, failpoint: str = "", relays: bool = True) -> Orders:
    return Orders(
        amqp_url=bench.amqp_url,
        database_url=bench.database_url,
        schema=bench.schema,
        queue=bench.queue.name,
        batch=bench.queue.batch,
        failpoint=failpoint,
        relays=relays,
    )


@asynccontextmanager
async def worker(orders: Orders) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker that is ready; ended, if the test has not done so, when the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.broker.worker",
        orders.as_argument(),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def dies(process: asyncio.subprocess.Process, *, within_s: float = 20) -> None:
    """The worker ends of a kill, by itself."""
    async with asyncio.timeout(within_s):
        assert await process.wait() == -signal.SIGKILL


async def keep_alive(orders: Orders, until: asyncio.Event) -> int:
    """Start the worker again whenever it dies, as an orchestrator would. Counts its deaths."""
    deaths = 0
    while not until.is_set():
        async with worker(replace(orders)) as process:
            ended = asyncio.ensure_future(process.wait())
            wanted = asyncio.ensure_future(until.wait())
            await asyncio.wait({ended, wanted}, return_when=asyncio.FIRST_COMPLETED)
            wanted.cancel()
            deaths += process.returncode is not None
            if process.returncode is None:
                process.terminate()
            await ended
    return deaths
