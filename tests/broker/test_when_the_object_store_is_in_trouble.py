"""Storage before an S3 server behind a network that misbehaves: F31 to F33.

Whatever happens to the bytes on their way, nothing torn is ever readable, no document pays for
it with an attempt, and none is lost: the queue pauses while the store is away and goes on by
itself.
"""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from shared.blobs.open import open_blobs
from tests import builders
from tests.broker.storage_process import Outside, outside
from tests.conformance.seaweed import BUCKET, seaweed
from tests.eventually import eventually
from tests.fault_proxy import Answer, Cut, Fault, FaultProxy, Forward, Hang, fault_proxy

DOCUMENTS = 4
READ_TIMEOUT_S = "2"
_slow = partial(pytest.param, marks=pytest.mark.slow)


@pytest.fixture(scope="module")
async def proxy_and_store(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[FaultProxy, Outside]]:
    folder: Path = tmp_path_factory.mktemp("trouble")
    (folder / "weed").mkdir()
    async with seaweed(folder / "weed") as options:
        address = urlsplit(options.s3_endpoint or "")
        async with fault_proxy(str(address.hostname), address.port or 0) as proxy:
            prefix = f"s3://{BUCKET}/{uuid4().hex}"
            environment = {
                "PAPERLINE_BLOBS_URL": prefix,
                "PAPERLINE_S3_ENDPOINT": f"http://127.0.0.1:{proxy.port}",
                "PAPERLINE_S3_ACCESS_KEY": str(options.s3_access_key),
                "PAPERLINE_S3_SECRET_KEY": str(options.s3_secret_key),
                "PAPERLINE_S3_READ_TIMEOUT_S": READ_TIMEOUT_S,
            }
            blobs = open_blobs(prefix, options)
            async with outside(folder, blobs, environment) as world, world.storage():
                yield proxy, world


@pytest.fixture
async def proxy(
    proxy_and_store: tuple[FaultProxy, Outside],
) -> AsyncIterator[FaultProxy]:
    proxy, _ = proxy_and_store
    yield proxy
    proxy.do(Forward())


@pytest.fixture
async def world(proxy_and_store: tuple[FaultProxy, Outside], proxy: FaultProxy) -> Outside:
    _, world = proxy_and_store
    proxy.do(Forward())
    # So that its consumers surely run before the trouble begins.
    before = await world.order(1)
    await eventually(lambda: world.are_whole(before), within_s=60)
    return world


async def _went_on(world: Outside, ids: list[object]) -> None:
    """Everything is there, once, and nobody paid for what the network did."""
    await eventually(lambda: world.are_whole(ids), within_s=60)  # type: ignore[arg-type]  # ids
    await eventually(lambda: _is_quiet(world), within_s=30)
    await world.require_nothing_torn()
    assert await world.dead() == 0
    assert await world.reviews() == len(world.ordered)
    assert {one["attempt"] for one in world.logged("delivery_finished")} == {1}


async def _is_quiet(world: Outside) -> bool:
    return not await world.pauses() and await world.reviews() == len(world.ordered)


async def test_a_store_that_refuses_connections_pauses_the_queue_until_it_is_back(
    world: Outside, proxy: FaultProxy
) -> None:
    await proxy.refuse()

    ids = await world.order(DOCUMENTS)
    await eventually(world.is_paused, within_s=30)
    await proxy.admit()

    await _went_on(world, [*ids])


@pytest.mark.parametrize(
    "fault",
    [
        Cut(towards="server", after_bytes=700),
        _slow(Cut(towards="client", after_bytes=150)),
        _slow(Answer(503, "SlowDown", times=1_000_000)),
        _slow(Answer(500, "InternalError", times=1_000_000)),
        _slow(Hang()),
    ],
    ids=["cut in a put", "cut in a get", "slow down", "internal error", "hang"],
)
async def test_an_outage_pauses_the_queue_and_burns_no_attempt(
    world: Outside, proxy: FaultProxy, fault: Fault
) -> None:
    proxy.do(fault)

    ids = await world.order(DOCUMENTS)
    await eventually(world.is_paused, within_s=60)
    assert proxy.struck
    assert {reason for _, reason, _ in await world.pauses()} == {"blobs_away"}
    await world.require_nothing_torn()
    proxy.do(Forward())

    await _went_on(world, [*ids])


@pytest.mark.parametrize(
    "fault",
    [
        Answer(503, "SlowDown", times=2),
        _slow(Answer(500, "InternalError", times=2)),
        _slow(Forward(0.2)),
    ],
    ids=["slow down", "internal error", "latency"],
)
async def test_a_store_that_stumbles_stops_nobody(
    world: Outside, proxy: FaultProxy, fault: Fault
) -> None:
    told = len(world.logged("paused"))
    proxy.do(fault)

    ids = await world.order(1)

    await _went_on(world, [*ids])
    assert len(world.logged("paused")) == told


async def test_a_connection_that_is_cut_at_any_byte_leaves_nothing_torn(
    world: Outside, proxy: FaultProxy
) -> None:
    ids = []
    for after_bytes in (1, 300, 900, 1_500, 2_500):
        proxy.do(Cut(towards="server", after_bytes=after_bytes))
        ids += await world.order(1)
        await eventually(lambda: proxy.struck, within_s=30)
        await world.require_nothing_torn()
    proxy.do(Forward())

    await _went_on(world, [*ids])


async def test_what_is_erased_while_the_store_is_away_is_reported_when_it_is_gone(
    world: Outside, proxy: FaultProxy
) -> None:
    [document_id] = await world.order(1)
    await eventually(lambda: world.are_whole([document_id]), within_s=60)
    await world.told("document.erased")
    proxy.do(Answer(503, "SlowDown", times=1_000_000))

    await world.send([builders.deleted(document_id=document_id)])
    await eventually(lambda: world.is_paused("storage.withdraw"), within_s=60)
    assert await world.traces_of(document_id)
    assert not await world.told("document.erased")
    proxy.do(Forward())

    await eventually(lambda: _is_erased(world, document_id), within_s=60)
    assert not await world.traces_of(document_id)


async def _is_erased(world: Outside, document_id: object) -> bool:
    return str(document_id) in {
        one["document_id"] for one in await world.told("document.erased")
    }
