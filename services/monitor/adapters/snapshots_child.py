"""The process that writes an hour as Parquet, and ends.

What encodes it takes 90 MB and never gives them back; the monitor needs it once in an hour.
"""

import sys
from datetime import datetime

from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served, serve


def handle(asked: Frame) -> Served:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    schema = pa.schema(
        [
            ("hour", pa.timestamp("us", tz="UTC")),
            ("taken_at", pa.timestamp("us", tz="UTC")),
            ("name", pa.string()),
            ("label", pa.string()),
            ("value", pa.float64()),
        ]
    )
    numbers = asked.said["numbers"]
    columns = [
        [datetime.fromisoformat(asked.said["hour"])] * len(numbers),
        [datetime.fromisoformat(asked.said["taken_at"])] * len(numbers),
        [one["name"] for one in numbers],
        [one["label"] for one in numbers],
        [float(one["value"]) for one in numbers],
    ]
    arrays = [
        pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink)
    return Served({}, (bytes(sink.getvalue()),))


if __name__ == "__main__":
    sys.exit(serve(handle, sys.argv[1:]))
