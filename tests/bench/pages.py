"""How long does a reviewer look at nothing? From the click on "next" to the page on the screen.

A stack of its own reads the samples; one person claims item after item over HTTP, as the desk
does, and reads each for as long as the next one's first page takes to be drawn ahead. Beside
it, pages that nobody wished for: drawn when they are asked for, and kept ones.
"""

import argparse
import asyncio
import mimetypes
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlsplit

import httpx

from deploy.local.demo import SAMPLES
from deploy.local.endpoints import endpoints
from tests.bench._shared.quiet_stack import quiet_stack
from tests.bench._shared.report import Goal, conclude, say, table
from tests.eventually import eventually
from tests.system.stack import Stack

NAME = "pages"
ROWS = {
    "ahead": "next item claimed and its page there, drawn ahead",
    "ahead_picture": "of that, the picture",
    "drawn": "a page that nobody wished for, 1280 wide",
    "drawn_large": "the same, 2560 wide",
    "kept": "a page that was drawn before",
    "words": "words of a page, read when they are asked for",
}
GOAL_MS = 300.0
SERVICES = ("ingest", "extractor", "storage", "review")
READ_WITHIN_S = 300.0


@dataclass(slots=True)
class Times:
    """In milliseconds, by row."""

    ms: dict[str, list[float]] = field(default_factory=lambda: {key: [] for key in ROWS})

    def figures(self) -> dict[str, dict[str, float]]:
        return {
            key: {"ms": median(ms), "p95_ms": quantiles(ms, n=20)[-1], "count": len(ms)}
            for key, ms in self.ms.items()
        }


def main() -> None:
    parser = argparse.ArgumentParser(prog="./paperline bench pages")
    parser.add_argument("--documents", type=int, default=40)
    documents = parser.parse_args().documents
    figures = asyncio.run(_measure(documents))
    say(f"\n{documents} documents, one person at the desk\n")
    table(
        ("", "median ms", "p95 ms"),
        [
            (text, f"{figures[key]['ms']:.0f}", f"{figures[key]['p95_ms']:.0f}")
            for key, text in ROWS.items()
        ],
    )
    say()
    goals = [
        Goal("claimed_item_shown_ms", figures["ahead"]["ms"], "<=", GOAL_MS),
        Goal("page_drawn_ms", figures["drawn"]["ms"], "<=", GOAL_MS),
    ]
    conclude(NAME, figures, goals)


async def _measure(documents: int) -> dict[str, dict[str, float]]:
    async with quiet_stack(NAME) as stack:
        for service in SERVICES:
            await stack.start(service)
        login = {"Authorization": f"Bearer {stack.key}"}
        async with httpx.AsyncClient(headers=login, timeout=30) as http:
            say(f"reading {documents} documents")
            await _hand_in(http, stack, documents)
            review = stack.address("review_api")
            await eventually(lambda: _are_open(http, review, documents), within_s=READ_WITHIN_S)
            times = Times()
            # Half of them are left for what nobody wished for.
            await _review(http, stack, documents // 2, times)
            await _look_around(http, review, times)
            return times.figures()


async def _hand_in(http: httpx.AsyncClient, stack: Stack, documents: int) -> None:
    for name, content in islice(_contents(), documents):
        answer = await http.post(
            f"{stack.address('ingest_api')}/v1/documents",
            content=content,
            headers={
                "X-Filename": name,
                "Content-Type": mimetypes.guess_type(name)[0] or "application/pdf",
            },
        )
        answer.raise_for_status()


def _contents() -> Iterator[tuple[str, bytes]]:
    """Text, a photograph and a fax, each time as other bytes: else they would be copies."""
    kinds = (".pdf", ".jpg", ".tif")
    samples: Sequence[Path] = sorted(path for path in SAMPLES.iterdir() if path.suffix in kinds)
    for number, path in zip(count(), cycle(samples), strict=False):
        yield path.name, path.read_bytes() + f"\n% {number}\n".encode()


async def _are_open(http: httpx.AsyncClient, review: str, documents: int) -> bool:
    answer = await http.get(f"{review}/v1/items?status=pending&limit=200")
    return len(answer.raise_for_status().json()["items"]) >= documents


async def _look_around(http: httpx.AsyncClient, review: str, times: Times) -> None:
    listed = await http.get(f"{review}/v1/items?status=pending&sort=rank&limit=200")
    say("looking at pages that nobody wished for")
    # The first is what the person would have been lent next.
    for item in listed.json()["items"][1:]:
        page = f"{review}{item['links']['pages']}/1"
        times.ms["drawn"].append(await _timed(http, f"{page}.png"))
        times.ms["drawn_large"].append(await _timed(http, f"{page}.png?width=2560"))
        times.ms["kept"].append(await _timed(http, f"{page}.png"))
        times.ms["words"].append(await _timed(http, f"{page}/words"))


async def _review(http: httpx.AsyncClient, stack: Stack, items: int, times: Times) -> None:
    review = stack.address("review_api")
    drawn = Path(urlsplit(endpoints(stack.state).blobs["PAPERLINE_BLOBS_URL"]).path) / "pages"
    say("claiming one item after the other")
    for number in range(items):
        known = _pictures(drawn)
        began = time.perf_counter()
        claimed = await http.post(f"{review}/v1/items/next")
        answered = time.perf_counter()
        [page, *_] = claimed.raise_for_status().json()["pages"]
        (await http.get(f"{review}{page['image']}")).raise_for_status()
        ended = time.perf_counter()
        if number:
            # The first was nobody's next.
            times.ms["ahead"].append((ended - began) * 1000)
            times.ms["ahead_picture"].append((ended - answered) * 1000)
        await _read_it(drawn, known + (not number))


async def _read_it(drawn: Path, known: int) -> None:
    """A person takes many times as long."""
    await eventually(lambda: _pictures(drawn) > known)


def _pictures(drawn: Path) -> int:
    return sum(1 for _ in drawn.rglob("*-1280.png"))


async def _timed(http: httpx.AsyncClient, address: str) -> float:
    began = time.perf_counter()
    (await http.get(address)).raise_for_status()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
