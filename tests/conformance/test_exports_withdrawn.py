"""Exports that may hold an erased document: one suite for both kinds of them."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.conformance.exporting import claimed, complete, opened
from tests.conformance.leaving import Leaving, in_memory, in_postgres


@pytest.fixture(params=["memory", "postgres"])
async def leaving(request: pytest.FixtureRequest) -> AsyncIterator[Leaving]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def test_an_erased_document_takes_the_files_it_may_be_in(leaving: Leaving) -> None:
    document_id = await leaving.keep()
    done = await claimed(leaving)
    await complete(leaving, done)
    running = await claimed(leaving)

    async with leaving.ledger.unit() as unit:
        gone = await leaving.exports.withdraw_exports(unit, [document_id])

    assert set(gone) == {done.export_id, running.export_id}
    expired = await leaving.exports.find_export(done.export_id, "acme")
    assert expired is not None
    assert expired.status == "expired"
    assert not await complete(leaving, running)
    again = await leaving.exports.claim_export(60)
    assert again is not None
    assert again.run > running.run


async def test_an_export_takes_a_document_until_its_last_page(leaving: Leaving) -> None:
    export = await claimed(leaving)
    assert export.started_at is not None
    # Accepted behind its first page, and in time for its last one.
    accepted_at = export.started_at + timedelta(microseconds=1)
    document_id = await leaving.keep(accepted_at=accepted_at)
    leaving.let_time_pass()
    await complete(leaving, export)

    assert await leaving.withdraw(document_id) == {export.export_id}


async def test_what_an_export_cannot_hold_leaves_it_alone(leaving: Leaving) -> None:
    ended = await claimed(leaving)
    await complete(leaving, ended)
    found = await leaving.exports.find_export(ended.export_id, "acme")
    assert found is not None
    assert found.ended_at is not None
    assert await opened(leaving) is not None
    later = await leaving.keep(accepted_at=found.ended_at + timedelta(hours=1))
    theirs = await leaving.keep(owner="other")

    assert await leaving.withdraw(later) == set()
    assert await leaving.withdraw(theirs) == set()
    assert await leaving.exports.claim_export(60) is not None
    everybodys = await claimed(leaving, of=None)
    assert await leaving.withdraw(theirs) == {everybodys.export_id}


@pytest.mark.parametrize("ended", [False, True])
async def test_what_a_cut_off_run_has_left_is_taken_too(leaving: Leaving, ended: bool) -> None:
    document_id = await leaving.keep()
    export = await claimed(leaving)
    failures_max = 1 if ended else 2
    await leaving.exports.give_up_export(
        export, "interrupted", failures_max=failures_max, after_s=60
    )
    before = await leaving.exports.find_export(export.export_id, "acme")
    assert before is not None

    assert await leaving.withdraw(document_id) == {export.export_id}

    # Nothing else changes: it neither begins anew at once nor comes to life again.
    after = await leaving.exports.find_export(export.export_id, "acme")
    assert after == replace(before, run=before.run + 1)
    assert await leaving.exports.claim_export(60) is None


async def test_a_cancelled_run_may_still_write_and_its_parts_are_taken_twice(
    leaving: Leaving,
) -> None:
    document_id = await leaving.keep()
    export = await claimed(leaving)
    async with leaving.ledger.unit() as unit:
        await leaving.exports.cancel_export(unit, export.export_id, "acme")

    assert await leaving.withdraw(document_id) == {export.export_id}

    async with leaving.ledger.unit() as unit:
        assert await leaving.exports.lock_expired(unit, 10) == []
    found = await leaving.exports.find_export(export.export_id, "acme")
    assert found is not None
    assert found.status == "cancelled"


async def test_an_export_that_began_before_the_erasure_was_committed_is_taken_behind_it(
    leaving: Leaving,
) -> None:
    document_id = await leaving.keep()
    assert await leaving.erase(document_id) == []
    # As if a page of it had been read before that commit.
    export = await claimed(leaving)

    placed, again = await leaving.place(), await leaving.place()

    assert (placed, again) == ([document_id], [])
    assert await leaving.withdraw(document_id) == {export.export_id}
    assert not await complete(leaving, export)


async def test_what_an_erasure_takes_back_has_not_failed(leaving: Leaving) -> None:
    document_id = await leaving.keep()
    export = await claimed(leaving)
    for _ in range(5):
        assert await leaving.withdraw(document_id) == {export.export_id}
        again = await leaving.exports.claim_export(0)
        assert again is not None
        assert again.failures == 0

    leaving.let_time_pass()
    lost = await leaving.exports.claim_export(60)

    assert lost is not None
    assert (lost.export_id, lost.failures) == (export.export_id, 1)
    await leaving.exports.give_up_export(lost, "interrupted", failures_max=3, after_s=0)
    found = await leaving.exports.find_export(export.export_id, "acme")
    assert found is not None
    assert (found.status, found.failures) == ("waiting", 2)
