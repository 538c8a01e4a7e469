"""Ingest as a process, killed when it has just erased what was old: erased once, told once."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pamqp.commands import Basic

from shared.configuration.load import DEFAULT_FILE
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from shared.contracts.orders import SubmitDocumentV1
from shared.topology.queues import INGEST
from tests import builders
from tests.broker.ingest_process import Outside, outside
from tests.broker.messages import raw_channel
from tests.eventually import eventually
from tests.fakes.clock import NOON

AS_IT_COMES, TEN_DAYS = "default: {days: forever}", "default: {days: 10}"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    text = DEFAULT_FILE.read_text()
    assert AS_IT_COMES in text
    (tmp_path / "rules.yaml").write_text(text.replace(AS_IT_COMES, TEN_DAYS))
    async with outside(tmp_path) as world:
        yield world


async def _kept_for_too_long(world: Outside) -> None:
    blob = await world.keep(builders.PDF)
    order = builders.submit_document(content_key=blob.key)
    raw = encode(order, job_id=new_id(), created_at=NOON, traceparent=None)
    async with world.ingest(), raw_channel(world.amqp_url) as channel:
        said = Basic.Properties(content_type="application/json", delivery_mode=2)
        await channel.basic_publish(
            raw, exchange=INGEST, routing_key=SubmitDocumentV1.type, properties=said
        )
        await eventually(world.documents, within_s=30)
    await world.pool.execute(
        "UPDATE documents SET status = 'completed', rank = 90, waiting_for = NULL,"
        " next_attempt_at = NULL, completed_at = now() - interval '11 days'"
    )


async def _is_deleted(world: Outside) -> bool:
    return {row["status"] for row in await world.documents()} == {"deleted"}


async def test_what_was_erased_by_its_age_is_erased_once(world: Outside) -> None:
    await _kept_for_too_long(world)
    rules = {
        "PAPERLINE_EXTRACTION_CONFIG": str(world.folder / "rules.yaml"),
        "PAPERLINE_SWEEP_EVERY_S": "1",
    }

    async with world.ingest(failpoint="ingest.expired:kill", **rules) as process:
        assert await process.wait() == -9
    assert await _is_deleted(world)
    async with world.ingest(**rules):
        await eventually(world.is_quiet, within_s=30)

    told = await world.pool.fetch("SELECT type FROM document_events")
    assert [row["type"] for row in told].count("document.deleted") == 1
    assert await world.pool.fetchval("SELECT count(*) FROM audit_log") == 1
