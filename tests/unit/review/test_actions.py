"""What an item offers to whom: never more than the rights and the state allow."""

from dataclasses import replace
from uuid import uuid4

import pytest

from services.review.domain.actions import actions_of
from services.review.domain.decisions import Context
from services.review.domain.items import ItemStatus, Part, ReviewItem
from shared.access.roles import ROLES
from tests.unit.review.world import World

DECISIONS = {"approve", "reject", "duplicate", "split", "reextract"}
ALONE, CHILD = Context(), Context(parts=[Part(uuid4(), [1])])


def offered(item: ReviewItem, role: str, context: Context = ALONE) -> set[str]:
    return {*actions_of(item, context, "anna", ROLES[role])}


async def test_an_open_item_is_claimed_and_decided_by_those_who_may(world: World) -> None:
    item = await world.opened()

    assert offered(item, "reviewer") >= {"claim", *DECISIONS}
    assert offered(item, "operator") == set()


async def test_what_another_holds_is_taken_over_by_a_lead_only(world: World) -> None:
    item = replace(await world.opened(), claimed_by="boris", claim_holds=True)

    assert offered(item, "reviewer") == set()
    assert offered(item, "lead") == {"takeover"}


async def test_what_one_holds_can_be_given_back(world: World) -> None:
    item = replace(await world.opened(), claimed_by="anna", claim_holds=True)

    assert "release" in offered(item, "reviewer")


@pytest.mark.parametrize("status", [ItemStatus.APPROVED, ItemStatus.REJECTED])
async def test_what_is_decided_is_reopened_by_a_lead_and_undone_by_its_reviewer(
    world: World, status: ItemStatus
) -> None:
    item = replace(await world.opened(), status=status)

    assert offered(item, "reviewer") == set()
    assert offered(item, "reviewer", Context(undo_holds=True)) == {"undo"}
    assert offered(item, "lead") == {"reopen"}
    assert offered(item, "lead", CHILD) == set()


async def test_a_file_that_was_split_is_never_approved_itself(world: World) -> None:
    item = await world.opened()

    assert "approve" not in offered(item, "reviewer", CHILD)


async def test_what_was_withdrawn_offers_nothing(world: World) -> None:
    item = replace(await world.opened(), status=ItemStatus.WITHDRAWN)

    assert offered(item, "admin") == set()
