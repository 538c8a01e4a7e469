"""What does reading without a provider cost? Pages in the extractor's children, by its engine.

Text layers beside the PDF library alone, pictures beside the recogniser alone, one document at
a time. Then many documents through the same children, to see whether anything grows.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import SecretStr

from services.extractor.ports import Engine
from services.extractor.settings import Settings
from services.extractor.wiring import engines
from tests.bench._shared.bare_ocr import recogniser
from tests.bench._shared.household import MEBIBYTE, household_of
from tests.bench._shared.pages import Material, as_pictures, bare_texts, with_text
from tests.bench._shared.report import Goal, conclude, say, table

NAME = "reading"
ROWS = {
    "text_bare": "text layer: the library's plain text",
    "text_ours": "text layer: words, rules, invoice, in a child",
    "ocr_bare": "picture: the recogniser as it comes",
    "ocr_ours": "picture: words, rules, invoice, in a child",
}
TEXT_MS, OCR_S, GROWTH_MIB = 60.0, 3.0, 5.0
# Of the many documents, so many are pictures: one in twenty-five.
PICTURE_EVERY = 25

Read = Callable[[Material], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Options:
    folder: Path | None
    rounds: int
    pictures: int
    documents: int


@dataclass(slots=True)
class Pages:
    """Milliseconds per page: of each document on the clock, of all together on a processor."""

    ms: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    count: int = 0

    @property
    def figures(self) -> dict[str, float]:
        return {
            "ms": median(self.ms),
            "worst_ms": max(self.ms),
            "cpu_ms": self.cpu_s / self.count * 1000,
        }


@dataclass(slots=True)
class Memory:
    """Resident, in MiB: of ourselves by documents read, and the largest that a child was."""

    ours: dict[int, float] = field(default_factory=dict)
    light: float = 0.0
    heavy: float = 0.0
    children: int = 0


def main() -> None:
    options, settings = _options(), _settings()
    memory, rounds = asyncio.run(_measure(options, settings))
    say(f"\nms per page, the median of {options.rounds} rounds; one document at a time\n")
    table(
        ("", "median", "worst", "CPU", "ratio"),
        [(text, *_cells(rounds, key)) for key, text in ROWS.items()],
    )
    say("\nMiB resident after so many documents\n")
    table(("", *map(str, memory.ours)), [("ourselves", *_mib(memory.ours.values()))])
    say(f"\nlargest child: {memory.light:.0f} (text), {memory.heavy:.0f} (pictures);")
    load, processors = os.getloadavg()[0], os.cpu_count()
    say(f"{memory.children} children in all; load {load:.1f} on {processors} processors\n")
    conclude(NAME, _figures(rounds, memory) | {"load": load}, _goals(rounds, memory, settings))


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench reading")
    parser.add_argument("folder", nargs="?", type=Path, help="PDFs and pictures of your own")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pictures", type=int, default=6, help="pages to recognise a round")
    parser.add_argument("--documents", type=int, default=500, help="to see what grows")
    given = parser.parse_args()
    return Options(given.folder, given.rounds, given.pictures, given.documents)


def _settings() -> Settings:
    # No server is asked; a service merely cannot do without saying where they are.
    return Settings(
        database_url=SecretStr("postgresql://nowhere"),
        amqp_url=SecretStr("amqp://nowhere"),
        blobs_url="file:///nowhere",
    )


async def _measure(
    options: Options, settings: Settings
) -> tuple[Memory, list[dict[str, Pages]]]:
    texts, pictures = with_text(options.folder), as_pictures(options.folder, options.pictures)
    async with engines(settings) as known:
        read = _reader(known["offline"])
        # Before the baselines: their models stay in this process.
        memory = await _many(options, settings, read, texts, pictures)
        rounds = await _rounds(options, read, texts, pictures)
    return memory, rounds


def _reader(engine: Engine) -> Read:
    async def unwatched(percent: int, stage: str) -> None:
        """Nobody waits for these."""

    async def read(material: Material) -> None:
        assert await engine.read(material.scan(), unwatched) is not None, material.name

    return read


async def _many(
    options: Options,
    settings: Settings,
    read: Read,
    texts: Sequence[Material],
    pictures: Sequence[Material],
) -> Memory:
    say(f"{options.documents} documents through the same children")
    memory, seen, marks = Memory(), set[int](), _marks(options.documents)
    some_text, some_picture = cycle(texts), cycle(pictures)
    for number in range(1, options.documents + 1):
        await read(next(some_text if number % PICTURE_EVERY else some_picture))
        now = household_of(os.getpid())
        seen.update(child.pid for child in now.children)
        light = now.largest(settings.parser_memory_bytes_max) / MEBIBYTE
        heavy = now.largest(settings.recogniser_memory_bytes_max) / MEBIBYTE
        memory.light, memory.heavy = max(memory.light, light), max(memory.heavy, heavy)
        if number in marks:
            memory.ours[number] = now.resident_bytes / MEBIBYTE
    memory.children = len(seen)
    return memory


def _marks(documents: int) -> Sequence[int]:
    """At a fifth everything has been loaded; what comes on top until the end is growth."""
    return sorted({max(1, documents // 5), max(1, documents * 3 // 5), documents})


async def _rounds(
    options: Options, read: Read, texts: Sequence[Material], pictures: Sequence[Material]
) -> list[dict[str, Pages]]:
    recognise = recogniser()

    async def bare_text(material: Material) -> None:
        bare_texts(material.content)

    async def bare_ocr(material: Material) -> None:
        recognise(material.content)

    ways: dict[str, tuple[Read, Sequence[Material]]] = {
        "text_bare": (bare_text, texts),
        "text_ours": (read, texts),
        "ocr_bare": (bare_ocr, pictures),
        "ocr_ours": (read, pictures),
    }
    for way, some in ways.values():
        await way(some[0])
    rounds = []
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        rounds.append({key: await _pages(way, some) for key, (way, some) in ways.items()})
    return rounds


async def _pages(read: Read, materials: Sequence[Material]) -> Pages:
    pages, before = Pages(), _cpu_s()
    for material in materials:
        began = time.perf_counter()
        await read(material)
        pages.ms.append((time.perf_counter() - began) * 1000 / material.pages)
        pages.count += material.pages
    pages.cpu_s = _cpu_s() - before
    return pages


def _cpu_s() -> float:
    now = household_of(os.getpid())
    return now.cpu_s + now.children_cpu_s


def _medians(rounds: Sequence[dict[str, Pages]], key: str) -> dict[str, float]:
    figures = [one[key].figures for one in rounds]
    return {name: round(median(one[name] for one in figures), 2) for name in figures[0]}


def _ratio(rounds: Sequence[dict[str, Pages]], key: str) -> float:
    bare = f"{key.partition('_')[0]}_bare"
    return median(one[key].figures["ms"] / one[bare].figures["ms"] for one in rounds)


def _cells(rounds: Sequence[dict[str, Pages]], key: str) -> tuple[str, ...]:
    values = (f"{value:,.1f}" for value in _medians(rounds, key).values())
    return (*values, f"{_ratio(rounds, key):.2f}")


def _mib(values: Iterable[float]) -> tuple[str, ...]:
    return tuple(f"{value:.1f}" for value in values)


def _figures(rounds: Sequence[dict[str, Pages]], memory: Memory) -> dict[str, Any]:
    ours = {str(number): round(mib, 1) for number, mib in memory.ours.items()}
    told = {key: _medians(rounds, key) | {"ratio": _ratio(rounds, key)} for key in ROWS}
    light, heavy = round(memory.light, 1), round(memory.heavy, 1)
    return told | {"resident_mib": ours, "largest_child_mib": {"light": light, "heavy": heavy}}


def _goals(
    rounds: Sequence[dict[str, Pages]], memory: Memory, settings: Settings
) -> list[Goal]:
    first, *_, last = memory.ours.values()
    # A child is looked at between documents: it may be over its bound by one document.
    light = memory.light * MEBIBYTE / settings.parser_resident_bytes_max
    heavy = memory.heavy * MEBIBYTE / settings.recogniser_resident_bytes_max
    text, ocr = _medians(rounds, "text_ours"), _medians(rounds, "ocr_ours")
    return [
        Goal("text_ms_per_page", text["ms"], "<=", TEXT_MS),
        Goal("ocr_s_per_page", ocr["ms"] / 1000, "<=", OCR_S),
        # The same on a processor that nobody else wants.
        Goal("text_cpu_ms_per_page", text["cpu_ms"], "<=", TEXT_MS),
        Goal("ocr_cpu_s_per_page", ocr["cpu_ms"] / 1000, "<=", OCR_S),
        Goal("parent_growth_mib", last - first, "<=", GROWTH_MIB),
        Goal("text_child_of_its_bound", light, "<=", 1.0),
        Goal("picture_child_of_its_bound", heavy, "<=", 1.0),
    ]


if __name__ == "__main__":
    main()
