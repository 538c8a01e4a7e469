"""A few deaths of the long list, by their seed: `./paperline test crashes` dies all of them."""

from random import Random

from shared.configuration.load import DEFAULT_FILE
from tests.crashes.case import ONE
from tests.crashes.deeds_of_documents import hand_in
from tests.crashes.points import cases
from tests.crashes.sweep import Ground
from tests.system.client import Client
from tests.system.records import Records
from tests.system.stack import Stack

SEED, DEATHS = 11, 2
# Of a document on its way, which needs nothing that this stack has not.
QUICK = [
    one
    for one in cases()
    if one.row.deed is hand_in and one.action == "kill" and one.situation == ONE
]


async def test_nothing_is_lost_and_nothing_is_there_twice(
    client: Client, stack: Stack, records: Records
) -> None:
    before = await records.documents("")
    # What the others left broken on purpose is told when all of them are over.
    ground = Ground(stack, DEFAULT_FILE)

    try:
        for case in Random(SEED).sample(QUICK, DEATHS):
            verdict = await ground.survives(case)

            assert (verdict.documents, verdict.holds) == (1, True)
    finally:
        await ground.leave()
        # These were promised to clients that are gone.
        client.promised |= await records.documents("") - before
