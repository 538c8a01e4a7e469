"""An hour as files, written by a child."""

from dataclasses import replace

import pytest

from services.monitor.adapters.snapshots import BOUNDS, SnapshotFiles
from services.monitor.domain.snapshots import Number
from shared.errors import Retryable
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import NOON


async def test_an_hour_that_could_not_be_encoded_is_kept_later_and_leaves_no_file() -> None:
    blobs = InMemoryBlobs()
    files = SnapshotFiles(blobs, replace(BOUNDS, wall_s=0))

    with pytest.raises(Retryable):
        await files.keep_snapshot(NOON, NOON, [Number("documents", "failed", 3)])

    assert [key async for key in blobs.list("data/")] == []
