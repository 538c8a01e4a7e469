"""A copy within a store: whole, and from then on nobody's but its own.

A store may keep the bytes once for both names, and nobody may notice.
"""

import asyncio

from shared.blobs.port import Blobs

INVOICE = b"%PDF-1.7 invoice 2024-117 " * 40


async def _keys(blobs: Blobs, prefix: str) -> list[str]:
    return sorted([key async for key in blobs.list(prefix)])


async def test_a_copy_is_whole_and_goes_its_own_way(blobs: Blobs) -> None:
    await blobs.put_all(
        {"v/a/1.json": b"first", "v/b/1.json": INVOICE, "v/a/2.json": b"second"}
    )

    none = await blobs.copy_all({"day/a.json": "v/a/1.json", "day/b.json": "v/b/1.json"})
    shown = [await blobs.read(key) for key in ("day/a.json", "day/b.json")]
    assert (none, shown) == (set(), [b"first", INVOICE])

    # Over another one, over itself, and over one that was put there.
    await blobs.copy_all({"day/a.json": "v/a/2.json", "day/b.json": "v/b/1.json"})
    await blobs.put("day/b.json", b"put here")
    await blobs.copy_all({"day/c.json": "day/b.json"})
    await blobs.delete("v/a/2.json")
    await blobs.delete("day/b.json")

    assert await _keys(blobs, "day/") == ["day/a.json", "day/c.json"]
    assert await blobs.read("day/a.json") == b"second"
    assert await blobs.read("day/c.json") == b"put here"
    assert await blobs.read("v/a/1.json") == b"first"
    assert await blobs.read("v/b/1.json") == INVOICE
    assert await blobs.copy_all({}) == set()


async def test_what_has_nothing_to_copy_is_told_and_stays_what_it_was(blobs: Blobs) -> None:
    await blobs.put_all({"v/1": b"one", "day/old": b"as it was"})

    missing = await blobs.copy_all(
        {"day/old": "v/2", "day/none": "no/folder/3", "day/new": "v/1", "day/below": "v/1/2"}
    )

    assert missing == {"day/old", "day/none", "day/below"}
    assert await _keys(blobs, "day/") == ["day/new", "day/old"]
    assert await blobs.read("day/old") == b"as it was"


async def test_a_reader_of_what_is_copied_over_sees_one_of_the_two(blobs: Blobs) -> None:
    versions = {f"v/{letter}": letter.encode() * 300_000 for letter in "abcdef"}
    await blobs.put_all(versions)
    await blobs.copy_all({"data/current": "v/a"})

    async def replace() -> None:
        for key in versions:
            await blobs.copy_all({"data/current": key})

    async def look() -> list[bytes]:
        return [await blobs.read("data/current") for _ in range(12)]

    _, *seen = await asyncio.gather(replace(), look(), look())

    assert all(data in versions.values() for looks in seen for data in looks)
