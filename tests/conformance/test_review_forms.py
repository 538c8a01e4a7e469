"""What people said of values: locks, edits, findings and the keys of an invoice."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID, uuid4

import pytest

import shared.audit
from services.review.adapters.forms import PostgresForms
from services.review.adapters.review_items import PostgresReviewItems
from services.review.domain.claims import Claimant
from services.review.domain.edits import PathChange
from services.review.domain.invoice_keys import InvoiceKeys
from services.review.domain.items import ReviewItem
from services.review.domain.locks import Content, Lock
from services.review.domain.rescans import Sheet, Told
from services.review.ports import ReviewItems
from services.review.ports.forms import Forms, ItemFindings
from shared.contracts.extraction import Finding
from shared.ledger.port import Ledger
from tests import builders
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.conformance.test_page_records import new_item
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.review import InMemoryReviewItems
from tests.fakes.review_forms import InMemoryForms

A, B = "a" * 64, "b" * 64
MINE = Content(builders.OWNER, A)
BOX = {"page": 1, "bbox": [0.1, 0.2, 0.3, 0.4], "text": "120"}
TOTAL = Lock("total", "120.00", "120", 1.0, "corrected", "human", [BOX], "anna")
ANNA = Claimant("anna")
NONE = Lock("due_date", None, None, 0.0, "missing", "human", [], "anna")


@dataclass(frozen=True, slots=True)
class Desk:
    forms: Forms
    items: ReviewItems
    ledger: Ledger

    async def opened(self, sha256: str = A) -> UUID:
        document_id = uuid4()
        async with self.ledger.unit() as unit:
            await self.items.open_items(unit, [new_item(document_id, sha256)])
        return document_id

    async def held(self, *locks: Lock) -> None:
        async with self.ledger.unit() as unit:
            await self.forms.name_actor(unit, "anna")
            await self.forms.keep_locks(unit, MINE, locks)

    async def locks(self, content: Content = MINE) -> dict[str, Lock]:
        async with self.ledger.unit() as unit:
            found = await self.forms.find_locks(unit, [content])
        return {one.path: one for one in found.get(content, ())}


@pytest.fixture(params=["fake", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    if request.param == "fake":
        clock = FakeClock()
        items = InMemoryReviewItems(clock)
        yield Desk(InMemoryForms(items, clock), items, FakeLedger())
        return
    migrations = [shared.audit.MIGRATIONS]
    async with service_schema(database(), "review", migrations) as schema:
        pool = schema.pool
        yield Desk(PostgresForms(pool), PostgresReviewItems(pool), schema.ledger)


async def test_a_lock_comes_back_as_it_was_kept_and_the_last_word_counts(desk: Desk) -> None:
    await desk.opened()

    await desk.held(TOTAL, NONE)
    await desk.held(replace(TOTAL, value="121.00", locked_by="boris"))

    assert await desk.locks() == {
        "due_date": NONE,
        "total": replace(TOTAL, value="121.00", locked_by="boris"),
    }
    assert await desk.locks(Content("globex", A)) == {}
    assert await desk.locks(Content(builders.OWNER, B)) == {}


async def test_a_lock_is_taken_away_by_its_path(desk: Desk) -> None:
    await desk.opened()
    await desk.held(TOTAL, NONE)

    async with desk.ledger.unit() as unit:
        await desk.forms.name_actor(unit, "anna")
        await desk.forms.drop_locks(unit, MINE, ["total", "unknown"])

    assert set(await desk.locks()) == {"due_date"}


async def test_locks_of_a_content_that_a_document_still_has_are_not_erased(desk: Desk) -> None:
    document_id = await desk.opened()
    await desk.held(TOTAL)

    async with desk.ledger.unit() as unit:
        contents = await desk.forms.find_contents(unit, [document_id, uuid4()])
        await desk.forms.hold_contents(unit, contents)
        await desk.forms.erase_locks(unit, contents)

    assert contents == [MINE]
    assert set(await desk.locks()) == {"total"}


async def test_a_version_is_raised_once_and_by_nobody_without_the_item(desk: Desk) -> None:
    document_id = await desk.opened()

    async def raised(version: int, reviewer: str = "anna") -> ReviewItem | None:
        async with desk.ledger.unit() as unit:
            return await desk.forms.raise_version(
                unit, document_id, version=version, reviewer=reviewer
            )

    assert await raised(1) is None
    async with desk.ledger.unit() as unit:
        await desk.items.claim_item(unit, document_id=document_id, claimant=ANNA, lease_s=60)
    assert await raised(1, "boris") is None
    saved = await raised(1)
    assert saved is not None
    assert (saved.version, saved.claimed_by) == (2, "anna")
    assert await raised(1) is None


async def test_edits_are_listed_after_a_version_in_their_order(desk: Desk) -> None:
    document_id = await desk.opened()
    change = PathChange("total", "1.00", None)
    async with desk.ledger.unit() as unit:
        for version in (2, 3, 4):
            await desk.forms.keep_edit(
                unit, document_id, version=version, actor="anna", changes=[change]
            )

    edits = await desk.forms.list_edits(document_id, after=2)

    assert [(one.version, one.actor, list(one.changes)) for one in edits] == [
        (3, "anna", [change]),
        (4, "anna", [change]),
    ]


async def test_what_was_noticed_stays_while_the_rules_run_again(desk: Desk) -> None:
    document_id = await desk.opened()
    noticed = Finding(code="new_account", severity="block", touches=("total",))
    failed = Finding(code="E4", severity="block", detail="off by 1")
    unchecked = await desk.forms.find_findings(document_id)

    async with desk.ledger.unit() as unit:
        await desk.forms.keep_findings(unit, [ItemFindings(document_id, [failed], [noticed])])
    async with desk.ledger.unit() as unit:
        await desk.forms.keep_findings(unit, [ItemFindings(document_id, [])])

    found = await desk.forms.find_findings(document_id)
    assert unchecked is None
    assert found is not None
    assert found.all == [noticed]


async def test_lookalikes_are_of_the_same_owner_and_seller(desk: Desk) -> None:
    mine, twin, other = [await desk.opened(), await desk.opened(), await desk.opened()]
    keys = InvoiceKeys(
        document_id=mine,
        owner_id=builders.OWNER,
        sha256=A,
        accepted_at=builders.ACCEPTED_AT,
        seller_keys=["vat:DE1", "name:harbour"],
        number_key="R1O",
        invoice_number="R-1O",
        year=2026,
        issue_date="2026-03-02",
        total=Decimal("119.00"),
        currency="EUR",
    )
    known = [
        keys,
        replace(
            keys,
            document_id=twin,
            seller_keys=["iban:DE9", "name:harbour"],
            number_key="R10",
        ),
        replace(keys, document_id=other, seller_keys=["vat:DE2"]),
    ]
    async with desk.ledger.unit() as unit:
        await desk.forms.keep_keys(unit, [mine, twin, other], known)

    [found] = await desk.forms.find_lookalikes(keys)

    assert (found.document_id, found.number_key, found.total) == (twin, "R10", Decimal(119))
    assert (found.sha256, found.seller_keys) == (A, ["iban:DE9", "name:harbour"])
    async with desk.ledger.unit() as unit:
        await desk.forms.keep_keys(unit, [twin], [])
    assert await desk.forms.find_lookalikes(keys) == []


async def test_of_what_looks_alike_those_count_that_agree_in_two_of_three(desk: Desk) -> None:
    told = Told("R10", "2026-03-02", Decimal("119.00"))
    looks = "00ff10ff00ff00ff"
    others = {
        "the same but its number": (replace(told, number="X"), looks),
        "four bits apart": (replace(told, total=None), "00ff1fff00ff00ff"),
        "five bits apart": (told, "00ff1fff00ff00fe"),
        "only its number": (Told("R10", None, Decimal(1)), looks),
        "all but its looks": (told, "ff00ff00ff00ff00"),
        "of more pages": (told, looks),
    }
    mine = await desk.opened()
    ids = {name: await desk.opened() for name in others}
    pages = {"of more pages": 2}
    sheets = [
        Sheet(ids[name], builders.OWNER, looked, pages.get(name, 1), said)
        for name, (said, looked) in others.items()
    ]
    sheets.append(Sheet(mine, builders.OWNER, looks, 1, told))
    async with desk.ledger.unit() as unit:
        await desk.forms.keep_sheets(unit, [mine, *ids.values()], sheets)

    found = await desk.forms.find_rescans(mine, builders.OWNER, told)

    alike = {ids["the same but its number"], ids["four bits apart"]}
    assert {one.document_id for one in found} == alike
    assert {one.total for one in found} == {Decimal("119.00"), None}
    async with desk.ledger.unit() as unit:
        for one in alike:
            await desk.forms.retell_sheet(unit, one, Told(None, None, None))
    assert await desk.forms.find_rescans(mine, builders.OWNER, told) == []
    async with desk.ledger.unit() as unit:
        await desk.forms.keep_sheets(unit, [mine], [])
    assert await desk.forms.find_rescans(mine, builders.OWNER, told) == []
