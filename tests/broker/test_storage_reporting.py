"""An erasure is reported when no export holds the document either."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.storage.adapters.erasures import PostgresErasures
from services.storage.adapters.exports import PostgresExports
from services.storage.domain.erasing import erasing
from services.storage.domain.exports import Order, Wanted, part_key
from services.storage.handlers.manifests import write_manifests
from services.storage.handlers.reporting import report_erased
from tests import builders
from tests.broker.day_world import DAY, DayWorld, day_world


@pytest.fixture
async def world(database_url: str, tmp_path: Path) -> AsyncIterator[DayWorld]:
    async with day_world(database_url, tmp_path) as world:
        yield world


async def test_an_export_that_was_made_while_a_document_was_erased_goes_before_the_report(
    world: DayWorld,
) -> None:
    exports, erasures = PostgresExports(world.schema.pool), PostgresErasures()
    [document_id] = await world.keep(1)
    order = Order(builders.OWNER, Wanted(), "jsonl")
    async with world.schema.ledger.unit() as unit:
        await exports.open_export(
            unit, owner_id=builders.OWNER, key=None, order=order, open_max=1
        )
    deleted = builders.deleted(document_id=document_id, accepted_at=DAY)
    async with world.schema.ledger.unit() as unit:
        assert await exports.withdraw_exports(unit, [document_id]) == []
        # Begun behind that word, and its page read before the commit.
        export = await exports.claim_export(60)
        assert export is not None
        await world.results.erase_results(unit, [document_id])
        await erasures.await_erasures(unit, [erasing(builders.job(deleted))])
    part = part_key(export.export_id, export.run, 0)
    await world.blobs.put(part, b"{}")
    assert await exports.complete_export(
        export, done=1, parts=1, size=2, sha256="ab", keep_s=60
    )

    while await write_manifests(world.use):
        pass
    assert await report_erased(world.use, erasures, exports) == 1

    assert await world.blobs.size(part) is None
    assert await exports.find_finished_export(export.export_id) is None
    found = await exports.find_export(export.export_id, builders.OWNER)
    assert found is not None
    assert found.status == "expired"
