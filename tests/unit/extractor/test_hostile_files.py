"""Files made to harm: each ends with an outcome, and nobody else notices."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from uuid import uuid4

import pytest
from _pytest.mark import ParameterSet

from services.extractor.adapters.parser.sandbox import (
    ChildLimits,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.adapters.parser.tasks import HEAVY, TASKS
from services.extractor.domain.reading import Scan
from shared.errors import Rejected
from tests import builders, hostile

MEBIBYTE = 1 << 20
LIMITS = SandboxLimits(
    ReadLimits(pages=20, chars=100_000, pixels=20_000_000),
    ChildLimits(memory_bytes=256 * MEBIBYTE, cpu_s=1, wall_s=10, at_once=2),
)
OUTCOMES = {
    "encrypted",
    "no_text_layer",
    "parser_crashed",
    "parser_timeout",
    "too_large",
    "unreadable",
    "unsupported_media_type",
}
READ = "read"
# Those that need no model: what recognises has children and limits of its own.
LIGHT = [name for name in TASKS if name not in HEAVY]
Made = Callable[[], bytes]


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(LIMITS) as sandbox:
        yield sandbox


async def outcome(sandbox: Sandbox, task: str, media_type: str, content: bytes) -> str:
    scan = Scan(uuid4(), builders.OWNER, builders.SHA256, media_type, content)
    try:
        await sandbox.ask(task, scan)
    except Rejected as refused:
        return refused.reason
    return READ


def cases(files: Mapping[str, tuple[str, Made]]) -> list[ParameterSet]:
    return [
        pytest.param(task, media_type, make, id=f"{task}: {name}")
        for name, (media_type, make) in files.items()
        for task in LIGHT
    ]


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(
    ("task", "media_type", "make"), cases({**hostile.LOOPS, **hostile.LIES})
)
async def test_a_loop_or_a_lie_ends_with_an_outcome(
    task: str, media_type: str, make: Made, sandbox: Sandbox
) -> None:
    assert await outcome(sandbox, task, media_type, make()) in OUTCOMES | {READ}


@pytest.mark.slow
@pytest.mark.parametrize(("task", "media_type", "make"), cases(hostile.BOMBS))
async def test_a_bomb_ends_with_an_outcome(
    task: str, media_type: str, make: Made, sandbox: Sandbox
) -> None:
    assert await outcome(sandbox, task, media_type, make()) in OUTCOMES | {READ}


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("a stream packed twice", {"parser_crashed", "too_large", "parser_timeout"}),
        ("100000 pages", {"too_large"}),
    ],
)
async def test_what_costs_too_much_is_named(
    name: str, reasons: set[str], sandbox: Sandbox
) -> None:
    media_type, make = hostile.BOMBS[name]

    assert await outcome(sandbox, "offline", media_type, make()) in reasons


async def test_an_attachment_that_inflates_without_end_does_not_stop_the_page_from_being_read(
    sandbox: Sandbox,
) -> None:
    content = hostile.attachment_bomb()

    assert len(content) < MEBIBYTE
    assert await outcome(sandbox, "offline", hostile.PDF, content) == READ


@pytest.mark.parametrize("task", LIGHT)
async def test_noise_behind_the_mark_of_any_format_ends_with_an_outcome(
    task: str, sandbox: Sandbox
) -> None:
    ended = [
        await outcome(sandbox, task, media_type, content)
        for media_type, content in hostile.noise()
    ]

    assert {*ended} <= OUTCOMES | {READ}


async def test_good_documents_do_not_notice_bad_ones_beside_them(sandbox: Sandbox) -> None:
    good = hostile.sample()
    _, crash = hostile.BOMBS["a stream packed twice"]
    bad = [crash(), hostile.flat_page(), hostile.form_loop(), b"", hostile.page_tree_loop()]

    ended = await asyncio.gather(
        *(
            outcome(sandbox, "offline", hostile.PDF, content)
            for one in bad
            for content in (good, one, good)
        )
    )

    assert [*ended[0::3], *ended[2::3]] == [READ] * (2 * len(bad))


@pytest.mark.slow
async def test_hundreds_of_broken_documents_leave_no_memory_behind_in_the_parent(
    sandbox: Sandbox,
) -> None:
    async def round_of(seeds: range) -> set[str]:
        return {
            await outcome(sandbox, task, hostile.PDF, hostile.flipped(seed))
            for seed in seeds
            for task in LIGHT
        }

    ended = await round_of(range(50))
    before = resident_bytes()
    ended |= await round_of(range(50, 300))

    assert ended <= OUTCOMES | {READ}
    assert resident_bytes() - before < 10 * MEBIBYTE
