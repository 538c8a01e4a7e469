"""Unpacking what a stranger has packed: each trick is refused, by its name, at its price."""

import io
import random
import struct
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from services.ingest.adapters.archives import ZipArchives
from services.ingest.domain.archives import ArchiveLimits, ArchiveMember
from shared.errors import Rejected, Retryable
from tests import builders
from tests.zips import packed, quoting, with_directory

MEBIBYTE = 1 << 20
LIMITS = ArchiveLimits(
    archive_bytes=4 * MEBIBYTE,
    unpacked_bytes=16 * MEBIBYTE,
    member_bytes=8 * MEBIBYTE,
    members=1_000,
)
Taken = list[tuple[str, bytes | str]]


async def in_chunks(data: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(data), 60_000):
        yield data[at : at + 60_000]


async def unpacked(data: bytes, limits: ArchiveLimits = LIMITS) -> Taken:
    """Each member's name with its bytes, or with the reason why there are none."""
    archives = ZipArchives(limits, at_once=1)
    async with archives.unpack(in_chunks(data)) as members:
        return [(one.filename, await _taken(one)) for one in members]


async def _taken(member: ArchiveMember) -> bytes | str:
    if member.refused is not None:
        return member.refused.reason
    try:
        return b"".join([piece async for piece in member.content()])
    except Rejected as refused:
        return refused.reason


async def refused_whole(data: bytes, limits: ArchiveLimits = LIMITS) -> str:
    with pytest.raises(Rejected) as refused:
        await unpacked(data, limits)
    return refused.value.reason


async def test_the_members_of_an_archive_are_its_files_in_their_order() -> None:
    large = random.Random(7).randbytes(2 * MEBIBYTE)
    data = packed(("b.pdf", builders.PDF), ("folder/", b""), ("folder/a.pdf", large))

    assert await unpacked(data) == [("b.pdf", builders.PDF), ("a.pdf", large)]


async def test_an_archive_is_read_when_it_was_written_without_going_back() -> None:
    class OneWay(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise io.UnsupportedOperation

    sheet = OneWay()
    with zipfile.ZipFile(sheet, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("a.pdf", "w", force_zip64=True) as member:
            member.write(builders.PDF)
        archive.comment = b"from the scanner"

    assert await unpacked(sheet.getvalue()) == [("a.pdf", builders.PDF)]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("/etc/cron.d/evil.pdf", "evil.pdf"),
        ("..\\..\\windows\\evil.pdf", "evil.pdf"),
        ("C:\\evil.pdf", "evil.pdf"),
        ("a\r\nX-Owner: b.pdf", "aX-Owner: b.pdf"),
        ("gnp.\u202efdp", "gnp.fdp"),
        ("x" * 300 + ".pdf", "x" * 255),
    ],
)
async def test_a_name_is_only_a_label(name: str, shown: str) -> None:
    assert await unpacked(packed((name, builders.PDF))) == [(shown, builders.PDF)]


async def test_a_name_in_utf8_is_read_whether_it_says_so_or_not() -> None:
    said = packed(("Rück.pdf", builders.PDF))
    unsaid = packed(("R__ck.pdf", builders.PDF)).replace(b"R__ck", "Rück".encode())
    old = packed(("R_ck.pdf", builders.PDF)).replace(b"R_ck", "Rück".encode("cp437"))

    assert [(await unpacked(data))[0][0] for data in (said, unsaid, old)] == ["Rück.pdf"] * 3


@pytest.mark.filterwarnings("ignore:Duplicate name")
async def test_two_members_of_one_name_are_two_members() -> None:
    data = packed(("a.pdf", b"one"), ("a.pdf", b"two"), ("2026/a.pdf", b"three"))

    assert await unpacked(data) == [("a.pdf", b"one"), ("a.pdf", b"two"), ("a.pdf", b"three")]


async def test_what_systems_leave_behind_is_not_there() -> None:
    litter = ("__MACOSX/._a.pdf", ".DS_Store", "deep/Thumbs.db", "old\\")

    data = packed(("a.pdf", builders.PDF), *((name, b"rubbish") for name in litter))

    assert await unpacked(data) == [("a.pdf", builders.PDF)]


async def test_a_refused_member_keeps_no_other_out() -> None:
    inner = packed(("a.pdf", builders.PDF))
    data = packed(("a.pdf", builders.PDF), ("inner.zip", inner), ("z.gz", b"\x1f\x8b..."))

    assert await unpacked(data) == [
        ("a.pdf", builders.PDF),
        ("inner.zip", "nested_archive"),
        ("z.gz", "nested_archive"),
    ]


async def test_a_locked_member_is_refused() -> None:
    def lock(line: bytearray) -> None:
        line[8] |= 1

    data = with_directory(packed(("a.pdf", b"1"), ("b.pdf", b"2")), b"b.pdf", lock)

    assert await unpacked(data) == [("a.pdf", b"1"), ("b.pdf", "encrypted")]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
async def test_a_packing_that_may_take_any_memory_is_refused(method: int) -> None:
    assert await unpacked(packed(("a.pdf", b"1"), method=method)) == [("a.pdf", "unreadable")]


