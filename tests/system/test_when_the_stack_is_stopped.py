"""`./paperline down` in the middle of work, and `up` again: the way of every update."""

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import batch_of
from tests.system.records import Records
from tests.system.stack import SERVICES, Stack

COUNT = 40


async def test_what_is_in_hand_is_finished_and_the_rest_goes_on(
    client: Client, stack: Stack, records: Records
) -> None:
    batch = batch_of(COUNT)
    await client.hand_in_all(batch)
    await eventually(lambda: records.is_under_way(batch.name), within_s=30)

    await stack.down()
    endings = {one: stack.last_events(one) for one in SERVICES}
    await stack.up()

    orderly = ["process_stopping", "process_stopped"]
    assert endings == dict.fromkeys(SERVICES, orderly)
    await eventually(
        lambda: records.has_ended(batch.name, count=COUNT), within_s=60, every_s=0.2
    )
    await records.require_each_once(batch.name, count=COUNT)
    await records.require_balance(client.promised)
