"""How far a reading has come is told when it says something new, and never backwards."""

import pytest

from services.extractor.handlers.progress import Reporter
from shared.contracts.facts import DocumentProgressV1
from shared.errors import Withdrawn
from tests import builders
from tests.unit.extractor.world import World


class Watched:
    def __init__(self) -> None:
        self.world = World()
        self.at = 0.0
        job = builders.job(builders.extract_document())
        self.document_id = job.body.document_id
        self.report = Reporter(job, self.world.use, now=lambda: self.at)

    @property
    def told(self) -> list[int]:
        sent = self.world.ledger.sent
        return [one.percent for one in sent if isinstance(one, DocumentProgressV1)]


async def test_a_step_that_is_far_enough_is_told() -> None:
    watched = Watched()

    await watched.report(12, "reading")
    await watched.report(45, "reading")

    assert watched.told == [12, 45]


async def test_small_steps_are_told_once_a_second() -> None:
    watched = Watched()
    await watched.report(12, "reading")

    await watched.report(13, "reading")
    watched.at = 1.0
    await watched.report(14, "reading")

    assert watched.told == [12, 14]


async def test_nothing_is_told_backwards_or_twice() -> None:
    watched = Watched()
    await watched.report(45, "reading")
    watched.at = 60.0

    await watched.report(45, "reading")
    await watched.report(20, "reading")

    assert watched.told == [45]


async def test_a_document_that_is_withdrawn_meanwhile_is_read_no_further() -> None:
    watched = Watched()
    await watched.report(12, "reading")
    async with watched.world.ledger.unit() as unit:
        await watched.world.withdrawals.note_withdrawn(unit, [watched.document_id], "cancelled")

    with pytest.raises(Withdrawn):
        await watched.report(45, "reading")

    assert watched.told == [12]
