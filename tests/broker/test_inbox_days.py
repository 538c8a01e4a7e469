"""The inbox is cut by days, whatever ids have come before the day was made."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from shared.clock import WallClock
from shared.ledger import upkeep
from shared.ledger.upkeep import Upkeep
from tests.broker.service_schema import ServiceSchema, service_schema

MARK = "INSERT INTO inbox (consumer, job_id, run, outcome) VALUES ('q', $1, 0, 'done')"
AGAIN = f"{MARK} ON CONFLICT DO NOTHING RETURNING job_id"
PLACE = "SELECT tableoid::regclass::text FROM inbox WHERE job_id = $1"


@pytest.fixture
async def schema(database_url: str) -> AsyncIterator[ServiceSchema]:
    async with service_schema(database_url, "extractor", []) as schema:
        yield schema


def id_of(moment: datetime) -> UUID:
    """As somebody makes it whose clock shows this."""
    milliseconds = int(moment.timestamp() * 1000)
    return UUID(int=milliseconds << 80 | uuid4().int & (1 << 80) - 1)


async def place_of(schema: ServiceSchema, job_id: UUID) -> str:
    return str(await schema.owner.fetchval(PLACE, job_id))


async def test_a_day_takes_over_its_ids_that_came_before_it(
    schema: ServiceSchema, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = [id_of(WallClock().now() + timedelta(days=days)) for days in (10, 10, 12)]
    strange = uuid4()
    for job_id in (*early, strange):
        await schema.pool.execute(MARK, job_id)
        assert await place_of(schema, job_id) == "inbox_elsewhere"

    monkeypatch.setattr(upkeep, "DAYS_AHEAD", 14)
    await Upkeep(schema.pool, wake=lambda: None).roll()

    for job_id in early:
        day = datetime.fromtimestamp((job_id.int >> 80) / 1000, UTC)
        assert await place_of(schema, job_id) == f"inbox_{day:%Y%m%d}"
        # What is done stays done.
        assert await schema.pool.fetchval(AGAIN, job_id) is None
    assert await place_of(schema, strange) == "inbox_elsewhere"


async def test_what_is_beyond_keeping_goes_wherever_it_lies(schema: ServiceSchema) -> None:
    today, strange, recent = id_of(WallClock().now()), uuid4(), uuid4()
    for job_id in (today, strange, recent):
        await schema.pool.execute(MARK, job_id)
    await schema.owner.execute(
        "UPDATE inbox SET at = now() - interval '46 days' WHERE job_id = $1", strange
    )

    await Upkeep(schema.pool, wake=lambda: None).roll()
    left = await schema.owner.fetch("SELECT job_id FROM inbox")
    # As if all days until the one after tomorrow were over.
    await schema.owner.execute("SELECT roll_inbox(7, -2)")

    assert {row["job_id"] for row in left} == {today, recent}
    assert await schema.owner.fetchval("SELECT count(*) FROM inbox") == 0
