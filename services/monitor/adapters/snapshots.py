"""Hours in numbers, as files that any tool reads: JSON for people, Parquet for the rest."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq

from services.monitor.domain.snapshots import Number
from shared.blobs.port import Blobs

FOLDER = "data/metrics"
# Where they lay before: what is there stays readable, and goes in its time.
FOLDERS = (FOLDER, "metrics")
SCHEMA = pa.schema(
    [
        ("hour", pa.timestamp("us", tz="UTC")),
        ("taken_at", pa.timestamp("us", tz="UTC")),
        ("name", pa.string()),
        ("label", pa.string()),
        ("value", pa.float64()),
    ]
)


class SnapshotFiles:
    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

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
        table = await asyncio.to_thread(_parquet, hour, taken_at, numbers)
        written = json.dumps(told, indent=1).encode() + b"\n"
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


def _parquet(hour: datetime, taken_at: datetime, numbers: Sequence[Number]) -> bytes:
    count = len(numbers)
    columns = [
        [hour] * count,
        [taken_at] * count,
        [one.name for one in numbers],
        [one.label for one in numbers],
        [float(one.value) for one in numbers],
    ]
    arrays = [
        pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA), sink)
    return bytes(sink.getvalue())


def _is_before(name: str, moment: datetime) -> bool:
    hour = name.partition(".")[0]
    try:
        return datetime.strptime(hour, "%Y/%m/%d/%H").replace(tzinfo=UTC) < moment
    except ValueError:
        # Somebody else's file is not ours to take away.
        return False
