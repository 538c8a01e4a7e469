"""A batch is written in portions: one is on its way to the disk while the next is encoded."""

from collections.abc import Sequence
from dataclasses import replace

from services.storage.adapters.parquet import ParquetTables
from services.storage.domain.rows import Row
from services.storage.handlers.storing import WRITTEN_AT_ONCE, store_documents
from tests.unit.storage.world import World


class Counted(ParquetTables):
    def __init__(self) -> None:
        super().__init__()
        self.batches = 0

    async def files_of(self, rows: Sequence[Row]) -> list[bytes]:
        self.batches += 1
        return await super().files_of(rows)


async def test_a_large_batch_is_written_while_it_is_encoded_and_is_one_commit() -> None:
    world = World()
    jobs = [world.order() for _ in range(2 * WRITTEN_AT_ONCE + 1)]
    encoded, before = Counted(), []
    put_all = world.blobs.put_all

    async def put(items: dict[str, bytes]) -> None:
        before.append((encoded.batches, len(world.results.rows)))
        await put_all(items)

    world.blobs.put_all = put  # type: ignore[method-assign, assignment] # a look at it

    await store_documents(jobs, replace(world.use, tables=encoded))

    # All of it ahead of the commit: behind it, what the dated paths show is only named.
    assert before[0] == (1, 0)
    assert before[-1] == (3, 0)
    assert len(world.files()) == 4 * len(jobs)
