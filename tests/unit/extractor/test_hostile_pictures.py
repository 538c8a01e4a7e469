"""Files made to harm whoever looks at them: those that render pages and recognise text."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest
from _pytest.mark import ParameterSet

from services.extractor.adapters.parser.sandbox import (
    ChildLimits,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.adapters.parser.tasks import HEAVY
from tests import hostile, hostile_pictures
from tests.unit.extractor.pictures import INVOICE, drawn, saved
from tests.unit.extractor.test_hostile_files import (
    MEBIBYTE,
    OUTCOMES,
    READ,
    Made,
    outcome,
    resident_bytes,
)

CHILD = ChildLimits(
    # What the models reserve is a multiple of what they use.
    **{"memory_bytes": 2048 * MEBIBYTE, "cpu_s": 5, "wall_s": 30, "at_once": 2},
    documents_max=100,
    pages_max=200,
)
LIMITS = SandboxLimits(ReadLimits(pages=20, chars=100_000, pixels=20_000_000), CHILD, CHILD)
TYPED = OUTCOMES | {READ, "unsupported_format"}
FILES = {**hostile.LOOPS, **hostile.LIES, **hostile.BOMBS, **hostile_pictures.PICTURES}


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(LIMITS) as sandbox:
        yield sandbox


def good() -> bytes:
    return saved(drawn(*INVOICE), "PNG")


def cases(files: Mapping[str, tuple[str, Made]]) -> list[ParameterSet]:
    return [
        pytest.param(task, media_type, make, id=f"{task}: {name}")
        for name, (media_type, make) in files.items()
        for task in sorted(HEAVY)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "media_type", "make"), cases(FILES))
async def test_whatever_is_looked_at_ends_with_an_outcome_and_costs_the_parent_nothing(
    task: str, media_type: str, make: Made, sandbox: Sandbox
) -> None:
    content = make()
    before = resident_bytes()

    assert await outcome(sandbox, task, media_type, content) in TYPED
    assert resident_bytes() - before < 10 * MEBIBYTE


@pytest.mark.parametrize("task", sorted(HEAVY))
async def test_a_picture_that_claims_too_much_is_refused_before_it_is_decoded(
    task: str, sandbox: Sandbox
) -> None:
    claims = [
        *(
            hostile_pictures.tiff_of_one_line,
            hostile_pictures.gif_bomb,
            hostile_pictures.bmp_bomb,
        ),
        *(
            hostile_pictures.jpeg_bomb,
            hostile_pictures.webp_bomb,
            hostile.png_bomb,
            hostile_pictures.tiff_of_pages,
        ),
    ]
    types = {make: media_type for media_type, make in FILES.values()}

    ended = [await outcome(sandbox, task, types[make], make()) for make in claims]

    assert ended == ["too_large"] * len(claims)


@pytest.mark.parametrize("task", sorted(HEAVY))
async def test_noise_behind_the_mark_of_any_format_ends_with_an_outcome(
    task: str, sandbox: Sandbox
) -> None:
    ended = [
        await outcome(sandbox, task, media_type, content)
        for media_type, content in hostile.noise()
    ]

    assert {*ended} <= TYPED


@pytest.mark.slow
async def test_good_pictures_do_not_notice_bad_ones_beside_them(sandbox: Sandbox) -> None:
    bad = [hostile.BOMBS["a stream packed twice"], hostile.LOOPS["a loop of forms"]]
    bad += [(hostile.PNG, hostile.png_bomb), (hostile.PNG, bytes), (hostile.PDF, bytes)]

    ended = await asyncio.gather(
        *(
            outcome(sandbox, task, media_type, content)
            for spoilt, make in bad
            for task, media_type, content in (
                ("recognise", hostile.PNG, good()),
                ("recognise", spoilt, make()),
                ("pages", hostile.PNG, good()),
            )
        )
    )

    assert [*ended[0::3], *ended[2::3]] == [READ] * (2 * len(bad))


@pytest.mark.slow
async def test_hundreds_of_broken_pictures_leave_no_memory_behind_in_the_parent(
    sandbox: Sandbox,
) -> None:
    kinds = {"image/png": "PNG", "image/jpeg": "JPEG", "image/tiff": "TIFF", "image/gif": "GIF"}
    whole = {
        media_type: saved(drawn(*INVOICE[:2], width=400), kind)
        for media_type, kind in kinds.items()
    }

    async def round_of(seeds: range) -> set[str]:
        return {
            await outcome(sandbox, task, media_type, hostile.flipped(seed, content))
            for seed in seeds
            for media_type, content in whole.items()
            for task in HEAVY
        }

    ended = await round_of(range(10))
    before = resident_bytes()
    ended |= await round_of(range(10, 40))

    assert ended <= TYPED
    assert resident_bytes() - before < 10 * MEBIBYTE
