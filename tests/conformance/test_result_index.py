"""The index of current results: one suite for the one in memory and the one in PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from services.storage.domain.exports import Order, Place, Wanted
from services.storage.domain.listed import Values
from tests import builders
from tests.conformance.leaving import Leaving, in_memory, in_postgres


@pytest.fixture(params=["memory", "postgres"])
async def leaving(request: pytest.FixtureRequest) -> AsyncIterator[Leaving]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def found(leaving: Leaving, of_owner: str | None = None, **wanted: object) -> set[UUID]:
    order = Order(of_owner, Wanted(**wanted), "jsonl")  # type: ignore[arg-type]
    page = await leaving.index.list_current(order, None, 100)
    assert await leaving.index.count_current(order) == len(page)
    return {one.document_id for one in page}


async def test_the_current_version_is_listed_and_no_other(leaving: Leaving) -> None:
    one = await leaving.keep()
    await leaving.keep(one, version=3, verdict="corrected")
    await leaving.keep(one, version=2, verdict="approved")

    [listed] = await leaving.index.list_current(Order(None, Wanted(), "csv"), None, 10)

    assert (listed.document_id, listed.version, listed.verdict) == (one, 3, "corrected")


async def test_of_one_owner_only_his_are_listed(leaving: Leaving) -> None:
    ours, theirs = await leaving.keep(), await leaving.keep(owner="other")

    assert await found(leaving, builders.OWNER) == {ours}
    assert await found(leaving, "other") == {theirs}
    assert await found(leaving, "nobody") == set()
    assert await found(leaving) == {ours, theirs}


FILTERS = {
    "a vendor's beginning": ({"vendor_name": "Südwind AG"}, {"vendor": "südw"}),
    "a number's beginning": ({"invoice_number": "X_7-1"}, {"number": "x_7"}),
    "a currency": ({"currency": "CHF"}, {"currency": "CHF"}),
    "a day of issue": ({"issue_date": "2026-05-05"}, {"issued_after": date(2026, 5, 5)}),
    "before a day": ({"issue_date": "2025-05-05"}, {"issued_before": date(2025, 5, 6)}),
    "how sure it is": ({"confidence": "0.99"}, {"confidence_min": 0.95}),
}


@pytest.mark.parametrize("of_owner", [None, builders.OWNER], ids=["of all", "of one"])
@pytest.mark.parametrize(("said", "wanted"), FILTERS.values(), ids=FILTERS.keys())
async def test_a_filter_takes_what_it_names(
    leaving: Leaving, of_owner: str | None, said: dict[str, str], wanted: dict[str, object]
) -> None:
    one = await leaving.keep(values=said)
    await leaving.keep()

    assert await found(leaving, of_owner, **wanted) == {one}


async def test_what_stands_for_a_pattern_elsewhere_is_a_letter(leaving: Leaving) -> None:
    await leaving.keep(values={"invoice_number": "X17"})

    assert await found(leaving, number="x_7") == set()
    assert await found(leaving, number="%") == set()


async def test_verdicts_and_moments_are_filters_too(leaving: Leaving) -> None:
    machine = await leaving.keep()
    person = await leaving.keep(later_s=60)
    await leaving.keep(person, version=2, verdict="approved", later_s=60)
    later = builders.ACCEPTED_AT + timedelta(seconds=60)

    assert await found(leaving, verdict="approved") == {person}
    assert await found(leaving, verdict="none") == {machine}
    assert await found(leaving, accepted_after=later) == {person}
    assert await found(leaving, accepted_before=later) == {machine}
    assert await found(leaving, changed_after=datetime(2090, 1, 1, tzinfo=UTC)) == set()


async def test_pages_go_on_where_they_ended_whatever_comes_meanwhile(leaving: Leaving) -> None:
    known = {await leaving.keep(later_s=nth // 2) for nth in range(7)}
    order = Order(None, Wanted(), "csv")

    seen: list[UUID] = []
    after: Place | None = None
    while page := await leaving.index.list_current(order, after, 2):
        seen += [one.document_id for one in page]
        after = Place(page[-1].accepted_at, page[-1].document_id)
        if len(seen) == 2:
            # Accepted before where the pages are by now.
            await leaving.keep(later_s=-9)

    assert len(seen) == 7
    assert set(seen) == known


async def test_a_version_is_read_by_its_owner_and_by_who_may_see_all(leaving: Leaving) -> None:
    one = await leaving.keep()
    await leaving.keep(one, version=2, verdict="approved")
    index = leaving.index

    versions = await index.list_versions(one, builders.OWNER)
    current = await index.find_result(one, None)

    assert [(one.version, one.is_current) for one in versions] == [(1, False), (2, True)]
    assert current is not None
    assert (current.version, current.verdict, current.is_current) == (2, "approved", True)
    assert await index.find_result(one, "other") is None
    assert await index.list_versions(one, "other") == []
    assert await index.find_result(uuid4(), None) is None


async def test_what_was_kept_without_an_index_is_caught_up_with(leaving: Leaving) -> None:
    old = await leaving.keep(is_listed=False)
    moved = await leaving.keep()
    await leaving.keep(moved, version=2, verdict="approved", is_listed=False)

    async with leaving.ledger.unit() as unit:
        assert await leaving.index.index_missing(unit, 10) == 2
    async with leaving.ledger.unit() as unit:
        assert await leaving.index.index_missing(unit, 10) == 0
        unfilled = await leaving.index.lock_unfilled(unit, 10)
        assert {(one.document_id, one.version) for one in unfilled} == {(old, 1), (moved, 2)}

    assert await leaving.index.count_unfilled(builders.OWNER) == 2
    assert await leaving.index.count_unfilled("other") == 0
    assert await found(leaving) == {old, moved}


async def test_values_that_are_looked_up_later_are_found(leaving: Leaving) -> None:
    old = await leaving.keep(is_listed=False)
    values = Values("gemini", 0.5, "Südwind AG", "7", date(2026, 1, 2), "EUR")

    async with leaving.ledger.unit() as unit:
        await leaving.index.index_missing(unit, 10)
        await leaving.index.fill_results(unit, {old: values})

    assert await found(leaving, vendor="südwind") == {old}
    assert await leaving.index.count_unfilled(None) == 0


async def test_an_erased_document_is_not_listed(leaving: Leaving) -> None:
    one, other = await leaving.keep(), await leaving.keep()

    await leaving.erase(one)

    assert await found(leaving) == {other}
    assert await leaving.index.find_result(one, None) is None
