"""What arrives is started at once, and acknowledged each by itself."""

from shared.bus.slots import Slots
from shared.topology.queues import EXTRACT
from tests.eventually import eventually
from tests.fakes.deliveries import FakeChannel, envelope, message
from tests.fakes.desk import DeskWorld


async def test_slots_start_what_arrives_and_acknowledge_each_by_itself() -> None:
    world, channel = DeskWorld(EXTRACT), FakeChannel()
    slots = Slots(world.desk)
    world.blocks.clear()
    tags = []
    for _ in range(3):
        arrived = message(envelope())
        tags.append(arrived.delivery_tag)
        slots.take(arrived, channel.as_channel())
    await eventually(lambda: len(world.seen) == 3)

    world.blocks.set()
    await slots.finish(pausing=False)

    assert sorted(channel.acks) == [(tag, False) for tag in tags]
