"""The wrapper around every body: what goes in comes out, and what is not ours is told apart."""

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts import envelope as subject
from shared.contracts.body import Body
from shared.contracts.envelope import (
    MAX_ATTEMPTS,
    Unacceptable,
    Undecodable,
    decode,
    encode,
    open_body,
)
from shared.contracts.orders import ExtractDocumentV1
from tests import builders
from tests.fakes.clock import NOON
from tests.fakes.deliveries import JOB_ID, raw_of, raw_with


def _twice(raw: bytes, name: bytes) -> bytes:
    """With another value under this name before the one that is there."""
    assert raw.count(name) == 1
    return raw.replace(name, name + b"{}," + name)


TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

BODIES: tuple[Callable[[], Body], ...] = (
    builders.submit_document,
    builders.extract_document,
    builders.store_document,
    builders.open_review,
    builders.finalise_document,
    builders.accepted,
    builders.waiting,
    builders.stored,
    builders.review_decided,
)


@pytest.mark.parametrize("build", BODIES, ids=lambda one: one.__name__)
def test_what_is_written_is_read_again(build: Callable[[], Body]) -> None:
    body = build()

    raw = encode(body, job_id=JOB_ID, created_at=NOON, traceparent=f"00-{TRACE}-{SPAN}-01")

    envelope = decode(raw)
    assert open_body(envelope) == body
    assert type(open_body(envelope)) is type(body)
    assert envelope.header.job_id == JOB_ID
    assert envelope.header.created_at == NOON
    assert (envelope.header.attempt, envelope.header.max_attempts) == (1, MAX_ATTEMPTS)


def test_an_envelope_is_exactly_the_three_parts_of_the_design() -> None:
    raw = encode(
        builders.started(), job_id=JOB_ID, created_at=NOON, traceparent=f"00-{TRACE}-{SPAN}-00"
    )

    written = json.loads(raw)
    assert set(written) == {"header", "body", "tracing"}
    assert set(written["header"]) == {
        "job_id",
        "type",
        "version",
        "created_at",
        "attempt",
        "max_attempts",
    }
    assert written["tracing"] == {"trace_id": TRACE, "span_id": SPAN}
    assert datetime.fromisoformat(written["header"]["created_at"]).tzinfo == UTC


@pytest.mark.parametrize(
    "traceparent",
    [
        pytest.param(None, id="none"),
        pytest.param("", id="empty"),
        pytest.param("00-xyz-abc-01", id="not hexadecimal"),
        pytest.param(f"ff-{TRACE}-{SPAN}-01", id="of a version nobody knows"),
    ],
)
def test_without_a_trace_the_ids_are_zero(traceparent: str | None) -> None:
    raw = encode(builders.started(), job_id=JOB_ID, created_at=NOON, traceparent=traceparent)

    assert json.loads(raw)["tracing"] == {"trace_id": "0" * 32, "span_id": "0" * 16}


def test_a_reader_ignores_what_a_newer_minor_has_added() -> None:
    order = builders.extract_document()
    raw = raw_of(order, version="1.7", language="de", pages=[1, {"of": 2}])

    assert open_body(decode(raw)) == order


def test_unknown_parts_of_the_wrapper_are_ignored() -> None:
    raw = raw_with({"tenant": "acme"}, tracing="not even an object", extra=[1])

    assert decode(raw).header.job_id == JOB_ID


