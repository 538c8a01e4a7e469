"""Of two of the same invoice one is approved, the other only by somebody who says why."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

import pytest

from services.review.domain.decisions import Blocked, Reopening
from services.review.domain.edits import Change
from services.review.domain.items import Decision, ItemStatus, ReviewItem
from services.review.domain.ranking import Plan
from services.review.handlers.deciding import approve_item, mark_duplicate
from services.review.handlers.reopening import reopen_item
from services.review.handlers.splitting import split_item, split_of
from shared.configuration.review import Duplicates, Review
from shared.contracts.extraction import Finding
from tests import builders
from tests.unit.review.form_world import (
    BYTES,
    LATER,
    OTHER_BYTES,
    FormWorld,
    extraction,
    invoice,
    put,
)


def world_with(**asked: str) -> FormWorld:
    duplicates = Duplicates.model_validate(asked)
    return FormWorld(Plan(Review(duplicates=duplicates)))


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


async def approved(world: FormWorld, item: ReviewItem, why: str | None = None) -> ReviewItem:
    seen = await world.item(item.document_id)
    return await approve_item(item.document_id, "anna", seen.version, world.ports, override=why)


async def told(world: FormWorld, item: ReviewItem) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in (await world.look(item)).findings]


async def blockers(world: FormWorld, item: ReviewItem) -> Sequence[Finding]:
    with pytest.raises(Blocked) as refused:
        await approved(world, item)
    return refused.value.blockers


async def same_bytes(world: FormWorld) -> ReviewItem:
    return await world.shown(extraction(invoice(), BYTES, accepted_at=LATER))


async def test_the_second_copy_is_blocked_by_the_first_which_is_named(world: FormWorld) -> None:
    first = await world.held()
    await approved(world, first)
    second = await world.another(invoice_number="r 1042")

    [blocker] = await blockers(world, second)

    assert blocker.code == "same_invoice"
    assert "Probable duplicate of invoice.pdf (R-1042, 2026-03-02, 119.00)" in blocker.detail
    [twin] = (await world.look(second)).twins
    assert twin.document_id == first.document_id


async def test_while_both_are_open_each_blocks_the_other(world: FormWorld) -> None:
    first, second = await world.held(), await world.another()

    assert await told(world, first) == await told(world, second) == [("same_invoice", "block")]


async def test_an_override_approves_it_and_its_reason_is_on_record(world: FormWorld) -> None:
    await approved(world, await world.held())
    second = await world.another()

    done = await approved(world, second, "A part delivery under the same number.")

    assert (done.status, done.reason) == (
        ItemStatus.APPROVED,
        "A part delivery under the same number.",
    )
    assert isinstance(world.trail.entries[-1].after, dict)
    assert world.trail.entries[-1].after["overridden"] == ["same_invoice"]


async def test_a_rejected_first_is_named_and_does_not_block(world: FormWorld) -> None:
    first, second = await world.held(), await world.another()
    copy = Decision(
        *(first.document_id, first.version, "anna", "rejected"),
        reason_code="duplicate",
        duplicate_of=second.document_id,
    )
    await mark_duplicate(copy, world.ports)

    assert await told(world, second) == [("near_duplicate", "warn")]
    assert (await approved(world, second)).status is ItemStatus.APPROVED


async def test_a_rejected_first_that_is_opened_again_is_blocked_by_what_was_approved(
    world: FormWorld,
) -> None:
    first, second = await world.held(), await world.another()
    copy = Decision(first.document_id, first.version, "anna", "rejected", None, "duplicate")
    rejected = await mark_duplicate(replace(copy, duplicate_of=second.document_id), world.ports)
    await approved(world, second)
    asked = Reopening(first.document_id, "lena", rejected.version, "It is another one.")
    again = await reopen_item(asked, world.ports)

    assert [one.code for one in await blockers(world, again)] == ["same_invoice"]


async def test_the_same_bytes_again_do_not_block_the_first_and_are_blocked_by_it(
    world: FormWorld,
) -> None:
    first, copy = await world.held(), await same_bytes(world)

    assert await told(world, first) == [("near_duplicate", "warn")]
    assert await told(world, copy) == [("same_invoice", "block")]
    await approved(world, first)
    assert len(await blockers(world, copy)) == 1


async def test_the_same_bytes_again_block_the_first_once_they_were_approved(
    world: FormWorld,
) -> None:
    first, copy = await world.held(), await same_bytes(world)
    await approved(world, copy, "The first one is torn.")

    assert [one.code for one in await blockers(world, first)] == ["same_invoice"]


async def test_a_document_that_is_read_anew_does_not_block_itself(world: FormWorld) -> None:
    first = await world.held()
    await approved(world, first)

    again = await world.shown(
        extraction(invoice(), BYTES, document_id=first.document_id), result_version=2
    )

    assert (again.status, (await world.look(again)).twins) == (ItemStatus.PENDING, [])
    await approved(world, again)


async def test_a_document_that_is_opened_again_does_not_block_itself(world: FormWorld) -> None:
    done = await approved(world, await world.held())
    asked = Reopening(done.document_id, "lena", done.version, "The total.")
    again = await reopen_item(asked, world.ports)

    assert (await approved(world, again)).status is ItemStatus.APPROVED


async def test_the_parts_of_a_file_are_not_blocked_by_it(world: FormWorld) -> None:
    pile = await world.shown(extraction(invoice(), BYTES, page_count=3))
    decision = split_of(pile.document_id, pile.version, "anna", "Two in one.")
    await split_item(decision, [[1, 2], [3]], world.ports)

    part = await world.another()

    assert (await world.look(part)).twins == []
    assert (await approved(world, part)).status is ItemStatus.APPROVED


async def test_two_parts_of_a_file_that_are_the_same_invoice_block_each_other(
    world: FormWorld,
) -> None:
    await world.another()
    part = await world.shown(extraction(invoice(), "c" * 64, accepted_at=LATER))

    assert await told(world, part) == [("same_invoice", "block")]


async def test_another_year_is_another_invoice(world: FormWorld) -> None:
    await approved(world, await world.held())
    second = await world.another(issue_date="2025-03-02")

    assert await told(world, second) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("invoice_number", "R-1042"),
        ("seller.vat_id", "DE136695976"),
        ("issue_date", "2026-03-09"),
    ],
)
async def test_a_correction_of_whatever_tells_is_seen_on_both_sides(
    world: FormWorld, path: str, value: str
) -> None:
    other = {
        "invoice_number": {"invoice_number": "R-7", "total": "7.00"},
        "seller.vat_id": {"seller__vat_id": "DE129273398", "seller__name": "Quay Stores"},
        "issue_date": {"issue_date": "2025-03-02"},
    }
    wrong = await world.held(**other[path])
    right = await world.another()
    before = [await told(world, right), (await world.look(right)).twins]

    saved = await world.correct(wrong, put(path, value))

    assert before == [[], []]
    assert ("same_invoice", "block") in await told(world, saved)
    [finding] = (await world.look(right)).findings
    assert (finding.code, finding.severity) == ("same_invoice", "block")
    assert [one.document_id for one in (await world.look(right)).twins] == [wrong.document_id]


async def test_a_correction_of_the_seller_frees_both_sides(world: FormWorld) -> None:
    mine, other = await world.held(), await world.another()

    saved = await world.correct(
        mine,
        put("seller.vat_id", "DE129273398"),
        Change("set", "seller.name", "Quay Stores"),
    )

    assert (await world.look(saved)).twins == (await world.look(other)).twins == []
    assert (await approved(world, other)).status is ItemStatus.APPROVED


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("block", [("same_invoice", "block")]),
        ("warn", [("same_invoice", "warn")]),
        ("ignore", []),
    ],
)
async def test_what_the_same_number_is_says_the_configuration(
    asked: str, found: list[tuple[str, str]]
) -> None:
    world = world_with(same_number=asked)
    await approved(world, await world.held())
    second = await world.another()

    assert await told(world, second) == found
    if asked != "block":
        assert (await approved(world, second)).status is ItemStatus.APPROVED


async def test_other_owners_may_have_the_same_invoice(world: FormWorld) -> None:
    theirs = extraction(invoice(), OTHER_BYTES, owner_id="globex", document_id=uuid4())
    await approved(world, await world.shown(theirs))
    mine = await world.held()

    assert mine.owner_id == builders.OWNER
    assert await told(world, mine) == []
