"""A bucket behind a network that stumbles: what is repeated, what never, and what is whole."""

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from shared.blobs.open import BlobOptions, open_blobs
from shared.blobs.pieces import in_one_piece
from shared.blobs.port import Blobs
from shared.blobs.s3_upload import PART_BYTES
from shared.errors import Rejected, Retryable
from tests.conformance.seaweed import BUCKET
from tests.fault_proxy import (
    Answer,
    Cut,
    Fault,
    FaultProxy,
    Flip,
    Forward,
    Hang,
    Silence,
    fault_proxy,
)

INVOICE = b"%PDF-1.7 invoice 2024-117 " * 40_000
READ_TIMEOUT_S = 1
BOOK = bytes(range(256)) * (5 * PART_BYTES // 2 // 256) + b"the end"


@pytest.fixture
async def proxy(s3_server: BlobOptions) -> AsyncIterator[FaultProxy]:
    address = urlsplit(s3_server.s3_endpoint or "")
    async with fault_proxy(str(address.hostname), address.port or 0) as proxy:
        yield proxy


@pytest.fixture
def prefix() -> str:
    return f"s3://{BUCKET}/{uuid4().hex}"


@pytest.fixture
def near(prefix: str, s3_server: BlobOptions) -> Blobs:
    """The same bucket, without the trouble."""
    return open_blobs(prefix, s3_server)


@pytest.fixture
def blobs(prefix: str, s3_server: BlobOptions, proxy: FaultProxy) -> Blobs:
    through = replace(
        s3_server, s3_endpoint=f"http://127.0.0.1:{proxy.port}", read_timeout_s=READ_TIMEOUT_S
    )
    return open_blobs(prefix, through)


ONCE = [
    Cut(towards="server", after_bytes=400_000, times=1),
    Answer(503, "SlowDown", times=1),
    Answer(500, "InternalError", times=1),
]


@pytest.mark.parametrize("fault", ONCE, ids=["cut", "slow down", "internal error"])
async def test_a_put_that_stumbles_once_is_done(
    blobs: Blobs, near: Blobs, proxy: FaultProxy, fault: Fault
) -> None:
    proxy.do(fault)

    await blobs.put("data/a", INVOICE)

    assert proxy.struck == 1
    assert await near.read("data/a") == INVOICE


@pytest.mark.parametrize(
    "fault",
    [Cut(towards="server", after_bytes=PART_BYTES + 400_000, times=1), *ONCE[1:]],
    ids=["cut in a part", "slow down", "internal error"],
)
async def test_of_a_large_file_only_the_part_that_stumbled_is_sent_again(
    blobs: Blobs, near: Blobs, proxy: FaultProxy, tmp_path: Path, fault: Fault
) -> None:
    (tmp_path / "book").write_bytes(BOOK)
    proxy.do(fault)

    await blobs.put_file("data/book", tmp_path / "book")

    assert proxy.struck == 1
    assert await near.read("data/book") == BOOK


async def test_a_stream_that_is_cut_goes_on_where_it_was(
    blobs: Blobs, near: Blobs, proxy: FaultProxy
) -> None:
    await near.put("data/book", BOOK)
    proxy.do(Cut(towards="client", after_bytes=PART_BYTES, times=2))

    read = b"".join([piece async for piece in blobs.stream("data/book", start=7)])

    assert proxy.struck == 2
    assert read == BOOK[7:]


@pytest.mark.parametrize("towards", ["client", "server"])
async def test_a_store_that_falls_silent_is_given_up_in_time(
    blobs: Blobs, near: Blobs, proxy: FaultProxy, towards: str
) -> None:
    await near.put("data/a", INVOICE)
    # Over the connection that is silent then.
    assert await blobs.read("data/a") == INVOICE
    proxy.do(Silence(towards))
    began = time.monotonic()

    with pytest.raises(Retryable) as raised:
        await blobs.read("data/a")
    took_s = time.monotonic() - began
    proxy.do(Forward())

    assert raised.value.dependency == "blobs"
    assert READ_TIMEOUT_S <= took_s < 15 * READ_TIMEOUT_S
    assert await blobs.read("data/a") == INVOICE


async def test_bytes_that_are_others_on_their_way_out_are_noticed_and_asked_for_again(
    blobs: Blobs, near: Blobs, proxy: FaultProxy
) -> None:
    key = (await near.write(in_one_piece(INVOICE))).key
    proxy.do(Flip("client"))

    read = await blobs.read(key)

    assert proxy.struck
    assert read == INVOICE


async def test_bytes_that_are_others_on_their_way_in_are_not_kept(
    blobs: Blobs, near: Blobs, proxy: FaultProxy
) -> None:
    proxy.do(Flip("server"))

    try:
        await blobs.put("data/a", INVOICE)
    except Retryable:
        assert [key async for key in near.list("data/")] == []
    else:
        assert await near.read("data/a") == INVOICE
    assert proxy.struck


async def test_a_stream_never_mixes_two_versions(
    blobs: Blobs, near: Blobs, proxy: FaultProxy
) -> None:
    await near.put("data/book", BOOK)
    proxy.do(Cut(towards="client", after_bytes=PART_BYTES, times=1))

    pieces = blobs.stream("data/book")
    await anext(pieces)
    await near.put("data/book", BOOK[::-1])
    with pytest.raises(Retryable) as raised:
        async for _ in pieces:
            pass

    # It was replaced, which is nobody's outage.
    assert raised.value.dependency is None


@pytest.mark.parametrize("fault", [ONCE[0], ONCE[2]], ids=["cut", "internal error"])
async def test_a_race_that_stumbles_is_left_to_whoever_runs_it(
    blobs: Blobs, near: Blobs, proxy: FaultProxy, fault: Fault
) -> None:
    proxy.do(fault)

    with pytest.raises(Retryable) as raised:
        await blobs.put_new("versions/1", INVOICE)

    assert (proxy.struck, raised.value.dependency) == (1, "blobs")
    try:
        assert await near.read("versions/1") == INVOICE
    except Rejected as error:
        assert error.reason == "source_missing"
        assert await blobs.put_new("versions/1", INVOICE)


@pytest.mark.parametrize(
    "fault",
    [Cut("server", 400_000), Cut("client", 60), Answer(503, "SlowDown", 99), Hang()],
    ids=["cut in a put", "cut in an answer", "slow down", "hang"],
)
async def test_an_outage_leaves_the_old_bytes_or_the_new_and_no_upload(
    blobs: Blobs, near: Blobs, proxy: FaultProxy, tmp_path: Path, fault: Fault
) -> None:
    (tmp_path / "book").write_bytes(BOOK)
    await near.put("data/a", b"old")
    await near.put("data/book", b"old")
    proxy.do(fault)

    for use in (blobs.put("data/a", INVOICE), blobs.put_file("data/book", tmp_path / "book")):
        with pytest.raises(Retryable) as raised:
            await use
        assert raised.value.dependency == "blobs"
    proxy.do(Forward())

    assert await near.read("data/a") in (b"old", INVOICE)
    assert await near.read("data/book") == b"old"
    await near.sweep_temp(older_than_s=-60)
    assert await near.sweep_temp(older_than_s=-60) == 0
