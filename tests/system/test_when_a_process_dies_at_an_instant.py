"""A few deaths of the long list, always the same: `./paperline test crashes` dies all of them.

Of every service some where it takes, does or sends something; besides deaths there are a
failure, a delay, one that is delivered again, one who wakes up too late, and two deaths in a
row. All promises are looked at after each: what others broke on purpose before is told when
all of them are over.
"""

from collections.abc import AsyncIterator

import pytest

from shared.configuration.load import DEFAULT_FILE
from tests.crashes.case import Case
from tests.crashes.judging import Judge
from tests.crashes.points import cases
from tests.crashes.sweep import Ground
from tests.system.client import Client
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.verdict import require_rest

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
    "relay.published in extractor, hand_in: delay, one document",
    "letters.kept in monitor, hand_in_what_nobody_can_read: kill, one document",
    "monitor.after_commit in monitor, edit_and_replay: kill, one document",
    "monitor.operation_stepped in monitor, replay_letters: kill, one document",
)
KNOWN = {str(one): one for one in cases()}


@pytest.fixture(scope="module")
async def judge(stack: Stack) -> AsyncIterator[Judge]:
    await stack.up()
    await require_rest(stack)
    judge = Judge(stack)
    await judge.excuse_what_is_broken()
    yield judge
    await judge.require_kept()


@pytest.fixture
async def ground(
    client: Client, stack: Stack, records: Records, judge: Judge
) -> AsyncIterator[Ground]:
    before = await records.documents("")
    ground = Ground(stack, DEFAULT_FILE, judge)
    try:
        yield ground
    finally:
        # These were promised to clients that are gone.
        client.promised |= await records.documents("") - before


@pytest.mark.parametrize("case", [KNOWN[one] for one in TELLING], ids=str)
async def test_nothing_is_lost_and_nothing_is_there_twice(case: Case, ground: Ground) -> None:
    verdict = await ground.survives(case)

    assert verdict.holds
