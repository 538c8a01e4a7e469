"""One address for all nodes of a cluster, as a load balancer or a Kubernetes service is.

A connection goes to the next node that takes it and stays there; when its node dies it is
closed, and whoever comes again lands on another one. In order instead of in turn, it is a
client's own list of hosts: the first as long as it takes connections.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle

CHUNK_BYTES = 64 * 1024
CONNECT_WITHIN_S = 1.0
Address = tuple[str, int]


class Balancer:
    def __init__(self, nodes: Sequence[Address], *, in_order: bool = False) -> None:
        self._nodes = nodes
        self._turns = cycle([0] if in_order else range(len(nodes)))
        self._carrying = set[asyncio.Task[None]]()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def admit(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def end(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._carrying:
            task.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)
        async with AsyncExitStack() as undo:
            undo.callback(writer.transport.abort)
            try:
                theirs, ours = await self._connect()
                undo.callback(ours.transport.abort)
                async with asyncio.TaskGroup() as group:
                    group.create_task(_carry(reader, ours))
                    group.create_task(_carry(theirs, writer))
            except* OSError:
                # The node is gone, or the client is; both sides are told by the close.
                pass

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        first = next(self._turns)
        for host, port in (*self._nodes[first:], *self._nodes[:first]):
            try:
                async with asyncio.timeout(CONNECT_WITHIN_S):
                    return await asyncio.open_connection(host, port)
            except OSError:
                continue
        raise ConnectionError("no node takes connections")


async def _carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while chunk := await source.read(CHUNK_BYTES):
        sink.write(chunk)
        await sink.drain()
    # One side is over; the other would wait for answers that cannot come.
    raise ConnectionResetError


@asynccontextmanager
async def balancer(
    nodes: Sequence[Address], *, in_order: bool = False
) -> AsyncIterator[Balancer]:
    one = Balancer(nodes, in_order=in_order)
    await one.admit()
    try:
        yield one
    finally:
        await one.end()
