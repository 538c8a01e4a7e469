"""What every store of blobs promises: in memory, on a disk, in a bucket.

Handlers are tested on the first and run on the others; a difference between them would be a
bug that no unit test can see.
"""

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest

from shared.blobs.keys import BadKey
from shared.blobs.pieces import PIECE_BYTES, in_one_piece
from shared.blobs.port import Blobs, TooLarge
from shared.errors import Rejected

INVOICE = b"%PDF-1.7 invoice 2024-117 " * 40
# More than one part of a multipart upload, and not a multiple of a piece.
BOOK = bytes(range(256)) * (9 * PIECE_BYTES // 256) + b"the end"


async def _stream(data: bytes, chunk_bytes: int = 70_001) -> AsyncIterator[bytes]:
    for at in range(0, len(data), chunk_bytes):
        yield data[at : at + chunk_bytes]


async def _all(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


async def _keys(blobs: Blobs, prefix: str) -> list[str]:
    return [key async for key in blobs.list(prefix)]


@pytest.mark.parametrize("data", [b"", INVOICE, BOOK], ids=["empty", "small", "in parts"])
async def test_a_stream_is_kept_under_its_digest(blobs: Blobs, data: bytes) -> None:
    blob = await blobs.write(_stream(data))

    digest = sha256(data).hexdigest()
    assert (blob.key, blob.size) == (f"sha256/{digest[:2]}/{digest}", len(data))
    assert blob.sha256 == digest
    assert await blobs.read(blob.key) == data
    assert await _all(blobs.stream(blob.key)) == data
    assert await blobs.size(blob.key) == len(data)


async def test_the_same_bytes_twice_are_one_blob(blobs: Blobs) -> None:
    first = await blobs.write(in_one_piece(INVOICE))
    second = await blobs.write(_stream(INVOICE, chunk_bytes=3))

    assert first == second
    assert await _keys(blobs, "sha256/") == [first.key]


async def test_many_writers_of_the_same_bytes_agree(blobs: Blobs) -> None:
    written = await asyncio.gather(*(blobs.write(_stream(INVOICE)) for _ in range(12)))

    assert len(set(written)) == 1
    assert await blobs.read(written[0].key) == INVOICE


@pytest.mark.parametrize("data", [INVOICE, BOOK], ids=["small", "in parts"])
async def test_a_stream_over_the_limit_leaves_nothing(blobs: Blobs, data: bytes) -> None:
    with pytest.raises(TooLarge) as raised:
        await blobs.write(_stream(data), limit_bytes=len(data) - 1)

    assert raised.value.reason == "too_large"
    assert await _keys(blobs, "") == []
    assert (await blobs.write(_stream(data), limit_bytes=len(data))).size == len(data)


async def test_an_endless_stream_is_cut_at_its_limit(blobs: Blobs) -> None:
    given = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal given
        while True:
            given += 50_000
            yield b"x" * 50_000

    with pytest.raises(TooLarge):
        await blobs.write(endless(), limit_bytes=3_000_000)

    assert given <= 3_050_000


async def test_a_client_who_hangs_up_is_not_an_outage_of_the_store(blobs: Blobs) -> None:
    async def torn() -> AsyncIterator[bytes]:
        yield b"x" * PIECE_BYTES
        raise ConnectionResetError("the client went away")

    with pytest.raises(ConnectionResetError):
        await blobs.write(torn())

    assert await _keys(blobs, "") == []


async def test_a_reader_of_too_much_is_told_before_it_is_read(blobs: Blobs) -> None:
    await blobs.put("results/one.json", INVOICE)

    with pytest.raises(TooLarge):
        await blobs.read("results/one.json", limit_bytes=len(INVOICE) - 1)

    assert await blobs.read("results/one.json", limit_bytes=len(INVOICE)) == INVOICE


async def test_bytes_that_are_not_what_their_key_says_are_refused(blobs: Blobs) -> None:
    key = (await blobs.write(_stream(INVOICE))).key
    await blobs.put(key, INVOICE[:-1] + b"?")

    with pytest.raises(Rejected, match="source_corrupt"):
        await blobs.read(key)
    with pytest.raises(Rejected, match="source_corrupt"):
        await _all(blobs.stream(key))

    # Whoever brings the right bytes again heals it.
    await blobs.write(_stream(INVOICE))
    assert await blobs.read(key) == INVOICE


async def test_what_is_not_there_is_missing_and_not_an_outage(blobs: Blobs) -> None:
    key = f"sha256/ab/ab{'0' * 62}"

    with pytest.raises(Rejected, match="source_missing"):
        await blobs.read(key)
    with pytest.raises(Rejected, match="source_missing"):
        await _all(blobs.stream(key))

    assert await blobs.size(key) is None


async def test_a_put_replaces_what_was_there(blobs: Blobs) -> None:
    await blobs.put("data/json/2024/05/01/a.json", b"first")
    await blobs.put("data/json/2024/05/01/a.json", b"second")

    assert await blobs.read("data/json/2024/05/01/a.json") == b"second"


async def test_what_need_not_be_durable_is_there_all_the_same(blobs: Blobs) -> None:
    await blobs.put("logs/one/job.log", b"first", durable=False)
    await blobs.put("logs/one/job.log", b"second", durable=False)

    assert await blobs.read("logs/one/job.log") == b"second"
    assert [key async for key in blobs.list("logs/")] == ["logs/one/job.log"]


async def test_a_reader_sees_the_old_bytes_or_the_new_and_never_a_mix(blobs: Blobs) -> None:
    versions = [bytes([letter]) * 300_000 for letter in b"abcdef"]
    await blobs.put("data/current", versions[0])

    async def replace() -> None:
        for version in versions[1:]:
            await blobs.put("data/current", version)

    async def look() -> list[bytes]:
        return [await blobs.read("data/current") for _ in range(12)]

    _, *seen = await asyncio.gather(replace(), look(), look())

    assert all(data in versions for looks in seen for data in looks)


async def test_one_of_many_wins_a_new_key(blobs: Blobs) -> None:
    offers = [f"version {n}".encode() for n in range(16)]

    won = await asyncio.gather(*(blobs.put_new("versions/1.json", one) for one in offers))

    assert won.count(True) == 1
    assert await blobs.read("versions/1.json") == offers[won.index(True)]


async def test_many_puts_at_once_are_all_kept(blobs: Blobs) -> None:
    items = {f"data/parquet/2024/05/{n % 7 + 1:02}/{n}.parquet": bytes([n]) for n in range(40)}

    await blobs.put_all(items)

    assert {key: await blobs.read(key) for key in items} == items
    await blobs.put_all({})


@pytest.mark.parametrize("data", [b"", INVOICE, BOOK * 4], ids=["empty", "small", "in parts"])
async def test_a_file_is_put_whole_and_left_as_it_is(
    blobs: Blobs, tmp_path: Path, data: bytes
) -> None:
    file = tmp_path / "compacted.parquet"
    file.write_bytes(data)
    await blobs.put("data/compacted/2024.parquet", b"what was there before")

    await blobs.put_file("data/compacted/2024.parquet", file)

    assert await blobs.read("data/compacted/2024.parquet") == data
    assert file.read_bytes() == data


async def test_a_file_that_is_not_there_is_a_bug_and_no_outage(
    blobs: Blobs, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError):
        await blobs.put_file("data/a.parquet", tmp_path / "nothing")

    assert await blobs.size("data/a.parquet") is None


async def test_a_range_is_read_without_the_rest(blobs: Blobs) -> None:
    key = (await blobs.write(_stream(BOOK))).key

    assert await _all(blobs.stream(key, start=5, length=10)) == BOOK[5:15]
    assert await _all(blobs.stream(key, start=len(BOOK) - 7)) == b"the end"
    assert await _all(blobs.stream(key, start=len(BOOK) - 3, length=100)) == b"end"
    assert await _all(blobs.stream(key, length=0)) == b""
    assert await _all(blobs.stream(key, start=len(BOOK))) == b""


async def test_a_reader_may_leave_in_the_middle_of_a_stream(blobs: Blobs) -> None:
    key = (await blobs.write(_stream(BOOK))).key
    pieces = blobs.stream(key)

    first = await anext(pieces)
    await pieces.aclose()  # type: ignore[attr-defined]  # every implementation is a generator

    assert BOOK.startswith(first)
    assert first


async def test_every_key_under_a_prefix_is_listed_once(blobs: Blobs) -> None:
    keys = ["a-b", "a/b/c", "a/b0", "a/b_c/d", "b/a", "b.json", "versions/1/x", "versions/10"]
    await blobs.put_all({key: b"." for key in keys})

    # In which order is each store's own affair: one compares whole keys, another folders.
    assert sorted(await _keys(blobs, "")) == sorted(keys)
    assert sorted(await _keys(blobs, "a/b")) == ["a/b/c", "a/b0", "a/b_c/d"]
    assert await _keys(blobs, "versions/1/") == ["versions/1/x"]
    assert await _keys(blobs, "nothing/here") == []


async def test_more_keys_than_a_page_holds_are_all_listed(blobs: Blobs) -> None:
    keys = {f"many/{n:04}" for n in range(1_050)}
    await blobs.put_all(dict.fromkeys(keys, b"."))

    assert await _keys(blobs, "many/") == sorted(keys)


async def test_deleting_twice_is_deleting_once(blobs: Blobs) -> None:
    key = (await blobs.write(_stream(INVOICE))).key

    await blobs.delete(key)
    await blobs.delete(key)
    await blobs.delete("never/was/there")

    assert await blobs.size(key) is None
    assert await _keys(blobs, "") == []


@pytest.mark.parametrize(
    "key",
    ["", "/etc/passwd", "a..b", "a/../../b", "..", "a//b", "a/", ".temp/x", "a/.b", "A", "a b",
     "a\n", "ä", "a\x00b", "con\\x", "x" * 201, "a/" * 300 + "a"],
)  # fmt: skip
async def test_a_key_that_could_leave_the_store_is_refused(blobs: Blobs, key: str) -> None:
    with pytest.raises(BadKey):
        await blobs.put(key, b"")
    with pytest.raises(BadKey):
        await blobs.read(key)
    with pytest.raises(BadKey):
        await blobs.size(key)
    with pytest.raises(BadKey):
        await blobs.put_file(key, Path(__file__))
    with pytest.raises(BadKey):
        await blobs.copy_all({key: "a"})
    with pytest.raises(BadKey):
        await blobs.copy_all({"a": key})


async def test_a_store_that_answers_passes_its_check(blobs: Blobs) -> None:
    await blobs.check()


async def test_sweeping_removes_no_blob(blobs: Blobs) -> None:
    key = (await blobs.write(_stream(INVOICE))).key

    assert await blobs.sweep_temp(older_than_s=0) == 0
    assert await blobs.read(key) == INVOICE
