"""How facts are weighed against each other before they meet a row."""

from itertools import permutations
from uuid import UUID

import pytest

from services.ingest.domain.facts import Arrival, said_by
from services.ingest.domain.life import Change, Position, moves, rounds
from shared.contracts.body import DocumentFact
from shared.contracts.facts import FACTS
from tests import builders

ONE, TWO = UUID(int=1), UUID(int=2)
QUEUED = Position("queued", 0, 10)
PROCESSING = Position("processing", 0, 20)
EXTRACTED = Position("processing", 0, 30)
COMPLETED = Position("completed", 0, 90, version=1)
FAILED = Position("failed", 0, 90)
CANCELLED = Position("cancelled", 0, 90)
RUNNING_AGAIN = Position("processing", 1, 20)
COMPLETED_AGAIN = Position("completed", 1, 90, version=2)
FAILED_AGAIN = Position("failed", 1, 90)

MOVES = {
    "forwards": (QUEUED, PROCESSING, True),
    "not backwards": (EXTRACTED, PROCESSING, False),
    "not on the spot": (PROCESSING, PROCESSING, False),
    "to its end": (EXTRACTED, COMPLETED, True),
    "past stages nobody told": (QUEUED, FAILED, True),
    "not from a result to a failure": (COMPLETED, FAILED, False),
    "not from a failure to a result of the same run": (FAILED, COMPLETED, False),
    "again, by a replay of a failure": (FAILED, RUNNING_AGAIN, True),
    "to a result, by a replay of a failure": (FAILED, COMPLETED_AGAIN, True),
    "not again, once there is a result": (COMPLETED, RUNNING_AGAIN, False),
    "not again, once cancelled": (CANCELLED, RUNNING_AGAIN, False),
    "not to a failure of an earlier run": (RUNNING_AGAIN, FAILED, False),
    "to a result of an earlier run": (RUNNING_AGAIN, COMPLETED, True),
    "to an earlier run's result, even after failing": (FAILED_AGAIN, COMPLETED, True),
}


@pytest.mark.parametrize(("now", "to", "moved"), MOVES.values(), ids=MOVES.keys())
def test_a_document_moves(now: Position, to: Position, moved: bool) -> None:
    assert moves(now, to) is moved


def test_a_batch_says_one_thing_about_each_document_in_the_order_of_locking() -> None:
    said = [
        _said(builders.started(document_id=TWO)),
        _said(builders.started(document_id=ONE)),
        _said(builders.stored(document_id=TWO)),
    ]

    [[first, second]] = rounds(said)

    assert (first.document_id, second.document_id) == (ONE, TWO)
    assert first.position == PROCESSING
    assert second.position == COMPLETED


def test_attempts_and_progress_are_those_of_the_latest_run() -> None:
    said = [
        _said(builders.started(document_id=ONE, attempt=4)),
        _said(builders.started(document_id=ONE, attempt=1), run=1),
        _said(builders.progressed(document_id=ONE, percent=55), run=1),
    ]

    for order in permutations(said):
        [[change]] = rounds(order)
        assert change.effort is not None
        assert (change.effort.run, change.effort.attempts) == (1, 1)
        assert change.effort.progress == 55


def test_the_newest_result_counts_whenever_it_comes() -> None:
    said = [_said(builders.stored(document_id=ONE)), _said(builders.finalised(document_id=ONE))]

    for order in (said, said[::-1]):
        [[change]] = rounds(order)
        assert change.result is not None
        assert change.result.version == 2


def test_a_verdict_is_not_undone_by_a_late_opening() -> None:
    said = [
        _said(builders.review_decided(document_id=ONE, verdict="corrected")),
        _said(builders.review_opened(document_id=ONE)),
    ]

    [[change]] = rounds(said)

    assert change.review is not None
    assert change.review.status == "corrected"


def test_a_decision_that_was_taken_back_waits_until_the_next_whatever_comes_first() -> None:
    told = [
        _said(builders.review_opened(document_id=ONE)),
        _said(builders.review_decided(document_id=ONE, verdict="corrected")),
        _said(builders.review_reopened(document_id=ONE)),
        _said(builders.review_decided(document_id=ONE, verdict="rejected", review_revision=2)),
    ]

    for order in permutations(told[:3]):
        [[change]] = rounds(order)
        assert change.review is not None
        assert change.review.status == "pending"
    for order in permutations(told):
        [[change]] = rounds(order)
        assert change.review is not None
        assert change.review.status == "rejected"


