"""The same paper scanned again is noticed though its number was misread, and a letterhead that
many invoices have is not enough."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from services.review.domain.items import Decision, ReviewItem
from services.review.domain.ranking import Plan
from services.review.handlers.deciding import approve_item, reject_item
from shared.configuration.review import Duplicates, Review
from shared.contracts.extraction import PageSize
from tests.unit.review.form_world import (
    BYTES,
    LATER,
    OTHER_BYTES,
    FormWorld,
    extraction,
    invoice,
    put,
)

LOOKS = "00ff10ff00ff00ff"
NEARLY = "00ff1fff00ff00ff"
OTHERWISE = "00ff1fff00ff00fe"
MISREAD = {"invoice_number": "B-9", "seller__vat_id": None, "seller__name": "Harbor"}


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


async def scanned(
    world: FormWorld,
    fingerprint: str = LOOKS,
    sha256: str = BYTES,
    page_count: int = 1,
    changes: Mapping[str, str | None] = MappingProxyType({}),
) -> ReviewItem:
    page = PageSize(number=1, width=595, height=842, source="ocr", fingerprint=fingerprint)
    read = extraction(
        invoice(**changes),
        sha256,
        pages=(page,),
        page_count=page_count,
        filename=f"{fingerprint}.pdf",
        accepted_at=LATER,
    )
    item = await world.shown(read)
    return await world.claimed(item.document_id)


async def again(
    world: FormWorld, fingerprint: str = NEARLY, **changes: str | None
) -> ReviewItem:
    return await scanned(world, fingerprint, OTHER_BYTES, changes={**MISREAD, **changes})


async def told(world: FormWorld, item: ReviewItem) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in (await world.look(item)).findings]


async def test_a_page_that_looks_the_same_with_its_date_and_total_is_named(
    world: FormWorld,
) -> None:
    first, second = await scanned(world), await again(world)

    look = await world.look(second)

    [twin] = look.twins
    assert (twin.document_id, twin.exact, twin.is_rescan) == (first.document_id, False, True)
    [finding] = look.findings
    assert (finding.code, finding.severity) == ("rescan", "warn")
    assert finding.detail.startswith(f"Rescan of the same: {LOOKS}.pdf (R-1042, 2026-03-02")
    assert "the same date and total" in finding.detail
    assert await told(world, first) == [("rescan", "warn")]
    await approve_item(second.document_id, "anna", second.version, world.ports)


@pytest.mark.parametrize(
    "changes",
    [
        {"issue_date": None, "invoice_number": "R-1O42"},
        {"total": None, "invoice_number": "R-1042"},
        {},
    ],
)
async def test_two_of_number_date_and_total_are_enough(
    world: FormWorld, changes: dict[str, Any]
) -> None:
    await scanned(world)

    second = await again(world, **changes)

    assert [one.is_rescan for one in (await world.look(second)).twins] == [True]


@pytest.mark.parametrize(
    "changes",
    [
        {"total": "120.00"},
        {"issue_date": "2026-03-03"},
        {"total": None},
        {"issue_date": None},
        {"fingerprint": OTHERWISE},
    ],
)
async def test_less_is_only_the_same_letterhead(
    world: FormWorld, changes: dict[str, Any]
) -> None:
    await scanned(world)

    second = await again(world, **changes)

    assert (await world.look(second)).twins == []


async def test_other_pages_are_another_document(world: FormWorld) -> None:
    await scanned(world, page_count=2)

    assert (await world.look(await again(world))).twins == []


async def test_what_is_the_same_by_its_number_blocks_and_has_one_reason_more(
    world: FormWorld,
) -> None:
    await scanned(world)
    second = await scanned(world, NEARLY, OTHER_BYTES)

    [finding] = (await world.look(second)).findings

    assert (finding.code, finding.severity) == ("same_invoice", "block")
    assert "its first page looks the same" in finding.detail
    [twin] = (await world.look(second)).twins
    assert (twin.exact, twin.is_rescan) == (True, True)


async def test_a_correction_makes_and_unmakes_a_rescan_on_both_sides(world: FormWorld) -> None:
    first, second = await scanned(world), await again(world, issue_date="2026-04-02")
    before = await told(world, first)

    saved = await world.correct(second, put("issue_date", "2026-03-02"))
    during = [await told(world, first), await told(world, saved)]
    await world.correct(saved, put("issue_date", "2026-05-02"))

    assert before == []
    assert during == [[("rescan", "warn")]] * 2
    assert await told(world, first) == []


async def test_a_rescan_that_was_rejected_is_named_and_not_kept(world: FormWorld) -> None:
    first, second = await scanned(world), await again(world)
    rejection = Decision(
        first.document_id, first.version, "anna", "rejected", None, "duplicate"
    )
    await reject_item(rejection, world.ports)

    look = await world.look(second)
    await approve_item(second.document_id, "anna", second.version, world.ports)

    assert [one.is_rejected for one in look.twins] == [True]
    assert world.reviewed(str(second.document_id)).findings == ()


async def test_what_was_rejected_and_is_the_same_by_its_number_is_told_as_that(
    world: FormWorld,
) -> None:
    first, second = await scanned(world), await scanned(world, NEARLY, OTHER_BYTES)
    rejection = Decision(
        first.document_id, first.version, "anna", "rejected", None, "duplicate"
    )

    await reject_item(rejection, world.ports)

    assert await told(world, second) == [("near_duplicate", "warn")]


async def test_it_is_ignored_where_the_configuration_says_so() -> None:
    world = FormWorld(Plan(Review(duplicates=Duplicates(rescan="ignore"))))
    await scanned(world)

    assert (await world.look(await again(world))).twins == []


async def test_a_document_that_was_not_looked_at_has_no_rescans(world: FormWorld) -> None:
    await world.held()

    assert (await world.look(await again(world))).twins == []
