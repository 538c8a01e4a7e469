"""Nothing of a document that nobody wants any more is left behind, whenever that is said."""

from uuid import uuid4

import pytest

from services.extractor.handlers import withdraw_documents
from shared.contracts.facts import DocumentErasedV1
from shared.errors import Retryable, Withdrawn
from tests import builders
from tests.unit.extractor.world import World


@pytest.fixture
def world() -> World:
    return World()


async def test_a_withdrawn_document_is_not_even_announced(world: World) -> None:
    order = builders.extract_document()
    world.withdrawals.reasons[order.document_id] = "cancelled"

    with pytest.raises(Withdrawn):
        await world.deliver(builders.job(order))

    assert not world.ledger.sent
    assert not world.engine.calls


async def test_a_document_withdrawn_while_it_is_read_is_not_stored(world: World) -> None:
    order = builders.extract_document()

    world.engine.meanwhile = lambda: world.withdrawals.reasons.update(
        {order.document_id: "cancelled"}
    )

    with pytest.raises(Withdrawn):
        await world.deliver(builders.job(order))

    assert not world.stored()
    assert not world.ledger.done
    assert {*world.blobs.objects} == {builders.CONTENT_KEY}


async def test_an_answer_that_was_kept_before_a_withdrawal_is_erased_with_it(
    world: World,
) -> None:
    order = builders.extract_document()
    await world.deliver(builders.job(order))

    await withdraw_documents(
        [builders.job(builders.deleted(document_id=order.document_id))], world.use
    )

    assert {*world.blobs.objects} == {builders.CONTENT_KEY}


async def test_bytes_are_erased_under_no_lock_and_reported_when_they_are_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = builders.extract_document()
    await world.deliver(builders.job(order))
    deleted = builders.job(builders.deleted(document_id=order.document_id))
    world.blobs.away = True

    with pytest.raises(Retryable):
        await withdraw_documents([deleted], world.use)
    # A copy is not to end as the duplicate of nothing.
    assert not world.processed.kept
    assert not [one for one in world.ledger.sent if isinstance(one, DocumentErasedV1)]
    world.blobs.away = False
    delete, open_units = world.blobs.delete, []

    async def watched(key: str) -> None:
        open_units.append(world.ledger.open_units)
        await delete(key)

    monkeypatch.setattr(world.blobs, "delete", watched)
    await withdraw_documents([deleted], world.use)

    assert open_units == [0]
    assert {*world.blobs.objects} == {builders.CONTENT_KEY}
    assert len([one for one in world.ledger.sent if isinstance(one, DocumentErasedV1)]) == 1


async def test_an_answer_that_was_kept_too_late_to_be_withdrawn_is_erased_at_the_next_look(
    world: World,
) -> None:
    order = builders.extract_document()
    await world.deliver(builders.job(order))
    world.withdrawals.reasons[order.document_id] = "deleted"

    with pytest.raises(Withdrawn):
        await world.deliver(builders.job(order))

    assert {*world.blobs.objects} == {builders.CONTENT_KEY}


async def test_a_copy_that_is_withdrawn_before_its_commit_leaves_nothing(world: World) -> None:
    await world.deliver()
    before = {*world.blobs.objects}
    order = builders.extract_document()
    write = world.blobs.write

    async def withdrawn_meanwhile(*args: object, **how: object) -> object:
        world.withdrawals.reasons[order.document_id] = "deleted"
        return await write(*args, **how)  # type: ignore[arg-type] # passed on as given

    world.blobs.write = withdrawn_meanwhile  # type: ignore[method-assign, assignment] # the instant between

    with pytest.raises(Withdrawn):
        await world.deliver(builders.job(order))

    assert {*world.blobs.objects} == before


async def test_a_document_whose_withdrawal_is_at_work_waits_for_its_end(world: World) -> None:
    order = builders.extract_document()
    world.withdrawals.before_turn = lambda: world.withdrawals.reasons.update(
        {order.document_id: "deleted"}
    )

    with pytest.raises(Withdrawn):
        await world.deliver(builders.job(order))

    assert not world.stored()
    assert {*world.blobs.objects} == {builders.CONTENT_KEY}


async def test_a_copy_of_a_withdrawn_document_is_read_as_the_first(world: World) -> None:
    early, late = builders.extract_document(), builders.extract_document()
    await world.deliver(builders.job(early))
    await withdraw_documents(
        [builders.job(builders.cancelled(document_id=early.document_id))], world.use
    )
    world.engine.meanwhile = lambda: world.withdrawals.reasons.update(
        {late.document_id: "cancelled"}
    )
    with pytest.raises(Withdrawn):
        await world.deliver(builders.job(late))

    await world.deliver()

    assert not world.stored()[-1].cache_hit


async def test_withdrawals_are_remembered_and_deleted_answers_forgotten(world: World) -> None:
    order = builders.extract_document()
    await world.deliver(builders.job(order))
    cancelled_id = uuid4()

    await withdraw_documents(
        [
            builders.job(builders.cancelled(document_id=cancelled_id)),
            builders.job(builders.deleted(document_id=order.document_id)),
        ],
        world.use,
    )

    assert world.withdrawals.reasons == {
        cancelled_id: "cancelled",
        order.document_id: "deleted",
    }
    assert not world.processed.kept
    [report] = [one for one in world.ledger.sent if isinstance(one, DocumentErasedV1)]
    assert (report.document_id, report.service) == (order.document_id, "extractor")