async def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    data = packed(("bomb.bmp", bytes(4 * MEBIBYTE)), ("a.pdf", builders.PDF))

    assert await unpacked(data) == [("bomb.bmp", "too_large"), ("a.pdf", builders.PDF)]


async def test_a_small_blank_page_is_no_bomb() -> None:
    assert await unpacked(packed(("page.bmp", bytes(MEBIBYTE)))) == [
        ("page.bmp", bytes(MEBIBYTE))
    ]


async def test_a_member_larger_than_a_document_may_be_is_refused() -> None:
    data = packed(("a.pdf", bytes(range(100)) * 100), method=zipfile.ZIP_STORED)

    assert await unpacked(data, replace(LIMITS, member_bytes=9_999)) == [("a.pdf", "too_large")]


async def test_an_archive_is_refused_that_unpacks_to_more_than_is_taken() -> None:
    page = bytes(range(256)) * 400
    data = packed(*((f"{number}.pdf", page) for number in range(11)))

    assert await refused_whole(data, replace(LIMITS, unpacked_bytes=MEBIBYTE)) == "too_large"


async def test_an_archive_is_refused_that_is_larger_than_is_taken() -> None:
    data = packed(("a.pdf", bytes(100_000)), method=zipfile.ZIP_STORED)

    assert await refused_whole(data, replace(LIMITS, archive_bytes=90_000)) == "too_large"


async def test_a_thousand_members_are_taken_and_one_more_is_not() -> None:
    files = [(f"{number}.pdf", b"%PDF") for number in range(1_001)]

    assert len(await unpacked(packed(*files[:1_000]))) == 1_000
    assert await refused_whole(packed(*files)) == "bad_archive"


async def test_a_directory_that_would_fill_our_memory_is_not_read() -> None:
    data = packed(*((f"{number:0200}", b"") for number in range(5_000)))

    with pytest.raises(Rejected) as refused:
        await unpacked(data)

    assert "too long" in str(refused.value.__cause__)


async def test_members_that_share_their_bytes_are_refused() -> None:
    """Many lines of the directory over one member: each unpacks the same bytes again."""
    data = packed(("a.pdf", bytes(100_000)), ("b.pdf", b""))
    [first] = struct.unpack_from("<L", data, data.rfind(b"PK\x05\x06") + 16)
    line_bytes = 46 + len("a.pdf")

    def point_to_the_first(line: bytearray) -> None:
        line[42:46] = data[first + 42 : first + 46]

    shared = with_directory(data, b"b.pdf", point_to_the_first)

    assert shared != data
    assert len(data) > first + 2 * line_bytes
    assert await refused_whole(shared) == "bad_archive"


async def test_a_member_that_quotes_the_header_of_the_next_is_refused() -> None:
    data = quoting()

    assert zipfile.ZipFile(io.BytesIO(data)).read("b") == bytes(100_000)
    assert await refused_whole(data) == "bad_archive"


async def test_a_directory_that_lies_about_a_size_is_found_out() -> None:
    def smaller(line: bytearray) -> None:
        line[24:28] = struct.pack("<L", 10)

    data = packed(("a.pdf", b"1"), ("b.pdf", bytes(1_000)))

    assert await unpacked(with_directory(data, b"b.pdf", smaller)) == [
        ("a.pdf", b"1"),
        ("b.pdf", "unreadable"),
    ]


async def test_a_damaged_member_is_found_out() -> None:
    data = packed(("a.pdf", builders.PDF), method=zipfile.ZIP_STORED)

    assert await unpacked(data.replace(b"%PDF", b"%pdf")) == [("a.pdf", "unreadable")]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"PK\x03\x04 and no end", id="a beginning only"),
        pytest.param(builders.PDF, id="no archive at all"),
        pytest.param(b"PK\x05\x06" + b"\xff" * 18, id="an end only"),
        pytest.param(packed(("a.pdf", builders.PDF))[:-30], id="cut off"),
        pytest.param(packed(("a.pdf", b"1")).replace(b"PK\x03\x04", b"PK\x03\x05"), id="torn"),
    ],
)
async def test_what_is_no_archive_is_refused(data: bytes) -> None:
    assert await refused_whole(data) == "bad_archive"


async def test_an_archive_without_a_file_is_empty() -> None:
    assert await refused_whole(packed(("folder/", b""))) == "empty"


async def test_no_end_of_an_archive_is_more_than_a_refusal() -> None:
    """Every byte of the directory turned once: refused, unpacked or found out, never a bug."""
    data = packed(("a.pdf", builders.PDF), ("b.pdf", bytes(5_000)))
    begins = data.index(b"PK\x01\x02")

    for at in range(begins, len(data)):
        turned = bytearray(data)
        turned[at] ^= 0xFF
        try:
            await unpacked(bytes(turned))
        except Rejected as refused:
            assert refused.reason in ("bad_archive", "too_large", "empty")


async def test_more_archives_at_once_than_have_room_are_told_to_come_back() -> None:
    archives = ZipArchives(LIMITS, at_once=1)
    data = packed(("a.pdf", builders.PDF))

    async with archives.unpack(in_chunks(data)):
        with pytest.raises(Retryable):
            async with archives.unpack(in_chunks(data)):
                pass

    async with archives.unpack(in_chunks(data)) as members:
        assert len(members) == 1
