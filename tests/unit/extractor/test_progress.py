"""How far a reading has come is told when it says something new, and never backwards."""

from collections.abc import Callable, Sequence
from uuid import UUID

import pytest

from services.extractor.handlers.progress import Reporter, tell_steps
from shared.contracts.facts import DocumentProgressV1
from shared.errors import Retryable, Withdrawn
from shared.ledger.port import Unit
from tests import builders
from tests.fakes.withdrawals import InMemoryWithdrawals
from tests.unit.extractor.world import World


class Watched:
    def __init__(self, world: World | None = None) -> None:
        self.world = world or World()
        self.at = 0.0
        job = builders.job(builders.extract_document())
        self.document_id = job.body.document_id
        self.report = Reporter(job, self.world.use, now=lambda: self.at)

    @property
    def told(self) -> list[int]:
        return [
            one.percent
            for one in self.world.ledger.sent
            if isinstance(one, DocumentProgressV1) and one.document_id == self.document_id
        ]

    async def moment_passes(self) -> None:
        await tell_steps(self.world.use)

    async def is_withdrawn(self) -> None:
        async with self.world.ledger.unit() as unit:
            await self.world.withdrawals.note_withdrawn(unit, [self.document_id], "cancelled")


async def test_a_step_that_is_far_enough_is_told_a_moment_later() -> None:
    watched = Watched()

    for percent in (12, 45):
        await watched.report(percent, "reading")
        await watched.moment_passes()

    assert watched.told == [12, 45]


async def test_what_is_overtaken_within_the_moment_is_not_told() -> None:
    watched = Watched()

    await watched.report(12, "reading")
    await watched.report(45, "reading")
    await watched.moment_passes()

    assert watched.told == [45]


async def test_what_has_ended_is_not_told_on_its_way() -> None:
    watched = Watched()
    await watched.report(45, "reading")

    watched.report.leave()
    await watched.moment_passes()

    assert watched.told == []


async def test_steps_of_all_documents_are_told_with_one_commit() -> None:
    one = Watched()
    other = Watched(one.world)
    await one.report(45, "reading")
    await other.report(25, "reading")

    await one.moment_passes()

    assert (one.told, other.told) == ([45], [25])


async def test_small_steps_are_told_once_a_second_and_at_once() -> None:
    watched = Watched()
    await watched.report(12, "reading")
    await watched.moment_passes()

    await watched.report(13, "reading")
    await watched.moment_passes()
    watched.at = 1.0
    await watched.report(14, "reading")

    assert watched.told == [12, 14]


async def test_nothing_is_told_backwards_or_twice() -> None:
    watched = Watched()
    await watched.report(45, "reading")
    watched.at = 60.0

    await watched.report(45, "reading")
    await watched.report(20, "reading")
    await watched.moment_passes()
    await watched.moment_passes()

    assert watched.told == [45]


async def test_what_cannot_be_told_is_told_later() -> None:
    watched = Watched()
    await watched.report(45, "reading")
    watched.world.ledger.error = Retryable("away", dependency="postgres")
    with pytest.raises(Retryable):
        await watched.moment_passes()

    watched.world.ledger.error = None
    await watched.moment_passes()

    assert watched.told == [45]


class Ending(InMemoryWithdrawals):
    """The document ends while it is told how far it has come."""

    end: Callable[[], None]

    async def find_withdrawn(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        self.end()
        return await super().find_withdrawn(unit, document_ids)


async def test_what_has_ended_before_it_could_be_told_is_not_told_later() -> None:
    watched, ending = Watched(), Ending()
    ending.end, watched.world.withdrawals = watched.report.leave, ending
    await watched.report(45, "reading")
    watched.world.ledger.error = Retryable("away", dependency="postgres")
    with pytest.raises(Retryable):
        await watched.moment_passes()

    watched.world.ledger.error = None
    await watched.moment_passes()

    assert watched.told == []


async def test_a_document_that_is_withdrawn_meanwhile_is_read_no_further() -> None:
    watched = Watched()
    await watched.report(12, "reading")
    await watched.moment_passes()
    await watched.is_withdrawn()

    await watched.report(45, "reading")
    await watched.moment_passes()
    with pytest.raises(Withdrawn):
        await watched.report(46, "reading")

    assert watched.told == [12]


async def test_whoever_has_read_for_long_hears_at_once_that_nobody_waits_any_more() -> None:
    watched = Watched()
    await watched.is_withdrawn()
    watched.at = 60.0

    with pytest.raises(Withdrawn):
        await watched.report(45, "reading")

    assert watched.told == []


async def test_behind_the_model_nobody_asks_whether_anybody_waits() -> None:
    watched = Watched()
    await watched.is_withdrawn()
    watched.at = 60.0

    await watched.report(65, "checking")
    await watched.moment_passes()

    assert watched.told == []
