"""The painter on real files: every format and page upright, and files made to harm."""

import asyncio
import io
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from PIL import Image

from services.review.adapters.painter.pooled import PainterLimits, PooledPainter
from services.review.domain.pages import Page
from shared.errors import Rejected
from shared.pages.limits import ShowLimits
from tests import hostile, hostile_pictures
from tests.unit.extractor.pictures import INVOICE, drawn, saved
from tests.unit.extractor.test_hostile_files import MEBIBYTE, OUTCOMES, Made, resident_bytes

LIMITS = PainterLimits(
    read=ShowLimits(pages=20, chars=100_000, pixels=20_000_000),
    **{"memory_bytes": 768 * MEBIBYTE, "cpu_s": 2, "wall_s": 15, "at_once": 2},
)
SAMPLES = Path(__file__).parents[3] / "deploy" / "samples"
TYPED = OUTCOMES | {"unsupported_format"}
FORMATS = {
    **{"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WEBP", "image/gif": "GIF"},
    **{"image/tiff": "TIFF", "image/bmp": "BMP"},
}
TASKS = ("draw", "read_words", "measure")


@pytest.fixture(scope="module")
async def painter() -> AsyncIterator[PooledPainter]:
    painter = PooledPainter(LIMITS)
    yield painter
    await painter.close()


def seen(png: bytes | None) -> Image.Image:
    assert png is not None
    image = Image.open(io.BytesIO(png), formats=["PNG"])
    image.load()
    return image


