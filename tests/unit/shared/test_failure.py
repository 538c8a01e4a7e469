"""What is told of a failure: enough to find the bug, never more than a frame holds."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from shared.bus.decision import DeadLetter, Wait
from shared.bus.failure import document_failed, document_waiting, failure_headers, fingerprint
from shared.bus.headers import (
    DEAD_ATTEMPTS,
    DEAD_CATEGORY,
    DEAD_EXCEPTION,
    DEAD_FINGERPRINT,
    DEAD_FIRST_AT,
    DEAD_LAST_AT,
    DEAD_MESSAGE,
    DEAD_QUEUE,
    DEAD_REASON,
    HEADER_BYTES_MAX,
)
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentFailedV1, DocumentWaitingV1
from shared.errors import Rejected
from shared.topology.queues import EXTRACT, REVIEW
from tests.builders import extract_document, job, open_review
from tests.fakes.clock import NOON
from tests.fakes.deliveries import delivery, envelope, raw_with

BUG = DeadLetter("bug", "bug")


def caught(code: str, *, filename: str, document: object = "one") -> Exception:
    """The error of a handler in this file; its traceback is what a real one leaves."""
    scope = {"document": document}
    exec(compile(code, filename, "exec"), scope)  # noqa: S102 -- a handler with a chosen name
    try:
        scope["read_total"]()  # type: ignore[operator] # defined by the code
    except Exception as error:
        return error
    raise AssertionError("the code was meant to fail")


HANDLER = "/app/services/extractor/handlers.py"
READS_TOTAL = "def read_total():\n    raise KeyError(f'no total in {document}')\n"


def group(error: Exception, *, decision: DeadLetter = BUG, queue: object = EXTRACT) -> str:
    assert queue in (EXTRACT, REVIEW)
    if queue is REVIEW:
        return fingerprint(delivery(REVIEW, envelope(open_review())), decision, error)
    return fingerprint(delivery(EXTRACT), decision, error)


def test_a_thousand_documents_with_one_bug_are_one_group() -> None:
    groups = {
        group(caught(READS_TOTAL, filename=HANDLER, document=uuid4())) for _ in range(1000)
    }

    assert len(groups) == 1


def test_a_moved_line_is_the_same_bug() -> None:
    before = caught(READS_TOTAL, filename=HANDLER)
    moved = caught("\n\n# a new comment\n\n" + READS_TOTAL, filename=HANDLER)

    assert group(before) == group(moved)


def test_the_same_bug_is_the_same_wherever_it_is_installed() -> None:
    here = caught(READS_TOTAL, filename="/app/services/extractor/handlers.py")
    there = caught(READS_TOTAL, filename="/opt/paperline/services/extractor/handlers.py")

    assert group(here) == group(there)


def test_a_vendor_frame_below_ours_does_not_split_a_group() -> None:
    code = (
        "def read_total():\n"
        "    vendor = {}\n"
        "    exec(compile(%r, %r, 'exec'), vendor)\n"
        "    vendor['parse']()\n"
    )
    parse = "def parse():\n    raise KeyError('total')\n"
    vendors = [
        "/app/lib/python3.11/site-packages/vendor/services/one.py",
        "/app/lib/python3.11/site-packages/vendor/two.py",
    ]

    groups = {group(caught(code % (parse, vendor), filename=HANDLER)) for vendor in vendors}

    assert len(groups) == 1


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            caught(READS_TOTAL.replace("KeyError", "ValueError"), filename=HANDLER),
            id="of another exception",
        ),
        pytest.param(
            caught(READS_TOTAL, filename="/app/services/extractor/domain.py"),
            id="in another module",
        ),
        pytest.param(
            caught(
                READS_TOTAL.replace("read_total", "read_date") + "read_total = read_date\n",
                filename=HANDLER,
            ),
            id="in another function",
        ),
    ],
)
def test_another_bug_is_another_group(other: Exception) -> None:
    assert group(other) != group(caught(READS_TOTAL, filename=HANDLER))


def test_another_reason_or_queue_is_another_group() -> None:
    error = caught(READS_TOTAL, filename=HANDLER)
    groups = {
        group(error),
        group(error, decision=DeadLetter("attempts_exhausted", "exhausted")),
        group(error, queue=REVIEW),
    }

    assert len(groups) == 3


def test_a_failure_without_an_exception_has_a_group_too() -> None:
    assert len(fingerprint(delivery(EXTRACT), BUG, None)) == 16


def test_a_letter_says_what_happened() -> None:
    first_at = NOON - timedelta(minutes=2)
    failed = delivery(
        EXTRACT, envelope(attempt=3), headers={DEAD_FIRST_AT: first_at.isoformat()}
    )
    error = Rejected("encrypted", "a password is needed")

    headers = failure_headers(failed, DeadLetter("encrypted", "rejected"), error, NOON)

    assert headers.pop(DEAD_FINGERPRINT)
    assert headers == {
        DEAD_REASON: "encrypted",
        DEAD_CATEGORY: "rejected",
        DEAD_EXCEPTION: "Rejected",
        DEAD_MESSAGE: "encrypted: a password is needed",
        DEAD_ATTEMPTS: "3",
        DEAD_FIRST_AT: first_at.isoformat(),
        DEAD_LAST_AT: NOON.isoformat(),
        DEAD_QUEUE: "extractor.extract",
    }


def test_a_first_failure_is_also_the_last() -> None:
    headers = failure_headers(delivery(EXTRACT), BUG, KeyError("total"), NOON)

    assert headers[DEAD_FIRST_AT] == headers[DEAD_LAST_AT] == NOON.isoformat()


def test_of_what_cannot_be_read_the_letter_says_what_it_can() -> None:
    headers = failure_headers(
        delivery(EXTRACT, b"\xff"), DeadLetter("undecodable", "undecodable"), None, NOON
    )

    assert (headers[DEAD_ATTEMPTS], headers[DEAD_EXCEPTION]) == ("0", "")
    assert headers[DEAD_QUEUE] == "extractor.extract"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 10**6, id="a message of a megabyte"),
        pytest.param("😀" * 10**5, id="of several bytes a character"),
        pytest.param("\x00" * 10**5, id="of NULs"),
        pytest.param("\ud800" * 10**5, id="of half characters"),
    ],
)
def test_what_is_told_stays_small_and_can_be_sent(text: str) -> None:
    error = Rejected("corrupt", text)
    corrupt = DeadLetter("corrupt", "rejected")

    letter = failure_headers(delivery(EXTRACT), corrupt, error, NOON)
    fact = document_failed(delivery(EXTRACT), corrupt, error)

    assert sum(len(k) + len(v.encode()) for k, v in letter.items()) <= HEADER_BYTES_MAX
    assert isinstance(fact, DocumentFailedV1)
    assert len(fact.model_dump_json()) < 8 * 1024


def test_a_failure_of_an_ending_queue_ends_the_document() -> None:
    order = extract_document(priority=Priority.URGENT)
    failed = delivery(EXTRACT, envelope(order, attempt=4))

    fact = document_failed(failed, DeadLetter("attempts_exhausted", "exhausted"), KeyError("x"))

    assert isinstance(fact, DocumentFailedV1)
    assert (fact.document_id, fact.owner_id) == (order.document_id, order.owner_id)
    assert (fact.accepted_at, fact.priority) == (order.accepted_at, Priority.URGENT)
    assert (fact.stage, fact.reason, fact.attempts) == (
        "extractor.extract",
        "attempts_exhausted",
        4,
    )
    assert fact.detail == "'x'"


def test_a_later_queue_does_not_fail_the_document() -> None:
    failed = delivery(REVIEW, envelope(open_review()))

    assert document_failed(failed, BUG, KeyError("x")) is None


def test_an_unacceptable_order_still_ends_the_document_it_names() -> None:
    order = extract_document()
    body = order.model_dump(mode="json") | {"sha256": "not a digest"}
    failed = delivery(EXTRACT, raw_with({"type": order.type}, body=body))

    fact = document_failed(failed, DeadLetter("invalid_body", "rejected"), failed.error)

    assert failed.job is None
    assert isinstance(fact, DocumentFailedV1)
    assert fact.document_id == order.document_id


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"not JSON", id="nothing readable"),
        pytest.param(raw_with(), id="no document in the body"),
        pytest.param(raw_with(body={"document_id": "17"}), id="a document id that is none"),
    ],
)
def test_without_a_document_no_document_fails(raw: bytes) -> None:
    assert document_failed(delivery(EXTRACT, raw), BUG, None) is None


def test_a_wait_is_told_in_one_line_with_its_end() -> None:
    order = extract_document()
    until: datetime = NOON + timedelta(seconds=40)

    fact = document_waiting(job(order), Wait(40, 3, 0, "provider rate limit"), until)

    assert isinstance(fact, DocumentWaitingV1)
    assert fact.document_id == order.document_id
    assert (fact.stage, fact.reason) == ("extractor.extract", "provider rate limit")
    assert (fact.until, fact.attempt) == (until, 3)
