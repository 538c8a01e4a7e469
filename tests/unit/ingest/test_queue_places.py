"""Why a document waits and where it stands, in one line, and in an answer that stays true."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest

from services.ingest.domain.turns import Newcomer
from services.ingest.domain.waiting import ordinal, queue_place
from shared.contracts.body import Priority
from tests import builders
from tests.fakes.ledger import FakeUnit
from tests.unit.ingest.desk import SUBMITTER, Desk

LINES = {
    "first": ((True, 1, 1), "waiting for its turn: 1st of 1"),
    "in the middle": ((True, 42, 310), "waiting for its turn: 42nd of 310"),
    "in a long queue": ((True, 42, 1001), "waiting for its turn: 42nd of more than 1000"),
    "far back": ((True, 1001, 1001), "waiting for its turn: behind more than 1000"),
    "while others came": ((True, 3, 2), "waiting for its turn: 3rd of 3"),
    "held": ((False, 3, 2), "held until earlier documents of its batch have ended"),
}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    desk.releases.window = 0
    async with desk.client:
        yield desk


@pytest.mark.parametrize(("found", "line"), LINES.values(), ids=LINES.keys())
def test_a_place_is_one_line_for_a_person(found: tuple[bool, int, int], line: str) -> None:
    assert queue_place(*found).line == line


def test_numbers_are_said_as_people_say_them() -> None:
    said = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 101, 111, 1000)]

    assert said == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th"),
        *("21st", "101st", "111th", "1000th"),
    ]


async def test_the_status_tells_the_place_in_the_queue(desk: Desk) -> None:
    # All of one instant, so that their ids tell their order.
    ids = sorted([await desk.accepted() for _ in range(3)])

    answers = [await desk.get(f"/v1/documents/{one}/status") for one in ids]
    detail = (await desk.get(f"/v1/documents/{ids[1]}")).json()

    assert [one.json()["queue_place"] for one in answers] == [1, 2, 3]
    assert answers[1].json()["waiting_for"] == "waiting for its turn: 2nd of 3"
    assert (detail["queue_place"], detail["queue_length"]) == (2, 3)


async def test_the_entity_tag_changes_with_the_place(desk: Desk) -> None:
    first, second = sorted([await desk.accepted(), await desk.accepted()])
    path = f"/v1/documents/{second}/status"
    tag = {"If-None-Match": (await desk.get(path)).headers["etag"]}

    unmoved = await desk.get(path, SUBMITTER | tag)
    await desk.client.post(f"/v1/documents/{first}/cancel", headers=SUBMITTER)
    moved = await desk.get(path, SUBMITTER | tag)

    assert unmoved.status_code == 304
    assert (moved.status_code, moved.json()["queue_place"]) == (200, 1)


async def test_one_that_was_begun_has_no_place(desk: Desk) -> None:
    desk.releases.window = 1
    document_id = await desk.accepted()
    await desk.told(builders.started(document_id=document_id))

    status = (await desk.get(f"/v1/documents/{document_id}/status")).json()

    assert (status["queue_place"], status["queue_length"], status["waiting_for"]) == (None,) * 3


async def test_a_member_of_a_batch_is_held_until_its_turn_comes(desk: Desk) -> None:
    document_id = await desk.accepted()
    row = desk.documents.rows[UUID(document_id)]
    held = Newcomer(row.document_id, row.owner_id, Priority.NORMAL, row.created_at)
    await desk.releases.take_in(FakeUnit(), [], [replace(held, ready=False)])

    status = (await desk.get(f"/v1/documents/{document_id}/status")).json()

    assert status["waiting_for"].startswith("held until")
    assert status["queue_place"] is None
