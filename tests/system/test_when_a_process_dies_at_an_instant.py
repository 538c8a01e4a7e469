"""A few deaths of the long list, always the same: `./paperline test crashes` dies all of them.

Of every service some where it takes, does or sends something; besides deaths there are a
failure, one that is delivered again, one who wakes up too late, and two deaths in a row.
"""

from collections.abc import AsyncIterator

import pytest

from shared.configuration.load import DEFAULT_FILE
from tests.crashes.case import Case
from tests.crashes.points import cases
from tests.crashes.sweep import Ground
from tests.system.client import Client
from tests.system.records import Records
from tests.system.stack import Stack

TELLING = (
    "ingest.before_commit in ingest, hand_in: kill, one document",
    "ingest.after_commit in ingest, hand_in: kill, one document",
    "relay.published in ingest and then relay.claimed in ingest, hand_in_twice: kill, "
    "one document",
    "relay.published in ingest and then consumer.before_ack in extractor, hand_in: kill, "
    "one document",
    "extractor.answer_kept in extractor, hand_in: kill, one document",
    "consumer.before_ack in extractor, hand_in: raise, one document",
    "storage.written in storage, hand_in: kill, twenty documents",
    "relay.claimed in storage, hand_in: stop, one document",
    "storage.committed in storage, hand_in: kill, one document",
    "consumer.after_handler in review, hand_in: kill, a redelivered one",
    "review.in_commit in review, approve: kill, one document",
    "consumer.after_handler in monitor, hand_in: kill, one document",
    "monitor.operation_stepped in monitor, replay_letters: kill, one document",
)
KNOWN = {str(one): one for one in cases()}


@pytest.fixture
async def ground(client: Client, stack: Stack, records: Records) -> AsyncIterator[Ground]:
    before = await records.documents("")
    # What the others left broken on purpose is told when all of them are over.
    ground = Ground(stack, DEFAULT_FILE)
    try:
        yield ground
    finally:
        # These were promised to clients that are gone.
        client.promised |= await records.documents("") - before


@pytest.mark.parametrize("case", [KNOWN[one] for one in TELLING], ids=str)
async def test_nothing_is_lost_and_nothing_is_there_twice(case: Case, ground: Ground) -> None:
    verdict = await ground.survives(case)

    assert verdict.holds
