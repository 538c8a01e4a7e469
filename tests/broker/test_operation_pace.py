"""An operation keeps the rate that was asked for, however long its steps take."""

from services.monitor.domain.operations import RATE_MIN_PER_S, Pace
from tests.broker.monitor_world import monitor_service
from tests.conformance.operating import Operating


async def test_the_time_that_a_step_takes_counts_for_its_pace(database_url: str) -> None:
    async with monitor_service(database_url) as monitor:
        operating = Operating(monitor, monitor.use, lambda: None)
        await operating.letters(3)
        operation = await operating.asked(pace=Pace(rate_per_s=1, in_flight_max=9))
        await operating.step()

        async with monitor.use.ledger.unit() as unit:
            began = await unit.connection.fetchval("SELECT now()")
            turn = await monitor.use.operations.take_turn(unit)
            assert turn is not None
            await monitor.use.operations.note_step(unit, turn, 1)

        stepped_at = "SELECT stepped_at FROM operations WHERE operation_id = $1"
        # From there on the next step is reckoned: what came after would be lost to the rate.
        assert await monitor.schema.owner.fetchval(stepped_at, operation.operation_id) == began


async def test_the_slowest_operation_takes_its_steps(database_url: str) -> None:
    async with monitor_service(database_url) as monitor:
        operating = Operating(monitor, monitor.use, lambda: None)
        await operating.letters(3)
        pace = Pace(rate_per_s=RATE_MIN_PER_S, in_flight_max=9)
        operation = await operating.asked(pace=pace)

        await operating.run()
        await monitor.schema.owner.execute("UPDATE operations SET next_step_at = now()")
        await operating.step()

        assert (await operating.now(operation)).sent == 1