def test_between_two_decisions_the_last_change_of_hands_counts_whatever_comes_first() -> None:
    told = [
        builders.review_opened(document_id=ONE),
        builders.review_claimed(document_id=ONE, turn=1),
        builders.review_released(document_id=ONE, turn=2),
        builders.review_claimed(document_id=ONE, turn=3),
        builders.review_decided(document_id=ONE),
        builders.review_reopened(document_id=ONE),
        builders.review_claimed(document_id=ONE, review_revision=1, turn=5),
        builders.review_released(document_id=ONE, review_revision=1, turn=6),
    ]
    shown = [
        "pending",
        "in_review",
        "pending",
        "in_review",
        "approved",
        "pending",
        "in_review",
        "pending",
    ]

    for count, expected in enumerate(shown, start=1):
        # Beginning anywhere, and twice: what came late or again changes nothing.
        for first in range(count):
            said = [_said(told[(first + step) % count]) for step in range(count + 1)]
            for order in (said, said[::-1]):
                [[change]] = rounds(order)
                assert change.review is not None
                assert change.review.status == expected


def test_who_undoes_the_own_decision_has_the_item_in_hand() -> None:
    undone = _said(builders.review_reopened(document_id=ONE, undone=True))
    given_back = _said(builders.review_released(document_id=ONE, review_revision=1, turn=4))

    assert undone.review is not None
    assert undone.review.status == "in_review"
    for order in ([undone, given_back], [given_back, undone]):
        [[change]] = rounds(order)
        assert change.review is not None
        assert change.review.status == "pending"


def test_a_claim_of_the_reading_before_does_not_outdo_a_later_opening() -> None:
    said = [
        _said(builders.review_opened(document_id=ONE, result_version=2)),
        _said(builders.review_claimed(document_id=ONE, turn=9)),
    ]

    for order in (said, said[::-1]):
        [[change]] = rounds(order)
        assert change.review is not None
        assert (change.review.status, change.review.version) == ("pending", 2)


def test_what_depends_on_the_row_is_not_weighed_before() -> None:
    stored = _said(builders.stored(document_id=ONE))
    waits = _said(builders.waiting(document_id=ONE, reason="rate limit"), run=1)
    fails = _said(builders.failed(document_id=ONE), run=1)

    for said in ([stored, waits], [waits, stored], [stored, fails], [fails, stored]):
        assert rounds(said) == [[one] for one in said]


def test_a_verdict_over_the_reading_before_does_not_outdo_a_later_opening() -> None:
    said = [
        _said(builders.review_decided(document_id=ONE)),
        _said(builders.review_opened(document_id=ONE, result_version=3)),
    ]

    for order in (said, said[::-1]):
        [[change]] = rounds(order)
        assert change.review is not None
        assert (change.review.status, change.review.version) == ("pending", 3)


def test_a_superseded_decision_brings_no_result() -> None:
    late = builders.finalised(document_id=ONE, result_version=4, superseded=True)

    assert _said(late) == Change(ONE)


@pytest.mark.parametrize(("version", "moved"), [(2, False), (3, True)])
def test_what_is_being_replaced_ends_no_run(version: int, moved: bool) -> None:
    stored = Position("completed", 0, 90, version)

    assert moves(RUNNING_AGAIN, stored, replaces_version=2) is moved


def test_a_wait_after_the_result_is_not_the_documents() -> None:
    change = _said(builders.waiting(document_id=ONE, stage="review.open", attempt=3))

    assert change == Change(ONE)


def test_stages_are_told_in_words_for_people() -> None:
    waits = _said(builders.waiting(stage="storage.store", reason="the disk is full"))
    fails = _said(builders.failed(stage="extractor.extract", detail="no text"))

    assert waits.told is not None
    assert fails.told is not None
    assert (waits.told.stage, waits.told.waiting_for) == ("store", "the disk is full")
    assert (fails.told.stage, fails.told.error_message) == ("extract", "unreadable: no text")


def test_every_fact_of_a_document_can_be_weighed() -> None:
    facts = [
        make()
        for make in (
            builders.accepted,
            builders.started,
            builders.progressed,
            builders.waiting,
            builders.extracted,
            builders.failed,
            builders.stored,
            builders.finalised,
            builders.ended,
            builders.cancelled,
            builders.deleted,
            builders.erased,
            builders.review_opened,
            builders.review_claimed,
            builders.review_released,
            builders.review_decided,
            builders.review_reopened,
            builders.review_overdue,
            builders.split_failed,
        )
    ]

    assert {type(fact) for fact in facts} == {
        kind for kind in FACTS if issubclass(kind, DocumentFact)
    }
    assert [_said(fact).document_id for fact in facts] == [fact.document_id for fact in facts]


def _said(fact: DocumentFact, run: int = 0) -> Change:
    return said_by(fact, Arrival(builders.job(fact).job_id, run, fact))
