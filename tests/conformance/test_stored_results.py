"""Stored results: one suite for those in memory and those in PostgreSQL."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.domain.results import (
    Number,
    Origin,
    Published,
    Shown,
    StoredResult,
)
from services.storage.ports import StoredResults
from shared.ledger.port import Ledger
from tests import builders
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.ledger import FakeLedger
from tests.fakes.storage import InMemoryStoredResults

KEPT = "sha256/ab/ab"
Kept = tuple[StoredResults, Ledger]


@pytest.fixture(params=["memory", "postgres"])
async def kept(request: pytest.FixtureRequest) -> AsyncIterator[Kept]:
    if request.param == "memory":
        yield InMemoryStoredResults(), FakeLedger()
        return
    async with service_schema(database(), "storage", []) as schema:
        yield PostgresStoredResults(), schema.ledger


def row(
    document_id: UUID,
    version: int = 1,
    reading: int = 1,
    *,
    revision: int | None = None,
    has_files: bool = True,
) -> StoredResult:
    """The machine's reading, or as many decisions over it as the version lies above it."""
    revision = max(version - reading, 0) if revision is None else revision
    return StoredResult(
        document_id=document_id,
        version=version,
        owner_id=builders.OWNER,
        accepted_at=builders.ACCEPTED_AT,
        extraction_key=KEPT,
        result_key=f"v{version}",
        has_files=has_files,
        verdict="approved" if revision else None,
        reading=reading,
        review_revision=revision,
    )


async def keep(kept: Kept, *rows: StoredResult) -> None:
    results, ledger = kept
    async with ledger.unit() as unit:
        await results.keep_stored(unit, rows)


async def behind(kept: Kept, *document_ids: UUID) -> list[tuple[UUID, int]]:
    results, ledger = kept
    async with ledger.unit() as unit:
        found = await results.lock_unpublished(unit, document_ids)
        return [(one.document_id, one.version) for one in found]


async def publish(kept: Kept, *document_ids: UUID) -> None:
    results, ledger = kept
    async with ledger.unit() as unit:
        await results.mark_published(
            unit,
            [Published(one, f"data/json/{one}", f"data/parquet/{one}") for one in document_ids],
        )


async def test_a_kept_version_is_found_and_others_are_not(kept: Kept) -> None:
    results, ledger = kept
    one = uuid4()
    await keep(kept, row(one))

    async with ledger.unit() as unit:
        found = await results.find_stored(unit, [(one, 1), (one, 2), (uuid4(), 1)])

    assert found == {(one, 1)}


async def test_keeping_twice_is_keeping_once(kept: Kept) -> None:
    one = uuid4()
    await keep(kept, row(one), row(one))
    await publish(kept, one)

    await keep(kept, row(one))

    assert await behind(kept, one) == []


async def test_a_version_with_files_is_behind_until_it_is_published(kept: Kept) -> None:
    one, copy = uuid4(), uuid4()
    await keep(kept, row(one), row(copy, has_files=False))

    assert await behind(kept, one, copy) == [(one, 1)]
    await publish(kept, one)
    assert await behind(kept, one, copy) == []


async def test_a_higher_version_is_to_be_published_and_a_lower_one_is_not(kept: Kept) -> None:
    one = uuid4()
    await keep(kept, row(one, 3))
    await publish(kept, one)

    await keep(kept, row(one, 2))
    assert await behind(kept, one) == []

    await keep(kept, row(one, 4), row(one, 1))
    assert await behind(kept, one) == [(one, 4)]


async def test_what_has_been_behind_for_a_while_is_found_up_to_a_limit(kept: Kept) -> None:
    results, ledger = kept
    documents = {uuid4(), uuid4(), uuid4()}
    await keep(kept, *map(row, documents))

    async with ledger.unit() as unit:
        some = await results.lock_forgotten(unit, -1, 2)
    async with ledger.unit() as unit:
        every = await results.lock_forgotten(unit, -1, 10)

    assert len(some) == 2
    assert {one.document_id for one in every} == documents
    assert {one.accepted_at for one in every} == {builders.ACCEPTED_AT}


def read(document_id: UUID, extraction_key: str, replaces: int = 0) -> Origin:
    return Origin(document_id, replaces=replaces, extraction_key=extraction_key)


async def shown(kept: Kept, document_id: UUID) -> Shown | None:
    results, ledger = kept
    async with ledger.unit() as unit:
        return (await results.find_shown(unit, [document_id])).get(document_id)


async def test_what_is_put_off_comes_behind_the_others(kept: Kept) -> None:
    results, ledger = kept
    documents = [uuid4() for _ in range(4)]
    for one in documents:
        await keep(kept, row(one))
    async with ledger.unit() as unit:
        await results.put_off(unit, documents[:2])

    async with ledger.unit() as unit:
        found = await results.lock_forgotten(unit, -1, 2)

    assert [one.document_id for one in found] == documents[2:]


