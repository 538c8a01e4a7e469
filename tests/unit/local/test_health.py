"""What the doctor says of the work that goes on, and what of it needs a hand."""

from deploy.local.health import (
    Finding,
    Mark,
    Owed,
    Queue,
    bad,
    note,
    of_letters,
    of_outboxes,
    of_pauses,
    of_queues,
    summary,
)
from shared.topology.queues import UNROUTABLE, WORK_QUEUES, dead_queue

ALL = [
    *(one.name for one in WORK_QUEUES),
    *(dead_queue(one.name) for one in WORK_QUEUES),
    UNROUTABLE,
]


def marks(findings: list[Finding]) -> list[Mark]:
    return [one.mark for one in findings]


def queues(*deserted: str) -> list[Queue]:
    known = [Queue(name, 1, 0 if name in deserted else 1) for name in ALL]
    return [*known, Queue("delay.03", 5, 0), Queue("amq.gen-somebody", 0, 0)]


def test_a_queue_that_nobody_takes_from_needs_a_hand() -> None:
    [finding] = of_queues(queues("storage.store", "storage.store.dead"), paused=set())

    assert finding.mark is Mark.BAD
    assert finding.text.endswith("nobody listens to storage.store, storage.store.dead")


def test_neither_a_paused_queue_nor_a_rung_of_the_ladder_is_missed_by_anybody() -> None:
    [finding] = of_queues(queues("storage.store"), paused={"storage.store"})

    assert finding.mark is Mark.GOOD
    assert f"{len(WORK_QUEUES)} messages, 5 more wait" in finding.text


def test_pauses_and_dead_letters_are_worth_knowing() -> None:
    [paused] = of_pauses([("storage.store", "operator")])
    [letters] = of_letters({"extractor.extract": 3})

    assert paused == note("paused: storage.store (operator)")
    assert letters.mark is Mark.NOTE
    assert "3 of extractor.extract" in letters.text
    assert marks(of_pauses([]) + of_letters({})) == [Mark.GOOD, Mark.GOOD]


def test_what_is_owed_for_long_and_what_is_parked_needs_a_hand() -> None:
    well = Owed("review", 3, 2.0, 0)

    findings = of_outboxes([well, Owed("ingest", 7, 61.0, 0), Owed("storage", 0, 0.0, 2)])

    assert findings == [
        bad("outbox of ingest: 7 unsent for 61 s"),
        bad("outbox of storage: 2 parked, because no queue takes them"),
    ]
    assert marks(of_outboxes([well])) == [Mark.GOOD]


def test_the_last_line_says_whether_somebody_has_to_come() -> None:
    assert summary([note("x")]).startswith("All in order. !")
    assert summary([note("x"), bad("y")]).startswith("Lines marked ✗ need a hand")
    assert summary([]) == "All in order."
