"""A message as a row: complete when it is committed, so that the relay never looks into it."""

import json
from dataclasses import replace
from uuid import uuid4

import pytest

from shared.bus.headers import REPLAY, RUN, SINCE
from shared.contracts.body import Body, Priority
from shared.contracts.envelope import MESSAGE_BYTES_MAX, decode, open_body
from shared.contracts.facts import ConsumptionPausedV1
from shared.contracts.identity import new_id
from shared.ledger.rows import OutboxRow, columns, row_for
from shared.observability.tracing import span
from tests import builders
from tests.fakes.clock import NOON

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{SPAN}-01"


def row(body: Body, **given: object) -> OutboxRow:
    known: dict[str, object] = {"cause": None, "job_id": None, "created_at": NOON}
    return row_for(body, **(known | given))  # type: ignore[arg-type] # as the test gives them


@pytest.mark.parametrize(
    ("body", "exchange", "routing_key"),
    [
        pytest.param(
            builders.extract_document(), "jobs", "extractor.extract", id="an order by its queue"
        ),
        pytest.param(
            builders.open_review(), "jobs", "review.open", id="another one by its own"
        ),
        pytest.param(builders.stored(), "events", "document.stored", id="a fact by its type"),
    ],
)
def test_a_body_is_addressed_by_what_it_is(body: Body, exchange: str, routing_key: str) -> None:
    written = row(body)

    assert (written.exchange, written.routing_key) == (exchange, routing_key)
    assert written.type == body.type
    assert open_body(decode(written.body)) == body


def test_a_message_inherits_the_priority_of_its_document() -> None:
    assert row(builders.stored(priority=Priority.URGENT)).priority == 5
    assert row(builders.store_document(priority=Priority.BULK)).priority == 1


def test_what_belongs_to_no_document_goes_with_normal_priority() -> None:
    assert row(ConsumptionPausedV1(queue="review.open", reason="blobs_away")).priority == 3


def test_a_fact_names_its_cause() -> None:
    cause = builders.job(builders.extract_document())

    fact = open_body(decode(row(builders.started(), cause=cause).body))

    assert fact == builders.started(
        document_id=fact.document_id,  # type: ignore[attr-defined] # a document's fact
        cause_id=cause.job_id,
    )


def test_a_cause_that_is_named_already_stays() -> None:
    named = uuid4()
    cause = builders.job(builders.extract_document())

    fact = decode(row(builders.started(cause_id=named), cause=cause).body)

    assert fact.body["cause_id"] == str(named)


def test_an_order_carries_no_cause_in_its_body() -> None:
    cause = builders.job(builders.extract_document())

    assert "cause_id" not in decode(row(builders.store_document(), cause=cause).body).body


def test_every_message_has_an_identity_of_its_own() -> None:
    cause = builders.job(builders.extract_document())
    ids = {decode(row(builders.started(), cause=cause).body).header.job_id for _ in range(100)}

    assert len(ids) == 100
    assert cause.job_id not in ids


def test_an_identity_that_is_given_is_kept() -> None:
    job_id = new_id()

    assert decode(row(builders.store_document(), job_id=job_id).body).header.job_id == job_id


def test_a_message_starts_with_its_first_attempt_now() -> None:
    header = decode(row(builders.started()).body).header

    assert (header.attempt, header.created_at) == (1, NOON)


def test_the_run_goes_on_and_the_replay_does_not() -> None:
    # Otherwise every message of a replayed job would settle the operator's replay.
    cause = builders.job(builders.extract_document(), run=2, replay_id=uuid4())
    cause = replace(cause, headers={**cause.headers, SINCE: NOON.isoformat()})

    headers = row(builders.store_document(), cause=cause).headers

    assert headers[RUN] == "2"
    assert not {REPLAY, SINCE} & set(headers)


def test_the_first_run_is_not_worth_a_header() -> None:
    cause = builders.job(builders.extract_document())

    assert RUN not in row(builders.store_document(), cause=cause).headers
    assert RUN not in row(builders.store_document()).headers


def test_a_message_goes_on_with_the_trace_of_its_cause() -> None:
    cause = replace(builders.job(builders.extract_document()), traceparent=TRACEPARENT)

    written = row(builders.store_document(), cause=cause)

    assert written.headers["traceparent"] == TRACEPARENT
    tracing = json.loads(written.body)["tracing"]
    assert tracing == {"trace_id": TRACE, "span_id": SPAN}


def test_without_a_cause_it_goes_on_with_the_present_trace() -> None:
    with span("POST /v1/documents", kind="server", parent="") as current:
        written = row(builders.extract_document())

    assert written.headers["traceparent"] == current.traceparent
    assert json.loads(written.body)["tracing"]["trace_id"] == current.trace_id


def test_what_is_too_large_for_a_message_is_refused_before_the_commit() -> None:
    with pytest.raises(ValueError, match="larger data travels by key"):
        row(builders.failed(detail="x" * MESSAGE_BYTES_MAX))


def test_a_row_is_published_as_it_was_written() -> None:
    written = row(builders.store_document(priority=Priority.HIGH))

    message = written.outgoing()

    assert (message.exchange, message.routing_key) == (written.exchange, written.routing_key)
    assert (message.body, message.type) == (written.body, written.type)
    assert (message.headers, message.priority) == (written.headers, 4)
    assert message.content_type == "application/json"


def test_many_rows_are_parallel_columns() -> None:
    rows = [row(builders.store_document()), row(builders.stored())]

    priorities, exchanges, keys, types, headers, bodies = columns(rows)

    assert priorities == [3, 3]
    assert exchanges == ["jobs", "events"]
    assert keys == ["storage.store", "document.stored"]
    assert types == ["document.store", "document.stored"]
    assert [json.loads(str(one)) for one in headers] == [one.headers for one in rows]
    assert bodies == [one.body for one in rows]
