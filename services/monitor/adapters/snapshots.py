"""Hours in numbers, as files that any tool reads: JSON for people, Parquet for the rest.

The Parquet is written by a child that ends: the library for it would double what the monitor
holds for the rest of its life.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from services.monitor.domain.snapshots import Number
from shared.blobs.port import Blobs
from shared.errors import Rejected, Retryable
from shared.sandbox.frames import Frame
from shared.sandbox.pool import Kind, Pool
from shared.sandbox.worker import Bounds

FOLDER = "data/metrics"
# Where they lay before: what is there stays readable, and goes in its time.
FOLDERS = (FOLDER, "metrics")
CHILD = "services.monitor.adapters.snapshots_child"
MEBIBYTE = 1 << 20
# Nothing in it is a stranger's. What encodes it reserves far more memory than it uses.
BOUNDS = Bounds(
    memory_bytes=8192 * MEBIBYTE, cpu_s=60, wall_s=120, answer_bytes_max=16 * MEBIBYTE
)


class SnapshotFiles:
    def __init__(self, blobs: Blobs, bounds: Bounds = BOUNDS) -> None:
        self._blobs = blobs
        # For one hour each, so that none is ever idle.
        self._children = Pool(Kind("snapshots", CHILD, bounds, 1, bounds.memory_bytes, 1))

    async def keep_snapshot(
        self, hour: datetime, taken_at: datetime, numbers: Sequence[Number]
    ) -> None:
        key = f"{FOLDER}/{hour.astimezone(UTC):%Y/%m/%d/%H}"
        told = {
            "hour": hour.isoformat(),
            "taken_at": taken_at.isoformat(),
            "numbers": [
                {"name": one.name, "label": one.label, "value": one.value} for one in numbers
            ],
        }
        written = json.dumps(told, indent=1).encode() + b"\n"
        table = await self._parquet(told)
        await self._blobs.put_all({f"{key}.json": written, f"{key}.parquet": table})

    async def forget_snapshots(self, before: datetime) -> int:
        old = [
            key
            for folder in FOLDERS
            async for key in self._blobs.list(f"{folder}/")
            if _is_before(key.removeprefix(f"{folder}/"), before)
        ]
        for key in old:
            await self._blobs.delete(key)
        return len(old)

    async def _parquet(self, told: Mapping[str, Any]) -> bytes:
        try:
            answer = await self._children.ask(Frame(told))
        except Rejected as error:
            # It did nothing wrong: somebody ended it, or the machine has no memory left.
            raise Retryable(f"the snapshot was not encoded: {error}") from error
        return b"".join(answer.parts)


def _is_before(name: str, moment: datetime) -> bool:
    hour = name.partition(".")[0]
    try:
        return datetime.strptime(hour, "%Y/%m/%d/%H").replace(tzinfo=UTC) < moment
    except ValueError:
        # Somebody else's file is not ours to take away.
        return False
