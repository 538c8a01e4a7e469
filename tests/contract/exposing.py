"""A process of a service as a scraper sees it, and nothing of what the service stands on.

`python -m tests.contract.exposing SERVICE PORT`: our registry behind our ops port, open to who
shows `SECRET`. What is written to its standard input begins a trouble of `troubles.py` there
(`begin StageOld`), or mends it (`end StageOld`); each line is answered once it was obeyed.
"""

import asyncio
import sys
from contextlib import suppress

from pydantic import SecretStr

from shared.observability import metrics
from shared.observability.exposition import start_at_zero
from shared.process.probes import Probes
from shared.process.settings import ProcessSettings

SECRET = "shown by nobody but a scraper"
# How often it does what a service does all the time, and what a trouble does.
PULSE_S = 0.1


async def expose(service: str, port: int) -> None:
    metrics.BUILD_INFO.labels(service, "test").set(1)
    start_at_zero()
    # As in a container: beyond the machine, hence closed to whoever shows nothing.
    settings = ProcessSettings.model_construct(
        host="0.0.0.0",  # noqa: S104 -- only said
        metrics_secret=SecretStr(SECRET),
    )
    probes = Probes(stopping=asyncio.Event(), may_scrape=settings.may_scrape)
    async with probes.listen("127.0.0.1", port):
        print("listening", flush=True)  # noqa: T201 -- whoever started it waits for that
        await obey(service)


async def obey(service: str) -> None:
    lines = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(lines)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    if not (await lines.readline()):
        return
    # Only now: a process that is to be started and ended quickly has no use for it.
    from tests.contract.troubles import Suffering  # noqa: PLC0415

    works = Suffering(service)
    await works.begin()
    print("well", flush=True)  # noqa: T201
    while not lines.at_eof():
        line = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(PULSE_S):
                line = await lines.readline()
        if line:
            await works.turn(*line.decode().split())
            print("obeyed", flush=True)  # noqa: T201
        await works.pulse()


if __name__ == "__main__":
    asyncio.run(expose(sys.argv[1], int(sys.argv[2])))
