"""A document that waits for its provider has been read by our own engine, once."""

from dataclasses import replace
from uuid import uuid4

import pytest

from services.extractor.domain.providers import NotAsked
from services.extractor.handlers import withdraw_documents
from services.extractor.handlers.chain import Chain
from services.extractor.handlers.forget import forget_expired
from services.extractor.handlers.leasing import TakenOver
from services.extractor.handlers.protection import ProviderFailed
from services.extractor.handlers.waiting import WaitingRoom
from services.extractor.ports import ContentKey
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from tests import builders
from tests.fakes.extractor import InMemoryOwnReadings, unwatched
from tests.fakes.ledger import FakeLedger
from tests.fakes.withdrawals import InMemoryWithdrawals
from tests.unit.extractor.test_chain import MODEL, PAGE, Told, chain, scan
from tests.unit.extractor.world import TERMS, World

MODEL_S = 240.0
LATER = Deferred("rate limit of gemini", after_s=7)
FAILED = ProviderFailed("gemini failed (server_error)")
CONTENT = ContentKey(builders.OWNER, builders.SHA256, "offline/1")


class Waiting:
    """A chain whose provider is told how it ends, attempt by attempt."""

    def __init__(self) -> None:
        self.readings = InMemoryOwnReadings()
        self.withdrawals = InMemoryWithdrawals()
        room = WaitingRoom("offline/1", MODEL_S, self.readings, self.withdrawals, FakeLedger())
        made, engines = chain(provider=LATER)
        self.chain: Chain = replace(made, waiting=room)
        self.offline: Told = engines["offline"]
        self.provider: Told = engines["gemini"]
        self.scan = scan()


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.mark.parametrize("ending", [LATER, FAILED, Retryable("the key is asked for again")])
async def test_it_is_read_once_however_often_it_waits(
    waiting: Waiting, ending: Exception
) -> None:
    waiting.provider.answer = ending
    for _ in range(3):
        with pytest.raises(type(ending)):
            await waiting.chain.read(waiting.scan, unwatched)
    waiting.provider.answer = MODEL
    reading = await waiting.chain.read(waiting.scan, unwatched)

    assert len(waiting.offline.asked) == 1
    assert len(waiting.provider.asked) == 4
    assert reading is not None
    assert reading.fields["total"].signals["agree"] == 1.0
    assert not waiting.readings.rows


async def test_an_answer_is_not_lost_with_what_was_kept_for_it(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise Retryable("the database is away")

    with pytest.raises(Deferred):
        await waiting.chain.read(waiting.scan, unwatched)
    monkeypatch.setattr(waiting.readings, "drop_own_reading", away)
    waiting.provider.answer = MODEL

    assert await waiting.chain.read(waiting.scan, unwatched) is not None


async def test_one_that_was_taken_over_leaves_nothing_behind(waiting: Waiting) -> None:
    # Whoever took it may be done, and nobody would ever ask for what lies here.
    waiting.provider.answer = TakenOver()

    with pytest.raises(TakenOver):
        await waiting.chain.read(waiting.scan, unwatched)

    assert not waiting.readings.rows


async def test_one_that_does_not_wait_leaves_nothing_behind(waiting: Waiting) -> None:
    waiting.provider.answer = MODEL

    await waiting.chain.read(waiting.scan, unwatched)

    assert not waiting.readings.rows


@pytest.mark.parametrize("ending", [NotAsked("outage"), FAILED])
async def test_one_that_goes_on_without_the_provider_leaves_nothing_behind(
    waiting: Waiting, ending: Exception
) -> None:
    with pytest.raises(Deferred):
        await waiting.chain.read(waiting.scan, unwatched)
    waiting.provider.answer = ending
    last = replace(waiting.scan, is_last_attempt=True)
    reading = await waiting.chain.read(last, unwatched)

    assert reading is not None
    assert reading.degraded
    assert len(waiting.offline.asked) == 1
    assert not waiting.readings.rows


async def test_the_model_is_asked_in_a_delivery_that_has_time_for_it(
    waiting: Waiting,
) -> None:
    waiting.provider.answer = MODEL
    late = replace(waiting.scan, left_s=lambda: MODEL_S - 1)

    with pytest.raises(Deferred, match="too little time"):
        await waiting.chain.read(late, unwatched)
    assert not waiting.provider.asked

    # What there is now is all that there will ever be.
    assert await waiting.chain.read(late, unwatched) is not None
    assert len(waiting.offline.asked) == 1


async def test_another_document_of_the_same_content_has_use_of_it(waiting: Waiting) -> None:
    with pytest.raises(Deferred):
        await waiting.chain.read(waiting.scan, unwatched)
    with pytest.raises(Deferred):
        await waiting.chain.read(replace(waiting.scan, document_id=uuid4()), unwatched)

    assert len(waiting.offline.asked) == 1


async def test_of_one_withdrawn_meanwhile_nothing_is_kept(waiting: Waiting) -> None:
    waiting.withdrawals.reasons[waiting.scan.document_id] = "deleted"

    with pytest.raises(Withdrawn):
        await waiting.chain.read(waiting.scan, unwatched)

    assert not waiting.readings.rows


async def test_of_one_whose_withdrawal_is_at_work_nothing_is_kept(waiting: Waiting) -> None:
    waiting.withdrawals.before_turn = lambda: waiting.withdrawals.reasons.update(
        {waiting.scan.document_id: "deleted"}
    )

    with pytest.raises(Withdrawn):
        await waiting.chain.read(waiting.scan, unwatched)

    assert not waiting.readings.rows


async def test_withdrawing_a_document_forgets_what_was_kept() -> None:
    world, deleted = World(), builders.deleted()
    await _keep(world, deleted.document_id)

    await withdraw_documents([builders.job(deleted)], world.use)

    assert not world.own_readings.rows


@pytest.mark.parametrize(
    ("error", "attempt", "is_kept"),
    [
        (Rejected("unreadable"), 1, False),
        (Retryable("failed"), 1, True),
        (Retryable("failed"), TERMS.attempts_max, False),
        (LATER, TERMS.attempts_max, True),
    ],
)
async def test_what_was_kept_ends_with_its_document(
    error: Exception, attempt: int, *, is_kept: bool
) -> None:
    world = World()
    job = replace(builders.job(builders.extract_document()), attempt=attempt)
    await _keep(world, job.body.document_id)
    world.engine.error = error

    with pytest.raises(type(error)):
        await world.deliver(job)

    assert bool(world.own_readings.rows) is is_kept


async def test_what_nobody_came_back_for_is_forgotten_after_the_longest_wait() -> None:
    world = World()
    await _keep(world, uuid4())

    world.clock.advance(TERMS.patience_s - 1)
    await forget_expired(world.use)
    assert world.own_readings.rows

    world.clock.advance(1)
    await forget_expired(world.use)
    assert not world.own_readings.rows


async def _keep(world: World, document_id: object) -> None:
    async with world.ledger.unit() as unit:
        await world.own_readings.keep_own_reading(
            unit,
            CONTENT,
            document_id,  # type: ignore[arg-type]  # the builders know that it is one
            PAGE,
        )
