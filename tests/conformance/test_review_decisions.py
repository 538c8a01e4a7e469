"""Decisions that are taken back: the tables and their fake agree on when that is possible."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from services.review.domain.decisions import Context, Reextraction, Reopening
from services.review.domain.edits import Change
from services.review.domain.items import Decision, ItemStatus, Part, ReviewItem
from services.review.handlers.claiming import claim_item, release_item
from services.review.handlers.correcting import Correction, correct_fields
from services.review.handlers.deciding import approve_item
from services.review.ports import Ports
from tests.broker.review_world import Review, review_service
from tests.conformance.database import database
from tests.unit.review.world import World

UNDO_S, LEASE_S = 30.0, 900.0


@dataclass(frozen=True, slots=True)
class Desk:
    world: World | Review

    @property
    def use(self) -> Ports:
        return self.world.ports if isinstance(self.world, World) else self.world.use

    async def opened(self) -> ReviewItem:
        return await self.world.opened()

    async def approved(self) -> ReviewItem:
        item = await self.opened()
        return await approve_item(item.document_id, "anna", item.version, self.use)

    async def reopen(
        self, item: ReviewItem, actor: str = "lena", *, undo: bool = False
    ) -> ReviewItem | None:
        asked = Reopening(item.document_id, actor, item.version, "why", undo)
        async with self.use.ledger.unit() as unit:
            return await self.use.decisions.reopen_item(
                unit, asked, undo_s=UNDO_S, lease_s=LEASE_S
            )

    async def context(self, item: ReviewItem, actor: str) -> Context:
        return await self.use.decisions.find_context(
            item.document_id, actor=actor, undo_s=UNDO_S
        )

    async def let_pass(self, item: ReviewItem, seconds: float) -> None:
        if isinstance(self.world, World):
            self.world.clock.advance(seconds)
            return
        await self.world.schema.owner.execute(
            "UPDATE review_items SET decided_at = decided_at - make_interval(secs => $2)"
            " WHERE document_id = $1",
            item.document_id,
            seconds,
        )


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    if request.param == "memory":
        yield Desk(World())
        return
    async with review_service(database()) as review:
        yield Desk(review)


async def test_what_is_reopened_waits_and_remembers_what_was_approved(desk: Desk) -> None:
    item = await desk.approved()

    reopened = await desk.reopen(item)

    assert reopened is not None
    assert (reopened.status, reopened.claimed_by) == (ItemStatus.PENDING, None)
    assert (reopened.version, reopened.revision) == (item.version + 1, item.revision)
    assert (reopened.reviewed_key, reopened.reopened_by) == (item.reviewed_key, "lena")
    assert (reopened.decided_by, reopened.decided_at) == (None, None)


async def test_what_is_undone_is_held_by_its_reviewer(desk: Desk) -> None:
    item = await desk.approved()

    undone = await desk.reopen(item, "anna", undo=True)

    assert undone is not None
    assert (undone.status, undone.claimed_by) == (ItemStatus.IN_REVIEW, "anna")
    assert undone.claim_holds


async def test_an_undo_by_another_or_too_late_changes_nothing(desk: Desk) -> None:
    item = await desk.approved()

    by_another = await desk.reopen(item, "boris", undo=True)
    await desk.let_pass(item, UNDO_S + 1)
    too_late = await desk.reopen(item, "anna", undo=True)

    assert (by_another, too_late) == (None, None)
    assert (await desk.context(item, "anna")).undo_holds is False


async def test_who_may_undo_is_told_to_nobody_else(desk: Desk) -> None:
    item = await desk.approved()

    assert (await desk.context(item, "anna")).undo_holds
    assert not (await desk.context(item, "boris")).undo_holds


async def test_another_version_or_an_open_item_is_not_reopened(desk: Desk) -> None:
    item, fresh = await desk.approved(), await desk.opened()

    assert await desk.reopen(fresh) is None
    assert await desk.reopen(item) is not None
    assert await desk.reopen(item) is None


async def test_a_decision_after_reopening_forgets_who_reopened(desk: Desk) -> None:
    item = await desk.approved()
    reopened = await desk.reopen(item)
    assert reopened is not None
    other = await desk.opened()
    decision = Decision(
        item.document_id,
        reopened.version,
        "boris",
        "rejected",
        reason_code="duplicate",
        duplicate_of=other.document_id,
    )

    async with desk.use.ledger.unit() as unit:
        decided = await desk.use.items.decide_item(unit, decision)

    assert decided is not None
    assert (decided.reopened_by, decided.duplicate_of) == (None, other.document_id)
    assert (decided.revision, decided.reviewed_key) == (2, item.reviewed_key)


async def test_whose_hand_a_form_is_in_is_known(desk: Desk) -> None:
    item = await desk.opened()
    assert (await desk.context(item, "anna")).authors == frozenset()

    async def does(reviewer: str, *changes: Change) -> frozenset[str]:
        held = await claim_item(item.document_id, reviewer, desk.use)
        asked = Correction(item.document_id, reviewer, held.version, changes)
        await correct_fields(asked, desk.use)
        await release_item(item.document_id, reviewer, desk.use)
        return (await desk.context(item, reviewer)).authors

    assert await does("anna", Change("confirm", "seller.name")) == frozenset()
    assert await does("anna", Change("set", "seller.name", "Harbor Works")) == {"anna"}
    assert await does("boris", Change("clear", "seller.name")) == {"boris"}
    assert await does("carla", Change("insert_line", at=0)) == {"boris", "carla"}


async def test_a_claim_does_not_make_a_decision_undoable(desk: Desk) -> None:
    item = await desk.opened()
    await claim_item(item.document_id, "anna", desk.use)

    assert not (await desk.context(item, "anna")).undo_holds


async def test_the_parts_of_a_file_know_it_and_it_is_not_reopened(desk: Desk) -> None:
    item = await desk.approved()
    parts = [Part(uuid4(), [1, 2]), Part(uuid4(), [3])]

    async with desk.use.ledger.unit() as unit:
        await desk.use.decisions.keep_parts(unit, item.document_id, parts)

    context = await desk.context(item, "anna")
    assert list(context.children) == [one.document_id for one in parts]
    of_a_part = await desk.use.decisions.find_context(
        parts[1].document_id, actor="anna", undo_s=UNDO_S
    )
    assert of_a_part.parent_id == item.document_id
    assert await desk.reopen(item) is None


async def test_what_is_given_back_waits_in_nobodys_hands(desk: Desk) -> None:
    item = await desk.opened()
    await claim_item(item.document_id, "anna", desk.use)
    asked = Reextraction(item.document_id, "anna", item.version, "why")
    by_another = Reextraction(item.document_id, "boris", item.version, "why")

    async with desk.use.ledger.unit() as unit:
        refused = await desk.use.decisions.ask_again(unit, by_another, wait_s=60)
        waits = await desk.use.decisions.ask_again(unit, asked, wait_s=60)
        again = await desk.use.decisions.ask_again(unit, asked, wait_s=60)

    assert (refused, again) == (None, None)
    assert waits is not None
    assert (waits.status, waits.claimed_by, waits.claim_holds) == (
        ItemStatus.PENDING,
        None,
        False,
    )
    assert (waits.version, waits.reextract_asked_by) == (item.version + 1, "anna")
    assert waits.postponed_until is not None
    assert waits.reextract_asked_at is not None
