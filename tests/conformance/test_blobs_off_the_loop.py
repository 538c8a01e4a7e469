"""No store of blobs waits for its disk on the event loop, whatever is asked of it."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from shared.blobs.open import BlobOptions, open_blobs
from shared.blobs.pieces import PIECE_BYTES
from shared.blobs.port import Blobs
from shared.errors import Rejected
from tests.conformance.seaweed import BUCKET
from tests.off_the_loop import disk_on_the_loop

LARGE = b"." * (9 * PIECE_BYTES)


@pytest.fixture(params=["filesystem", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    if request.param == "filesystem":
        return open_blobs(f"file://{tmp_path}/blobs")
    options: BlobOptions = request.getfixturevalue("s3_server")
    return open_blobs(f"s3://{BUCKET}/{uuid4().hex}", options)


async def _stream(data: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(data), 100_000):
        yield data[at : at + 100_000]


async def test_a_store_is_asked_in_threads_only(blobs: Blobs, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(LARGE)

    with disk_on_the_loop() as seen:
        kept = await blobs.write(_stream(LARGE))
        await blobs.write(_stream(b"small"))
        await blobs.put("a/b", b"one")
        await blobs.put_new("a/c", b"two")
        await blobs.put_all({f"d/{n}": b"." for n in range(9)})
        await blobs.put_file("a/d", file)
        assert await blobs.copy_all({"a/e": "a/d", "a/f": "nothing"}) == {"a/f"}
        await blobs.read(kept.key)
        assert [one async for one in blobs.stream(kept.key, start=5)]
        cut = blobs.stream(kept.key)
        await anext(cut)
        await cut.aclose()  # type: ignore[attr-defined]  # every implementation is a generator
        assert [key async for key in blobs.list("")]
        assert await blobs.size("a/b") == 3
        assert await blobs.size("nothing") is None
        with pytest.raises(Rejected):
            await blobs.read("nothing")
        await blobs.delete("a/b")
        await blobs.check()
        await blobs.sweep_temp(older_than_s=0)

    assert not seen


async def test_what_blocks_the_loop_is_seen() -> None:
    from shared.blobs.files import whole  # noqa: PLC0415 -- called where it must not be

    with disk_on_the_loop() as seen:
        whole(__file__, None)

    assert any("shared/blobs/files.py" in one for one in seen)
