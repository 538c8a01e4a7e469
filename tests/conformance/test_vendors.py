"""What is remembered of issuers: in memory and in PostgreSQL alike."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from services.extractor.adapters.vendors import PostgresVendors
from services.extractor.adapters.withdrawals import PostgresWithdrawals
from services.extractor.domain.sightings import Sighting
from services.extractor.domain.vendors import Memory
from services.extractor.ports import Asking, Noted, Vendors, Withdrawals
from shared.ledger.port import Ledger
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.ledger import FakeLedger
from tests.fakes.vendors import InMemoryVendors
from tests.fakes.withdrawals import InMemoryWithdrawals

OWNER, OTHER = "acme", "umbrella"
NORDWIND, BY_NAME = "vat_id:de136695976", "name:de:nordwindgmbh"
PLACES = {"total": (1, 0.812, 0.640)}
IBAN = "DE89370400440532013000"
FIRST = Sighting("RE-<4>", (IBAN,), ("19", "7"), "EUR", "de", PLACES, (NORDWIND, BY_NAME))
SECOND = replace(FIRST, number_shape="RE-<5>", places={}, language=None)
BARE = Sighting("RE-<6>", identities=(NORDWIND,))
APPROVED = replace(BARE, is_approved=True)


class Remembered:
    """The vendors, each call in a unit of its own."""

    def __init__(self, vendors: Vendors, withdrawals: Withdrawals, ledger: Ledger) -> None:
        self._vendors = vendors
        self._withdrawals = withdrawals
        self._ledger = ledger

    async def note(
        self,
        seen: Sighting,
        *,
        owner: str = OWNER,
        document_id: UUID | None = None,
        decided_version: int = 0,
    ) -> UUID:
        noted = document_id or uuid4()
        async with self._ledger.unit() as unit:
            await self._vendors.note_vendor(
                unit, owner, noted, seen, decided_version=decided_version
            )
        return noted

    async def note_unless_withdrawn(
        self, seen: Sighting | None, document_id: UUID | None = None
    ) -> bool:
        async with self._ledger.unit() as unit:
            noted = Noted(document_id or uuid4(), OWNER, seen)
            return await self._vendors.note_unless_withdrawn(unit, [noted])

    async def note_several(self, *several: tuple[UUID, Sighting | None]) -> bool:
        async with self._ledger.unit() as unit:
            told = [Noted(document_id, OWNER, seen) for document_id, seen in several]
            return await self._vendors.note_unless_withdrawn(unit, told)

    async def withdrawn(self) -> UUID:
        document_id = uuid4()
        async with self._ledger.unit() as unit:
            await self._withdrawals.note_withdrawn(unit, [document_id], "cancelled")
        return document_id

    async def recall(
        self, *vendors: str, owner: str = OWNER, document_id: UUID | None = None
    ) -> Memory:
        asking = Asking(owner, document_id or uuid4(), vendors or (NORDWIND,))
        [memory] = await self.recall_all(asking)
        return memory

    async def recall_all(self, *asking: Asking) -> Sequence[Memory]:
        async with self._ledger.unit() as unit:
            return await self._vendors.recall_vendor(unit, asking)

    async def forget(self, *document_ids: UUID) -> None:
        async with self._ledger.unit() as unit:
            await self._vendors.forget_vendors(unit, document_ids)


@pytest.fixture(params=["memory", "postgres"])
async def remembered(request: pytest.FixtureRequest) -> AsyncIterator[Remembered]:
    if request.param == "memory":
        withdrawals = InMemoryWithdrawals()
        yield Remembered(InMemoryVendors(withdrawals), withdrawals, FakeLedger())
        return
    async with service_schema(database(), "extractor", []) as schema:
        yield Remembered(PostgresVendors(), PostgresWithdrawals(), schema.ledger)


async def test_what_was_seen_is_recalled_the_latest_first(remembered: Remembered) -> None:
    await remembered.note(FIRST)
    await remembered.note(SECOND)

    assert list((await remembered.recall()).sightings) == [SECOND, FIRST]


async def test_nothing_is_known_of_somebody_else(remembered: Remembered) -> None:
    await remembered.note(FIRST)

    assert not (await remembered.recall("name:other")).sightings


async def test_whoever_bears_any_of_the_identities_is_recalled_once(
    remembered: Remembered,
) -> None:
    await remembered.note(FIRST)
    await remembered.note(BARE)

    by_name = await remembered.recall(BY_NAME)
    by_all = await remembered.recall("iban:other", BY_NAME, NORDWIND)

    assert list(by_name.sightings) == [FIRST]
    assert list(by_all.sightings) == [FIRST, BARE]
    assert by_all.identities == ("iban:other", BY_NAME, NORDWIND)


async def test_what_weighs_more_is_recalled_before_what_is_later(
    remembered: Remembered,
) -> None:
    await remembered.note(APPROVED, decided_version=2)
    await remembered.note(FIRST)
    await remembered.note(BARE)

    assert list((await remembered.recall()).sightings) == [APPROVED, FIRST, BARE]


async def test_what_a_person_decided_gives_way_to_a_later_decision_only(
    remembered: Remembered,
) -> None:
    noted = await remembered.note(FIRST)
    await remembered.note(APPROVED, document_id=noted, decided_version=3)
    await remembered.note(FIRST, document_id=noted)
    await remembered.note(SECOND, document_id=noted, decided_version=2)

    assert list((await remembered.recall()).sightings) == [APPROVED]
    # It is not found by what it does not bear any more.
    assert not (await remembered.recall(BY_NAME)).sightings

    await remembered.note(Sighting(), document_id=noted, decided_version=4)
    assert not (await remembered.recall()).sightings


async def test_what_one_owner_saw_no_other_learns(remembered: Remembered) -> None:
    await remembered.note(FIRST)

    assert not (await remembered.recall(owner=OTHER)).sightings


async def test_a_document_does_not_bear_witness_for_itself(remembered: Remembered) -> None:
    noted = await remembered.note(FIRST)

    assert not (await remembered.recall(document_id=noted)).sightings


async def test_a_document_that_is_read_anew_is_remembered_once(remembered: Remembered) -> None:
    noted = await remembered.note(FIRST)
    await remembered.note(SECOND, document_id=noted)

    assert list((await remembered.recall()).sightings) == [SECOND]


async def test_what_is_deleted_is_forgotten(remembered: Remembered) -> None:
    gone, kept = await remembered.note(FIRST), await remembered.note(SECOND)

    await remembered.forget(gone, uuid4())
    await remembered.forget(gone)

    assert list((await remembered.recall()).sightings) == [SECOND]
    assert list((await remembered.recall(document_id=kept)).sightings) == []


async def test_what_is_not_withdrawn_is_noted_and_may_have_seen_nothing(
    remembered: Remembered,
) -> None:
    assert await remembered.note_unless_withdrawn(FIRST)
    assert await remembered.note_unless_withdrawn(None)

    assert list((await remembered.recall()).sightings) == [FIRST]


async def test_of_what_is_withdrawn_nothing_is_noted(remembered: Remembered) -> None:
    document_id = await remembered.withdrawn()

    assert not await remembered.note_unless_withdrawn(FIRST, document_id)
    assert not await remembered.note_unless_withdrawn(None, document_id)

    assert not (await remembered.recall()).sightings


async def test_each_who_asks_is_told_of_his_own_issuer(remembered: Remembered) -> None:
    noted = await remembered.note(FIRST)
    await remembered.note(BARE)
    await remembered.note(SECOND, owner=OTHER)

    by_number, nobody, by_name, itself, other = await remembered.recall_all(
        Asking(OWNER, uuid4(), (NORDWIND,)),
        Asking(OWNER, uuid4(), ()),
        Asking(OWNER, uuid4(), (BY_NAME,)),
        Asking(OWNER, noted, (NORDWIND, BY_NAME)),
        Asking(OTHER, uuid4(), (NORDWIND,)),
    )

    assert list(by_number.sightings) == [FIRST, BARE]
    assert list(by_name.sightings) == [FIRST]
    assert list(itself.sightings) == [BARE]
    assert list(other.sightings) == [SECOND]
    assert not nobody.sightings


async def test_several_are_noted_at_once_each_with_its_own_identities(
    remembered: Remembered,
) -> None:
    assert await remembered.note_several((uuid4(), FIRST), (uuid4(), None), (uuid4(), BARE))

    assert list((await remembered.recall(BY_NAME)).sightings) == [FIRST]
    assert list((await remembered.recall()).sightings) == [FIRST, BARE]


async def test_one_of_several_that_is_withdrawn_is_told_of_all(remembered: Remembered) -> None:
    withdrawn = await remembered.withdrawn()

    assert not await remembered.note_several((withdrawn, FIRST), (uuid4(), None))
