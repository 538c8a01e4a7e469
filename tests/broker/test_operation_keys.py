"""An idempotency key speaks for a day."""

from collections.abc import AsyncIterator

import pytest

from services.monitor.domain.operations import KeyTaken
from tests.broker.monitor_world import Monitor, monitor_service
from tests.conformance.operating import Operating
from tests.unit.monitor.world import dead_letter


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


async def test_a_key_asks_once_a_day_and_may_ask_again_then(monitor: Monitor) -> None:
    await monitor.kept(dead_letter())
    operating = Operating(monitor, monitor.use, lambda: None)
    first = await operating.asked()
    await operating.run()
    with pytest.raises(KeyTaken):
        await operating.asked(digest="other")

    await monitor.schema.owner.execute(
        "UPDATE operations SET requested_at = requested_at - interval '25 hours'"
    )
    second = await operating.asked(digest="other")

    assert second.operation_id != first.operation_id
