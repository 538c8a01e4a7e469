"""The bare work on the servers of a stack: the same broker and database, two processes.

As we do, it finds its backlog waiting and every worker ready; its time ends with the last item.
"""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import aio_pika
import asyncpg

from deploy.local.endpoints import endpoints
from deploy.local.state import REPOSITORY
from tests.bench._shared import bare_worker
from tests.bench._shared.bare_work import FIELDS, SCHEMA, TABLES
from tests.bench._shared.bare_worker import EXTRACT, QUEUES, READY, durable
from tests.bench._shared.cost import tree_cpu_s
from tests.bench._shared.line import Database
from tests.bench._shared.used import SERVERS, Spent, Used, used_by
from tests.eventually import eventually
from tests.system.stack import Stack

PROCESSES = 2
AT_ONCE = 500
LOOK_EVERY_S = 0.25
DOCUMENTS_PER_S_MIN = 5.0
DONE = f"SELECT count(*) FROM {SCHEMA}.items"
LAST = f"SELECT extract(epoch FROM max(opened_at) - $1)::float8 FROM {SCHEMA}.items"
COUNTS = f"""
SELECT (SELECT count(*) FROM {SCHEMA}.results), (SELECT count(*) FROM {SCHEMA}.fields),
       (SELECT count(*) FROM {SCHEMA}.audit)
"""


@dataclass(frozen=True, slots=True)
class BareRun:
    count: int
    spent: Spent
    seconds: float

    @property
    def rate(self) -> float:
        return self.count / self.seconds


async def bare_run(stack: Stack, count: int, *, sync: bool) -> BareRun:
    folder = stack.state.root / f"bare-{uuid4().hex[:8]}"
    folder.mkdir()
    database = await asyncpg.connect(stack.database_url)
    broker = await aio_pika.connect(endpoints(stack.state).amqp["admin"])
    try:
        async with broker, broker.channel() as channel:
            await database.execute(TABLES)
            for queue in QUEUES:
                await channel.declare_queue(queue, durable=True)
            try:
                await _publish(channel, count)
                await database.execute("CHECKPOINT")
                return await _work(stack, database, folder, count, sync=sync)
            finally:
                for queue in QUEUES:
                    await channel.queue_delete(queue)
    finally:
        await database.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        await database.close()


async def _publish(channel: aio_pika.abc.AbstractChannel, count: int) -> None:
    bodies = [json.dumps({"document_id": str(uuid4())}).encode() for _ in range(count)]
    for first in range(0, count, AT_ONCE):
        some = (durable(body) for body in bodies[first : first + AT_ONCE])
        await asyncio.gather(*(channel.default_exchange.publish(one, EXTRACT) for one in some))


async def _work(
    stack: Stack,
    database: Database,
    folder: Path,
    count: int,
    *,
    sync: bool,
) -> BareRun:
    async with AsyncExitStack() as ending:
        workers = [
            await ending.enter_async_context(_worker(stack, folder, sync=sync))
            for _ in range(PROCESSES)
        ]
        before = _used(stack, workers)
        began_at = await database.fetchval("SELECT clock_timestamp()")
        for one in workers:
            await _tell(one)

        async def are_done() -> bool:
            assert all(one.returncode is None for one in workers), "a worker has ended"
            return bool(await database.fetchval(DONE) >= count)

        within_s = 30 + count / DOCUMENTS_PER_S_MIN
        await eventually(are_done, within_s=within_s, every_s=LOOK_EVERY_S)
        spent = _used(stack, workers).since(before)
        for one in workers:
            await _tell(one)
    counts = tuple(await database.fetchrow(COUNTS) or ())
    if counts != (count, count * FIELDS, count):
        raise RuntimeError(f"the bare work of {count} documents left behind: {counts}")
    return BareRun(count, spent, await database.fetchval(LAST, began_at))


@asynccontextmanager
async def _worker(stack: Stack, folder: Path, *, sync: bool) -> AsyncIterator[Process]:
    amqp_url = endpoints(stack.state).amqp["admin"]
    words = (amqp_url, stack.database_url, str(folder), *(["--sync"] if sync else []))
    command = (sys.executable, "-m", bare_worker.__name__, *words)
    # In a session of its own, as ours are: a scheduler that is fair to sessions would count it
    # with whoever measures.
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, cwd=REPOSITORY, start_new_session=True
    )
    try:
        assert process.stdout is not None
        said = (await process.stdout.readline()).decode().strip()
        if said != READY:
            raise RuntimeError("a worker of the bare work did not start")
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


async def _tell(worker: Process) -> None:
    assert worker.stdin is not None
    worker.stdin.write(b"\n")
    await worker.stdin.drain()


def _used(stack: Stack, workers: list[Process]) -> Used:
    servers = used_by(stack.state, SERVERS)
    own = sum(tree_cpu_s(one.pid) or 0.0 for one in workers)
    return Used(servers.at_s, {"workers": own, **servers.cpu_s}, servers.busy_s)
