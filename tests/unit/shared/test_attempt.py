"""Only the attempt of a message ever changes, so that what is replayed is what failed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.body import Priority
from shared.contracts.envelope import Unacceptable, decode, encode, open_body, with_attempt
from shared.contracts.identity import new_id
from tests import builders
from tests.fakes.clock import NOON
from tests.fakes.deliveries import raw_with

# Every number JSON and a double both know; larger exponents are no number in JSON's readers.
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcé", max_size=4), inner)
    ),
    max_leaves=12,
)
json_objects = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12), json_values, max_size=6
)


@given(
    body=json_objects,
    extra=json_objects,
    before=st.integers(1, 9),
    after=st.integers(1, 1_000_000),
)
def test_another_attempt_changes_the_attempt_and_nothing_else(
    body: dict[str, Any], extra: dict[str, Any], before: int, after: int
) -> None:
    raw = raw_with({"attempt": before}, body=body, tracing=extra, more=extra)

    rewritten = json.loads(with_attempt(raw, after))

    expected = json.loads(raw)
    expected["header"]["attempt"] = after
    assert rewritten == expected
    assert list(rewritten) == list(expected)
    assert decode(with_attempt(raw, after)).header.attempt == after


def test_the_same_attempt_leaves_every_byte_as_it_was() -> None:
    raw = b" " + raw_with({"attempt": 2})

    assert with_attempt(raw, 2) is raw


@given(body=json_objects)
def test_there_and_back_is_the_message_again(body: dict[str, Any]) -> None:
    raw = raw_with(body=body)

    assert json.loads(with_attempt(with_attempt(raw, 4), 1)) == json.loads(raw)


def test_our_own_bytes_survive_a_replay_unchanged() -> None:
    raw = encode(
        builders.extract_document(
            filename="Müller & Söhne – Rechnung.pdf", priority=Priority.HIGH
        ),
        job_id=new_id(),
        created_at=NOON,
        traceparent=None,
    )

    assert with_attempt(with_attempt(raw, 3), 1) == raw


@given(body=json_objects, type_=st.sampled_from(["document.extract", "document.stored"]))
def test_no_body_makes_opening_fail_in_another_way(body: dict[str, Any], type_: str) -> None:
    envelope = decode(raw_with({"type": type_}, body=body))

    with pytest.raises(Unacceptable):
        open_body(envelope)