def test_a_missing_limit_of_attempts_is_the_usual_one() -> None:
    assert decode(raw_with()).header.max_attempts == MAX_ATTEMPTS


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff\xfe\x00", id="bytes of no text"),
        pytest.param(b"\xef\xbb\xbf{}", id="a byte order mark"),
        pytest.param(b"{", id="half an object"),
        pytest.param(b"{}{}", id="two objects"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"null", id="null"),
        pytest.param(b'"text"', id="a text"),
        pytest.param(b"{}", id="an object without parts"),
        pytest.param(b'{"header": {}, "body": {}}', id="a header without anything"),
        pytest.param(b'{"body": {}}', id="no header"),
        pytest.param(raw_with(body=[]), id="a body that is a list"),
        pytest.param(raw_with(body=None), id="a body that is null"),
        pytest.param(raw_with(body="{}"), id="a body that is a text"),
        pytest.param(raw_with({"job_id": "17"}), id="a job id that is none"),
        pytest.param(raw_with({"job_id": None}), id="no job id"),
        pytest.param(raw_with({"attempt": 0}), id="an attempt before the first"),
        pytest.param(raw_with({"attempt": 10**7}), id="an attempt beyond counting"),
        pytest.param(raw_with({"attempt": 1.5}), id="half an attempt"),
        pytest.param(raw_with({"version": "1"}), id="a version without a minor"),
        pytest.param(raw_with({"version": "1.x"}), id="a version with a letter"),
        pytest.param(raw_with({"version": "\u0661.\u0660"}), id="digits of another script"),
        pytest.param(raw_with({"version": "99999.0"}), id="a version out of all proportion"),
        pytest.param(raw_with({"created_at": "2026-03-14T12:00:00"}), id="a time without zone"),
        pytest.param(raw_with({"created_at": "yesterday"}), id="a time that is none"),
        pytest.param(raw_with({"type": ""}), id="an empty type"),
        pytest.param(raw_with({"type": "t" * 101}), id="a type too long for a short string"),
        pytest.param(raw_with({"type": "a\x00b"}), id="a type that no text column takes"),
        pytest.param(raw_with({"type": "😀"}), id="a type of several bytes a character"),
        pytest.param(raw_with({"type": 7}), id="a type that is a number"),
        pytest.param(raw_with(body={"n": "x" * 70_000}), id="more than fits a message"),
        pytest.param(raw_with(body={"n": math.nan}), id="a number that is none"),
        pytest.param(raw_with(body={"n": math.inf}), id="a number without end"),
        pytest.param(
            raw_with(body={"n": "?"}).replace(b'"?"', b"-1e400"), id="a number too large"
        ),
        pytest.param(
            raw_with(body={"n": "?"}).replace(b'"?"', b"7" * 400 + b".5"),
            id="a number too long",
        ),
        pytest.param(b'{"a": "\\ud800"}', id="half a character"),
        pytest.param(_twice(raw_with(), b'"header":'), id="two headers"),
        pytest.param(_twice(raw_with(), b'"body":'), id="two bodies"),
        pytest.param(_twice(raw_with(), b'"job_id":'), id="two identities"),
        pytest.param(b"\x80\x04\x95\x02\x00\x00\x00", id="an object of Python, pickled"),
        pytest.param(b"[" * 100_000, id="brackets without end"),
        pytest.param(
            b'{"header":{},"body":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
            id="nesting that would exhaust the stack",
        ),
    ],
)
def test_what_has_no_readable_header_is_undecodable(raw: bytes) -> None:
    with pytest.raises(Undecodable):
        decode(raw)


@given(raw=st.binary(max_size=200))
def test_no_bytes_make_reading_fail_in_another_way(raw: bytes) -> None:
    try:
        decode(raw)
    except Undecodable as error:
        assert str(error)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(
            raw_with({"type": "document.shred"}), "unknown_type", id="an unknown type"
        ),
        pytest.param(raw_with({"version": "2.0"}), "unknown_version", id="a newer major"),
        pytest.param(
            raw_with({"version": "0.9"}), "invalid_body", id="a major before the first"
        ),
        pytest.param(raw_with(), "invalid_body", id="a body without its fields"),
        pytest.param(
            raw_of(builders.extract_document(), sha256="short"),
            "invalid_body",
            id="a bad digest",
        ),
        pytest.param(
            raw_of(builders.extract_document(), priority=2),
            "invalid_body",
            id="no such priority",
        ),
        pytest.param(
            raw_of(builders.store_document(), confidence=1.5), "invalid_body", id="over certain"
        ),
    ],
)
def test_a_readable_header_with_a_foreign_body_is_unacceptable(raw: bytes, reason: str) -> None:
    with pytest.raises(Unacceptable) as caught:
        open_body(decode(raw))

    assert caught.value.reason == reason


def test_a_body_with_a_key_twice_is_unacceptable_and_still_known_by_its_job() -> None:
    order = builders.extract_document()
    envelope = decode(_twice(raw_of(order), b'"sha256":'))

    with pytest.raises(Unacceptable) as caught:
        open_body(envelope)

    assert envelope.header.job_id == JOB_ID
    assert caught.value.reason == "invalid_body"
    assert str(caught.value) == "body.sha256: a key stands there twice"


def test_a_complaint_of_a_long_key_is_short() -> None:
    twice = b'"%s": 0,' % (b"k" * 9000) * 2
    raw = raw_of(builders.extract_document()).replace(b'"body": {', b'"body": {' + twice)

    with pytest.raises(Unacceptable) as caught:
        open_body(decode(raw))

    assert len(str(caught.value)) <= 500


@pytest.mark.parametrize("error", [KeyError, TypeError, AttributeError, IndexError, ValueError])
def test_a_body_that_breaks_its_upcast_is_unacceptable(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> dict[str, Any]:
        raise error("a body nobody thought of")

    monkeypatch.setattr(subject, "upcast", broken)

    with pytest.raises(Unacceptable, match=error.__name__):
        open_body(decode(raw_of(builders.extract_document())))


def test_a_complaint_never_repeats_what_the_body_holds() -> None:
    raw = raw_of(builders.extract_document(), sha256="DE89 3704 0044 0532 0130 00")

    with pytest.raises(Unacceptable) as caught:
        open_body(decode(raw))

    assert "sha256" in str(caught.value)
    assert "3704" not in str(caught.value)


def test_a_complaint_is_short_however_much_is_wrong() -> None:
    wrong = dict.fromkeys(ExtractDocumentV1.model_fields, "?")
    raw = raw_with({"type": ExtractDocumentV1.type}, body=wrong)

    with pytest.raises(Unacceptable) as caught:
        open_body(decode(raw))

    assert len(str(caught.value)) <= 500