def marked(width: int = 600, height: int = 400) -> Image.Image:
    """White, with its upper left quarter black."""
    picture = Image.new("RGB", (width, height), "white")
    picture.paste("black", (0, 0, width // 2, height // 2))
    return picture


def dark_corner(image: Image.Image) -> tuple[int, int]:
    """Which quarter is black, across and down."""
    grey = image.convert("L")
    across, down = image.width // 4, image.height // 4
    places = [(x, y) for x in (0, 1) for y in (0, 1)]
    [found] = [
        (x, y)
        for x, y in places
        if grey.getpixel((across + x * 2 * across, down + y * 2 * down)) == 0
    ]
    return found


@pytest.mark.parametrize("kind", FORMATS)
async def test_an_image_is_drawn_as_it_is_and_never_made_larger(
    painter: PooledPainter, kind: str
) -> None:
    content = saved(marked(), FORMATS[kind])

    small = seen(await painter.draw(content, kind, 1, 300))
    whole = seen(await painter.draw(content, kind, 1, 1280))

    assert (small.size, whole.size) == ((300, 200), (600, 400))
    assert dark_corner(small) == dark_corner(whole) == (0, 0)
    assert await painter.measure(content, kind) == [Page(1, 600, 400)]
    assert await painter.read_words(content, kind, 1) == []
    assert await painter.draw(content, kind, 2, 300) is None


async def test_a_photograph_is_turned_as_the_camera_says(painter: PooledPainter) -> None:
    # On its side: what is shown has its dark quarter at the upper right.
    turned = Image.Exif()
    turned[0x0112] = 6
    content = saved(marked(), "JPEG", exif=turned)

    image = seen(await painter.draw(content, "image/jpeg", 1, 200))

    assert image.size == (200, 300)
    assert dark_corner(image) == (1, 0)
    assert await painter.measure(content, "image/jpeg") == [Page(1, 400, 600)]


async def test_every_frame_of_a_tiff_is_a_page(painter: PooledPainter) -> None:
    frames = [marked(600, 400), marked(300, 500), marked(200, 200)]
    content = saved(frames[0], "TIFF", save_all=True, append_images=frames[1:])

    sizes = [
        seen(await painter.draw(content, "image/tiff", number, 1280)).size
        for number in (1, 2, 3)
    ]

    assert sizes == [(600, 400), (300, 500), (200, 200)]
    pages = await painter.measure(content, "image/tiff")
    assert [(one.width, one.height) for one in pages] == sizes
    assert await painter.draw(content, "image/tiff", 4, 1280) is None


async def test_a_page_of_a_pdf_is_drawn_in_the_width_that_is_asked_for(
    painter: PooledPainter,
) -> None:
    content = hostile.sample()

    [page] = await painter.measure(content, hostile.PDF)
    sizes = [
        seen(await painter.draw(content, hostile.PDF, 1, width)).size
        for width in (640, 1280, 2560)
    ]

    assert (round(page.width), round(page.height)) == (595, 842)
    assert [width for width, _ in sizes] == [640, 1280, pytest.approx(2560, abs=60)]
    assert all(width * height <= 9_100_000 for width, height in sizes)
    assert await painter.draw(content, hostile.PDF, 2, 640) is None


@pytest.mark.parametrize(("turn", "corner"), [(0, (0, 0)), (90, (1, 0)), (180, (1, 1))])
async def test_a_turned_page_is_drawn_and_measured_as_it_is_displayed(
    painter: PooledPainter, turn: int, corner: tuple[int, int]
) -> None:
    box = b"/MediaBox[0 0 600 800]/Rotate %d" % turn
    page = hostile.PAGE.replace(b"/MediaBox[0 0 600 800]", box) % hostile.FONT
    content = hostile.pdf(
        [hostile.CATALOG, hostile.PAGES, page, hostile.stream(b"0 g 0 400 300 400 re f")]
    )

    image = seen(await painter.draw(content, hostile.PDF, 1, 200))
    [size] = await painter.measure(content, hostile.PDF)

    assert dark_corner(image) == corner
    assert (size.width > size.height) == (turn == 90)


async def test_words_stand_where_they_are_printed(painter: PooledPainter) -> None:
    content = hostile.page_with(hostile.stream(hostile.TEXT))

    words = await painter.read_words(content, hostile.PDF, 1)
    picture = seen(await painter.draw(content, hostile.PDF, 1, 1280)).convert("L")

    assert words is not None
    assert [one.text for one in words] == ["Total", "119.00", "EUR"]
    for one in words:
        left, top, right, bottom = one.bbox
        box = (
            int(left * picture.width), int(top * picture.height),
            int(right * picture.width), int(bottom * picture.height),
        )  # fmt: skip
        assert min(picture.crop(box).tobytes()) < 100, one
    assert await painter.read_words(content, hostile.PDF, 2) is None


async def test_a_file_with_a_password_is_told_as_such(painter: PooledPainter) -> None:
    content = (SAMPLES / "unreadable" / "encrypted.pdf").read_bytes()

    assert {await outcome(painter, task, hostile.PDF, content) for task in TASKS} == {
        "encrypted"
    }


async def outcome(painter: PooledPainter, task: str, media_type: str, content: bytes) -> str:
    try:
        if task == "measure":
            await painter.measure(content, media_type)
        elif task == "draw":
            await painter.draw(content, media_type, 1, 1280)
        else:
            await painter.read_words(content, media_type, 1)
    except Rejected as refused:
        return refused.reason
    return "shown"


def cases(files: Mapping[str, tuple[str, Made]]) -> list[ParameterSet]:
    return [
        pytest.param(task, media_type, make, id=f"{task}: {name}")
        for name, (media_type, make) in files.items()
        for task in TASKS
    ]


LIGHT = {**hostile.LOOPS, **hostile.LIES}
HEAVY = {**hostile.BOMBS, **hostile_pictures.PICTURES}


@pytest.mark.parametrize(("task", "media_type", "make"), cases(LIGHT))
async def test_a_loop_or_a_lie_ends_with_an_outcome(
    task: str, media_type: str, make: Made, painter: PooledPainter
) -> None:
    assert await outcome(painter, task, media_type, make()) in TYPED | {"shown"}


@pytest.mark.slow
@pytest.mark.parametrize(("task", "media_type", "make"), cases(HEAVY))
async def test_a_bomb_ends_with_an_outcome_and_costs_the_parent_nothing(
    task: str, media_type: str, make: Made, painter: PooledPainter
) -> None:
    content = make()
    before = resident_bytes()

    assert await outcome(painter, task, media_type, content) in TYPED | {"shown"}
    assert resident_bytes() - before < 10 * MEBIBYTE


@pytest.mark.parametrize("task", TASKS)
async def test_noise_behind_the_mark_of_any_format_ends_with_an_outcome(
    task: str, painter: PooledPainter
) -> None:
    ended = [
        await outcome(painter, task, media_type, content)
        for media_type, content in hostile.noise()
    ]

    assert {*ended} <= TYPED | {"shown"}


async def test_good_pages_do_not_notice_bad_ones_beside_them(painter: PooledPainter) -> None:
    good, picture = hostile.sample(), saved(drawn(*INVOICE), "PNG")
    _, crash = hostile.BOMBS["a stream packed twice"]
    bad = [crash(), hostile.flat_page(), hostile.form_loop(), b"", hostile.page_tree_loop()]

    ended = await asyncio.gather(
        *(
            outcome(painter, "draw", media_type, content)
            for one in bad
            for media_type, content in (
                (hostile.PDF, good),
                (hostile.PDF, one),
                ("image/png", picture),
            )
        )
    )

    assert [*ended[0::3], *ended[2::3]] == ["shown"] * (2 * len(bad))


@pytest.mark.slow
async def test_hundreds_of_broken_documents_leave_no_memory_behind_in_the_parent(
    painter: PooledPainter,
) -> None:
    async def round_of(seeds: range) -> set[str]:
        return {
            await outcome(painter, task, hostile.PDF, hostile.flipped(seed))
            for seed in seeds
            for task in TASKS
        }

    ended = await round_of(range(30))
    before = resident_bytes()
    ended |= await round_of(range(30, 150))

    assert ended <= TYPED | {"shown"}
    assert resident_bytes() - before < 10 * MEBIBYTE


async def test_a_child_is_told_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERLINE_SECRET", "hidden")
    painter = PooledPainter(LIMITS)
    await painter.draw(hostile.sample(), hostile.PDF, 1, 640)
    [worker] = painter._pool._all

    environment = Path(f"/proc/{worker.pid}/environ").read_bytes()
    await painter.close()

    assert b"PAPERLINE" not in environment
