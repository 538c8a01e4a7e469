"""Exports as jobs: one suite for those in memory and those in PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from services.storage.domain.exports import Place
from tests.conformance.exporting import ORDER, claimed, complete, opened
from tests.conformance.leaving import Leaving, in_memory, in_postgres


@pytest.fixture(params=["memory", "postgres"])
async def leaving(request: pytest.FixtureRequest) -> AsyncIterator[Leaving]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def test_an_export_is_found_as_it_was_ordered_and_by_its_owner_only(
    leaving: Leaving,
) -> None:
    export = await opened(leaving)
    assert export is not None

    found = await leaving.exports.find_export(export.export_id, "acme")

    assert found == export
    assert found.order == ORDER
    assert (found.status, found.progress) == ("waiting", 0)
    assert await leaving.exports.find_export(export.export_id, "other") is None
    assert await leaving.exports.find_export(uuid4(), "acme") is None


async def test_a_key_orders_one_export_for_each_owner(leaving: Leaving) -> None:
    first = await opened(leaving, key="k")

    assert await opened(leaving, key="k") is None
    assert await opened(leaving, key="k", owner="other") is not None
    async with leaving.ledger.unit() as unit:
        assert await leaving.exports.find_keyed_export(unit, "acme", "k") == first


async def test_an_owner_has_so_many_open_and_no_more(leaving: Leaving) -> None:
    assert await opened(leaving, open_max=1) is not None
    assert await opened(leaving, open_max=1) is None
    assert await opened(leaving, open_max=1, owner="other") is not None


async def test_of_many_who_look_one_gets_it(leaving: Leaving) -> None:
    await opened(leaving)

    claims = await asyncio.gather(*(leaving.exports.claim_export(60) for _ in range(8)))

    [claim] = [one for one in claims if one is not None]
    assert (claim.status, claim.run) == ("running", 1)


async def test_who_lost_its_lease_neither_goes_on_nor_completes(leaving: Leaving) -> None:
    await opened(leaving)
    lost = await leaving.exports.claim_export(0)
    assert lost is not None
    again = await leaving.exports.claim_export(60)
    assert again is not None

    assert again.run == 2
    assert not await leaving.exports.note_progress(lost, done=1, total=2, lease_s=60)
    assert not await complete(leaving, lost)
    assert await leaving.exports.note_progress(again, done=1, total=2, lease_s=60)
    assert await complete(leaving, again)


async def test_a_completed_export_has_a_file_until_it_is_cleared(leaving: Leaving) -> None:
    export = await claimed(leaving)
    await complete(leaving, export, keep_s=-1)

    found = await leaving.exports.find_finished_export(export.export_id)
    async with leaving.ledger.unit() as unit:
        expired = await leaving.exports.lock_expired(unit, 10)
        await leaving.exports.mark_cleared(unit, expired)

    assert found is not None
    assert (found.parts, found.size_bytes, found.sha256, found.progress) == (2, 9, "ab", 100)
    assert expired == [export.export_id]
    assert await leaving.exports.find_finished_export(export.export_id) is None
    shown = await leaving.exports.find_export(export.export_id, "acme")
    assert shown is not None
    assert shown.status == "expired"


async def test_what_is_kept_is_not_cleared(leaving: Leaving) -> None:
    await complete(leaving, await claimed(leaving))

    async with leaving.ledger.unit() as unit:
        assert await leaving.exports.lock_expired(unit, 10) == []


async def test_a_cancelled_export_is_cleared_when_nobody_can_write_it_any_more(
    leaving: Leaving,
) -> None:
    export = await claimed(leaving)
    async with leaving.ledger.unit() as unit:
        cancelled = await leaving.exports.cancel_export(unit, export.export_id, "acme")
        again = await leaving.exports.cancel_export(unit, export.export_id, "acme")

    assert cancelled is not None
    assert (cancelled.status, again) == ("cancelled", None)
    assert not await leaving.exports.note_progress(export, done=1, total=2, lease_s=60)
    async with leaving.ledger.unit() as unit:
        assert await leaving.exports.lock_expired(unit, 10) == []


async def test_what_failed_waits_for_its_next_run_and_then_has_failed(leaving: Leaving) -> None:
    export = await claimed(leaving)
    await leaving.exports.give_up_export(export, "interrupted", failures_max=2, after_s=0)
    again = await leaving.exports.claim_export(60)
    assert again is not None

    await leaving.exports.give_up_export(again, "version_lost", failures_max=2, after_s=0)

    found = await leaving.exports.find_export(export.export_id, "acme")
    assert found is not None
    assert (again.run, found.status, found.failure) == (2, "failed", "version_lost")
    assert await leaving.exports.claim_export(60) is None


async def test_with_a_reach_only_exports_of_these_documents_are_listed(
    leaving: Leaving,
) -> None:
    own, everybodys = await opened(leaving), await opened(leaving, of=None)
    assert own is not None
    assert everybodys is not None

    reached = await leaving.exports.list_exports("acme", "acme", None, 9)
    every = await leaving.exports.list_exports("acme", None, None, 9)

    assert [one.export_id for one in reached] == [own.export_id]
    assert {one.export_id for one in every} == {own.export_id, everybodys.export_id}


async def test_pages_of_exports_are_newest_first(leaving: Leaving) -> None:
    orders = [await opened(leaving, open_max=9) for _ in range(3)]
    known = {one.export_id for one in orders if one}

    first = await leaving.exports.list_exports("acme", None, None, 2)
    place = Place(first[-1].created_at, first[-1].export_id)
    second = await leaving.exports.list_exports("acme", None, place, 2)

    assert {one.export_id for one in (*first, *second)} == known
    assert (len(first), len(second)) == (2, 1)
    assert await leaving.exports.list_exports("other", None, None, 2) == []