async def number(kept: Kept, *origins: Origin) -> list[Number]:
    results, ledger = kept
    async with ledger.unit() as unit:
        found = await results.number_versions(unit, origins)
        return [found[one] for one in origins]


async def test_a_reading_outdoes_every_decision_over_the_one_before(kept: Kept) -> None:
    one = uuid4()
    await keep(kept, row(one), row(one, 3))

    await keep(kept, row(one, 2, reading=2))
    await keep(kept, row(one, 5))

    assert await behind(kept, one) == [(one, 2)]


async def test_decisions_are_numbered_by_what_they_judged_whatever_order_they_come_in(
    kept: Kept,
) -> None:
    one = uuid4()
    await keep(kept, row(one))

    second = await number(kept, Origin(one, 1, 2))
    first = await number(kept, Origin(one, 1, 1))

    assert [*second, *first] == [Number(3, 1), Number(2, 1)]


async def test_a_further_reading_gets_the_next_number_and_keeps_it(kept: Kept) -> None:
    one = uuid4()
    await keep(kept, row(one), row(one, 2))
    await number(kept, Origin(one, 1, 2))

    reading = await number(kept, read(one, "b", replaces=2))
    again = await number(kept, read(one, "b", replaces=2))
    third = await number(kept, read(one, "b", replaces=4))

    assert [*reading, *third] == [Number(4, 4), Number(5, 5)]
    assert again == reading


async def test_the_first_reading_is_the_first_version_whoever_asks_and_how_often(
    kept: Kept,
) -> None:
    one, other = uuid4(), uuid4()

    first = await number(kept, read(one, "a"), read(other, "a"))
    again = await number(kept, read(one, "a"))

    assert [*first, *again] == [Number(1, 1)] * 3


@pytest.mark.parametrize("replaces", [0, 1])
async def test_two_readings_for_one_place_are_two_versions(kept: Kept, replaces: int) -> None:
    one = uuid4()
    if replaces:
        await keep(kept, row(one))

    first = await number(kept, read(one, "a", replaces))
    second = await number(kept, read(one, "b", replaces))
    third = await number(kept, read(one, "c", replaces))
    again = await number(kept, read(one, "b", replaces), read(one, "a", replaces))

    versions = [number.version for number in (*first, *second, *third)]
    assert versions == [replaces + 1, replaces + 2, replaces + 3]
    assert again == [*second, *first]


async def test_what_was_kept_before_readings_had_numbers_keeps_its_place(kept: Kept) -> None:
    one = uuid4()
    await keep(kept, row(one))

    same, other = await number(kept, read(one, KEPT)), await number(kept, read(one, "b"))

    assert [*same, *other] == [Number(1, 1), Number(2, 2)]


async def test_a_reading_that_a_decision_has_overtaken_is_numbered_anew(kept: Kept) -> None:
    one = uuid4()
    await keep(kept, row(one))
    [waits] = await number(kept, read(one, "b", replaces=1))
    [decided] = await number(kept, Origin(one, 1, 1))
    await keep(kept, row(one, decided.version, revision=1))

    [anew] = await number(kept, read(one, "b", replaces=1))
    await keep(kept, row(one, anew.version, reading=anew.reading))
    [again] = await number(kept, read(one, "b", replaces=1))
    [later] = await number(kept, Origin(one, 4, 1))

    assert (waits, decided) == (Number(2, 2), Number(3, 1))
    assert anew == again == Number(4, 4)
    assert later == Number(5, 4)
    assert await shown(kept, one) == Shown(4, 4)


async def test_a_decision_is_numbered_above_what_it_outdoes(kept: Kept) -> None:
    one = uuid4()
    await keep(kept, row(one))
    await number(kept, read(one, "b", replaces=1))
    [first] = await number(kept, Origin(one, 1, 1))
    await keep(kept, row(one, 5, revision=1))

    [second] = await number(kept, Origin(one, 1, 3))

    assert (first, second) == (Number(3, 1), Number(6, 1))


async def test_what_counts_is_the_last_decision_over_the_last_reading(kept: Kept) -> None:
    one = uuid4()
    assert await shown(kept, one) is None

    await keep(kept, row(one), row(one, 3), row(one, 2))

    assert await shown(kept, one) == Shown(3, 1, 2)


async def test_an_erased_document_leaves_no_numbers(kept: Kept) -> None:
    results, ledger = kept
    one = uuid4()
    await number(kept, Origin(one, 1, 1))

    async with ledger.unit() as unit:
        await results.erase_results(unit, [one])

    assert await number(kept, read(one, "b")) == [Number(1, 1)]
