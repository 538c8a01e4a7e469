"""The least that can take an upload: it hashes and writes, and promises nothing.

`/written` leaves the bytes to the kernel; `/durable` waits until the disk has them and their
name, as we do: without its folder on the disk a file is lost with the power.
It runs in the same server as our APIs, in a process of its own.
"""

import asyncio
import os
import sys
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from starlette.types import Receive, Scope, Send

from shared.process.doors import new_loop
from shared.web.server import listen, serve_on


class Bare:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        digest, path = sha256(), self._folder / uuid4().hex
        with path.open("wb", buffering=0) as file:
            more = True
            while more:
                message = await receive()
                digest.update(message.get("body", b""))
                file.write(message.get("body", b""))
                more = message.get("more_body", False)
            final = self._folder / digest.hexdigest()
            if scope["path"] == "/durable":
                await asyncio.to_thread(_publish, file.fileno(), path, final)
            else:
                path.rename(final)
        await send({"type": "http.response.start", "status": 202, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})


def _publish(descriptor: int, path: Path, final: Path) -> None:
    os.fsync(descriptor)
    path.rename(final)
    folder = os.open(final.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def main() -> None:
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    with listen("127.0.0.1", port) as listener, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve_on(Bare(folder), listener, asyncio.Event()))


if __name__ == "__main__":
    main()
