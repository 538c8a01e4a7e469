"""A file is cut by its pages: what is asked for, nothing else, and the same each time."""

import pytest

from services.ingest.domain.splitting import part_name, ranges
from shared.errors import Rejected
from tests.doors import cutter
from tests.several_pages import pdf_of, tiff_of, unpacked, widths_of, words_of

PDF, TIFF = "application/pdf", "image/tiff"
THREE = pdf_of("first", "second", "third")


async def test_each_part_holds_its_pages_in_the_order_asked_for() -> None:
    cut = await cutter().cut(THREE, PDF, [[3], [2, 1]])

    assert [words_of(one) for one in cut] == [["third"], ["second", "first"]]


async def test_the_same_part_is_the_same_bytes_each_time() -> None:
    first, again = [await cutter().cut(THREE, PDF, [[1, 2], [3]]) for _ in range(2)]

    assert first == again
    assert first[0] != first[1]


async def test_nothing_of_the_other_pages_is_left_in_a_part() -> None:
    secret = "zz-another-invoice-zz"

    [part, other] = await cutter().cut(pdf_of("mine", secret), PDF, [[1], [2]])

    assert secret.encode() in unpacked(other)
    assert secret.encode() not in unpacked(part)


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "CMYK"])
async def test_the_frames_of_a_tiff_are_its_pages(mode: str) -> None:
    document = tiff_of(30, 31, 32, mode=mode)

    first, again = [await cutter().cut(document, TIFF, [[2], [1, 3]]) for _ in range(2)]

    assert [widths_of(one) for one in first] == [[31], [30, 32]]
    assert first == again


@pytest.mark.parametrize(
    ("document", "kind", "parts", "detail"),
    [
        (THREE, PDF, [[1], [4]], "3 pages"),
        (tiff_of(30, 31), TIFF, [[1], [3]], "2 pages"),
        (b"%PDF-1.7 and then nothing", PDF, [[1], [2]], "cannot be cut"),
        (b"II*\x00 and then nothing", TIFF, [[1], [2]], "cannot be cut"),
    ],
    ids=["no such page", "no such frame", "no PDF", "no TIFF"],
)
async def test_what_cannot_be_cut_says_so(
    document: bytes, kind: str, parts: list[list[int]], detail: str
) -> None:
    with pytest.raises(Rejected, match=detail) as refused:
        await cutter().cut(document, kind, parts)

    assert refused.value.reason == "bad_split"


@pytest.mark.parametrize(
    ("pages", "told"),
    [([1], "1"), ([1, 2, 3], "1-3"), ([1, 2, 5], "1-2,5"), ([3, 1], "3,1"), ([2, 2], "2,2")],
)
def test_pages_are_told_as_ranges(pages: list[int], told: str) -> None:
    assert ranges(pages) == told


@pytest.mark.parametrize(
    ("filename", "told"),
    [
        ("scan.pdf", "scan p1-2.pdf"),
        ("", "document p1-2"),
        ("no suffix", "no suffix p1-2"),
        (
            "a.sentence with a dot far from its end",
            "a.sentence with a dot far from its end p1-2",
        ),
        ("x" * 300 + ".pdf", "x" * 246 + " p1-2.pdf"),
    ],
)
def test_a_part_is_named_after_its_file(filename: str, told: str) -> None:
    assert part_name(filename, [1, 2]) == told
    assert len(part_name(filename, range(1, 400, 2))) <= 255
