"""All that a delivery does shares one time limit: those of its steps do not add up."""

import asyncio
from dataclasses import replace

import pytest

from services.extractor.domain.protection import CallTerms
from services.extractor.domain.reading import Reading, Scan
from services.extractor.handlers.deadlines import GRACE_S, Deadline
from services.extractor.handlers.protection import ProviderFailed
from services.extractor.ports import Progress
from shared.errors import Deferred, Retryable
from shared.topology.queues import EXTRACT
from tests.fakes.extractor import FakeEngine
from tests.unit.extractor.provider_world import COST, ESTIMATE, OWNER, ProviderWorld
from tests.unit.extractor.world import TERMS, World

AT_ONCE = 0.01 - GRACE_S
HANGS_AFTER_S = 20


class NotingEngine(FakeEngine):
    left_s = 0.0

    async def read(self, scan: Scan, progress: Progress) -> Reading:
        self.left_s = scan.left_s()
        return await super().read(scan, progress)


async def test_a_reading_is_over_before_the_consumer_would_end_it() -> None:
    world = World()
    world.terms = replace(TERMS, reading_s=AT_ONCE)
    world.engine.may_answer.clear()

    with pytest.raises(Retryable, match="not read within"):
        async with asyncio.timeout(HANGS_AFTER_S):
            await world.deliver()

    assert not world.leases.rows


def test_there_is_time_left_to_keep_the_answer() -> None:
    assert TERMS.reading_s + GRACE_S < EXTRACT.timeout_s


async def test_an_engine_is_told_what_is_left() -> None:
    world = World()
    world.terms = replace(TERMS, reading_s=42)
    world.engine = NotingEngine()

    await world.deliver()

    assert 0 < world.engine.left_s <= 42


async def test_what_is_left_grows_less() -> None:
    moments = iter([100.0, 130.0, 180.0])
    deadline = Deadline(60, now=lambda: next(moments))

    assert (deadline.left_s(), deadline.left_s()) == (30, -20)


async def test_a_limit_of_a_step_is_not_taken_for_that_of_all() -> None:
    with pytest.raises(TimeoutError):
        async with Deadline(60).kept():
            raise TimeoutError


async def test_a_step_that_ends_with_its_time_is_heard_of() -> None:
    deadline = Deadline(0.01)

    async with deadline.kept():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(deadline.left_s()):
                await asyncio.Event().wait()


async def test_a_call_with_too_little_time_is_not_the_providers_fault() -> None:
    world = ProviderWorld()
    with pytest.raises(ProviderFailed, match="no time was left"):
        async with world.gate.call(OWNER, ESTIMATE, 0.01):
            await asyncio.Event().wait()

    assert world.breaker.look().failures == 0
    # Nobody knows whether it will be billed.
    assert world.spent == ESTIMATE


async def test_whoever_gets_no_slot_in_time_comes_back_with_new_time() -> None:
    world = ProviderWorld()
    world.terms = CallTerms("gemini", at_once=1)
    gate, just_enough = world.gate, world.terms.deadline_s
    async with gate.call(OWNER, ESTIMATE):
        with pytest.raises(Deferred, match="are taken"):
            async with gate.call(OWNER, ESTIMATE, just_enough):
                raise AssertionError("two at once")

    async with gate.call(OWNER, ESTIMATE, just_enough) as charge:
        charge.tell(COST)
