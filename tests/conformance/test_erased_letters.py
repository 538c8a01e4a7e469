"""Letters of deleted documents: one suite for memory and PostgreSQL."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.operations import Kind, OperationState
from services.monitor.handlers.editing import edit_and_replay
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.watching import watch_facts
from services.monitor.ports import Filter
from shared.contracts.body import DocumentFact
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from tests import builders
from tests.conformance.operating import Operating, in_memory, in_postgres
from tests.conformance.test_edited_letters import edit
from tests.fakes.clock import NOON
from tests.unit.monitor.world import dead_letter


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def delete(operating: Operating, document_id: UUID | None) -> None:
    fact = builders.deleted(document_id=document_id)
    await watch_facts([builders.job(fact)], operating.use)


async def letters_of(operating: Operating, document_id: UUID | None) -> list[DeadLetter]:
    which = Filter(document_id=document_id)
    return await operating.use.letters.list_letters(which, after=None, limit=50)


async def test_only_what_was_deleted_is_found_deleted(operating: Operating) -> None:
    gone, here, cancelled = uuid4(), uuid4(), uuid4()
    await delete(operating, gone)
    for fact in (builders.stored(document_id=here), builders.cancelled(document_id=cancelled)):
        await watch_facts([builders.job(fact)], operating.use)

    async with operating.use.ledger.unit() as unit:
        found = await operating.use.documents.find_deleted(
            unit, [gone, here, cancelled, uuid4()]
        )
        assert await operating.use.documents.find_deleted(unit, []) == set()

    assert found == {gone}


async def test_a_deletion_stays_beside_the_facts_of_a_later_run(operating: Operating) -> None:
    early, late = uuid4(), uuid4()
    again = [builders.job(builders.started(document_id=one), run=1) for one in (early, late)]

    await delete(operating, early)
    await watch_facts(again, operating.use)
    await delete(operating, late)

    async with operating.use.ledger.unit() as unit:
        found = await operating.use.documents.find_deleted(unit, [early, late])
    assert found == {early, late}


async def test_letters_go_in_any_state_and_their_replays_with_them(
    operating: Operating,
) -> None:
    document_id = uuid4()
    letters = [
        await operating.keeper.kept(dead_letter(document_id=document_id)) for _ in range(5)
    ]
    other = await operating.keeper.kept(dead_letter())
    _open, running, done, refailed, edited = [one.letter_id for one in letters]
    replays = [
        await replay_letter(one, "olga", "Fixed.", operating.use)
        for one in (running, done, refailed)
    ]
    replays.append(await edit_and_replay(edit(edited), operating.use))
    ours = await replay_letter(other.letter_id, "olga", "Fixed.", operating.use)
    await operating.settle((replays[1].replay_id, "done"), (replays[2].replay_id, "refailed"))

    await delete(operating, document_id)

    assert not await letters_of(operating, document_id)
    assert [await operating.use.replays.find_replay(one.replay_id) for one in replays] == [
        None
    ] * 4
    assert [one.letter_id for one in await letters_of(operating, None)] == [other.letter_id]
    assert await operating.use.replays.find_replay(ours.replay_id) is not None


@pytest.mark.parametrize("fact", [builders.deleted(), builders.erased()], ids=lambda f: f.type)
async def test_what_an_erasing_needs_to_end_is_spared(
    operating: Operating, fact: DocumentFact
) -> None:
    body = encode(fact, job_id=new_id(), created_at=NOON, traceparent=None)
    kept = await operating.keeper.kept(replace(dead_letter(), body=body))
    order = await operating.keeper.kept(dead_letter(document_id=fact.document_id))

    async with operating.use.ledger.unit() as unit:
        assert fact.document_id == kept.document_id
        erased = await operating.use.letters.erase_letters(unit, [fact.document_id])

    assert erased == {order.letter_id}
    assert await letters_of(operating, fact.document_id) == [kept]


async def test_an_operation_skips_what_was_erased_before_its_turn(
    operating: Operating,
) -> None:
    first, second = await operating.letters(2)
    operation = await operating.asked(Kind.ARCHIVE)
    await operating.step()

    await delete(operating, first.document_id)
    await operating.run()

    outcomes = await operating.outcomes(operation)
    assert {*outcomes} == {("skipped", "gone"), ("applied", None)}
    assert (await operating.now(operation)).state is OperationState.COMPLETED
    assert await letters_of(operating, first.document_id) == []
    assert len(await letters_of(operating, second.document_id)) == 1


@pytest.mark.parametrize("ended", ["withdrawn", "refailed"])
async def test_an_operation_ends_though_what_it_had_sent_was_erased(
    operating: Operating, ended: str
) -> None:
    [letter] = await operating.letters(1)
    operation = await operating.asked()
    await operating.run()
    [replay_id] = await operating.replays(operation)

    await delete(operating, letter.document_id)
    if ended == "withdrawn":
        await operating.settle((replay_id, ended))
    else:
        late = dead_letter(
            job_id=letter.job_id,
            document_id=letter.document_id,
            run=1,
            replay=str(replay_id),
        )
        await keep_letters([late], operating.use)
    await operating.run()

    assert await operating.outcomes(operation) == [(ended, None)]
    assert (await operating.now(operation)).state is OperationState.COMPLETED
    assert await letters_of(operating, letter.document_id) == []
