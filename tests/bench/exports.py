"""Does an export of a hundred thousand documents need more memory than one of a few?

Storage's API runs in a process of its own, and a client reads the export over HTTP as fast as
it comes. What counts is by how much the peak of the process's memory lies above what it had
when it was warm. Documents per second are told beside it.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

import shared.audit
from services.storage.domain.exports import FORMATS
from shared.process.doors import new_loop
from tests.bench._shared.exporting import forget_peak, listed, rss_mb, written
from tests.bench._shared.report import Goal, conclude, folder, say, table
from tests.broker.database import Servers, own_database
from tests.broker.service_schema import service_schema
from tests.fakes.keys import key_of

NAME = "exports"
GOAL_MB = 100
WARM = 200
EXPORT_S_MAX = 3600.0
TOLD_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Figures:
    form: str
    seconds: float
    size_mb: float
    rss_mb: float
    grown_mb: float


@dataclass(frozen=True, slots=True)
class Api:
    pid: int
    client: httpx.AsyncClient

    async def export(self, form: str, documents: int, query: str = "") -> tuple[float, int]:
        """Its seconds and bytes. What the stream says of its progress is passed on."""
        began = told = time.monotonic()
        size = 0
        path = f"/v1/exports?format={form}{query}"
        async with (
            asyncio.timeout(EXPORT_S_MAX),
            self.client.stream("GET", path) as answer,
        ):
            answer.raise_for_status()
            total = int(answer.headers["X-Total-Estimate"])
            assert query or total == documents
            async for piece in answer.aiter_raw():
                size += len(piece)
                if time.monotonic() - told > TOLD_EVERY_S:
                    told = time.monotonic()
                    say(f"  {form}: {size >> 20} MB after {told - began:.0f} s")
        return time.monotonic() - began, size


def main() -> None:
    parser = argparse.ArgumentParser(prog="./paperline bench exports")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--format", action="append", choices=FORMATS, help="else all of them")
    options = parser.parse_args()
    if Servers().database_url is None:
        raise SystemExit("There are no servers to measure: run ./paperline bench exports.")
    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(measure(options.documents, options.format or list(FORMATS)))
    say(f"\nexports of {options.documents:,} documents\n")
    table(
        ("", "documents/s", "MB", "peak RSS, MB", "grown by, MB"),
        [
            (
                one.form,
                f"{options.documents / one.seconds:,.0f}",
                f"{one.size_mb:,.0f}",
                f"{one.rss_mb:,.0f}",
                f"{one.grown_mb:,.1f}",
            )
            for one in found
        ],
    )
    say()
    worst = max(one.grown_mb for one in found)
    figures = {one.form: {"seconds": one.seconds, "grown_mb": one.grown_mb} for one in found}
    conclude(NAME, figures, [Goal("rss_growth_mb", worst, "<=", GOAL_MB)])


async def measure(documents: int, formats: list[str]) -> list[Figures]:
    migrations = [shared.audit.MIGRATIONS]
    async with own_database() as url, service_schema(url, "storage", migrations) as schema:
        with tempfile.TemporaryDirectory(dir=folder()) as kept:
            say(f"writing {documents:,} results")
            known = await asyncio.to_thread(lambda: [*written(Path(kept), documents)])
            await listed(schema, known)
            found = []
            for form in formats:
                # A process for each: what one leaves behind is not the next one's.
                async with _serving(url, schema.name, kept) as api:
                    found.append(await _figures(api, form, documents))
            return found


async def _figures(api: Api, form: str, documents: int) -> Figures:
    for _ in range(3):
        # Code, plans, connections and threads are there; a few documents were exported.
        await api.export(form, documents, f"&number=R-1{'0' * (len(str(WARM)) - 1)}")
    before = rss_mb(api.pid)
    forget_peak(api.pid)
    seconds, size = await api.export(form, documents)
    peak = rss_mb(api.pid, "VmHWM")
    say(f"  {form}: {documents:,} in {seconds:.0f} s, {before:.0f} → {peak:.0f} MB")
    return Figures(form, seconds, size / (1 << 20), peak, peak - before)


@asynccontextmanager
async def _serving(url: str, schema: str, store: str) -> AsyncIterator[Api]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench._shared.exporting", url, schema, store),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    port = int(await process.stdout.readline())
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}",
        headers=key_of("bench", "admin"),
        timeout=EXPORT_S_MAX,
    ) as client:
        try:
            yield Api(process.pid, client)
        finally:
            process.terminate()
            await process.wait()


if __name__ == "__main__":
    main()
