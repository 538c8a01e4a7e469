"""Of what a stranger or the broker wrote into a message, only our own few headers go on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.bus.headers import (
    CARRIED,
    DEAD_MESSAGE,
    DEFERRALS,
    HEADER_BYTES_MAX,
    REPLAY,
    RUN,
    SINCE,
    as_count,
    as_text,
    ours,
)

# A table's name, a type octet and a length stand beside each value on the wire.
OVERHEAD_BYTES = 6

FOREIGN = [
    "x-death",
    "x-first-death-exchange",
    "x-first-death-queue",
    "x-first-death-reason",
    "x-last-death-queue",
    "x-delivery-count",
    "x-acquired-count",
    "x-opt-rk-0",
    "CC",
    "BCC",
    "x-delay",
    "x-match",
    "baggage",
    "Paperline-Run",
    "paperline-",
    "paperline-made-up",
]

values = st.one_of(st.text(), st.binary(), st.integers(), st.none(), st.lists(st.integers()))


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_header_never_survives(name: str) -> None:
    kept = ours({name: "value", RUN: "2"})

    assert kept == {RUN: "2"}


def test_a_history_of_deaths_never_survives() -> None:
    # The broker drops a message that comes back to a queue named in here.
    death = [{"queue": "delay.03", "reason": "expired", "count": 1}]

    assert ours({"x-death": death, SINCE: "2026-03-14T12:00:00+00:00"}) == {
        SINCE: "2026-03-14T12:00:00+00:00"
    }


def test_our_own_headers_and_the_trace_go_on() -> None:
    received = {name: "1" for name in CARRIED}

    assert ours(received) == received
    assert {RUN, SINCE, DEFERRALS, REPLAY, "traceparent", "tracestate"} < CARRIED


@pytest.mark.parametrize("received", [None, {}])
def test_no_headers_are_no_headers(received: dict[str, str] | None) -> None:
    assert ours(received) == {}


@given(received=st.dictionaries(st.one_of(st.text(), st.sampled_from(sorted(CARRIED))), values))
def test_whatever_was_received_the_rest_fits_and_can_be_sent(
    received: dict[str, object],
) -> None:
    kept = ours(received)

    assert set(kept) <= CARRIED
    assert json.loads(json.dumps(kept)) == kept
    assert not [value for value in kept.values() if "\x00" in value]
    # Raises for half a character.
    b"".join(value.encode() for value in kept.values())


def test_all_headers_together_stay_within_their_limit() -> None:
    kept = ours({name: "😀" * 20_000 for name in CARRIED})

    size = sum(len(name) + len(value.encode()) + OVERHEAD_BYTES for name, value in kept.items())
    assert size <= HEADER_BYTES_MAX
    assert len(kept) == len(CARRIED)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(b"caf\xc3\xa9", "café", id="bytes of text are text"),
        pytest.param(b"\xff\xfe", "��", id="bytes of no text are marked as such"),
        pytest.param(7, "7", id="a number is its digits"),
        pytest.param(None, "None", id="nothing is said to be nothing"),
        pytest.param("a\x00b", "a�b", id="a NUL, which no text column takes, is replaced"),
        pytest.param("a\ud800b", "a?b", id="half a character is replaced"),
        pytest.param("é" * 600, "é" * 500, id="a long text ends after a thousand bytes"),
        pytest.param("x" + "é" * 600, "x" + "é" * 499, id="it never ends within a character"),
    ],
)
def test_a_value_becomes_text_that_travels(value: object, text: str) -> None:
    assert as_text(value) == text


def test_a_message_of_an_error_may_be_longer_than_other_values() -> None:
    kept = ours({DEAD_MESSAGE: "x" * 5000, RUN: "x" * 5000})

    assert (len(kept[DEAD_MESSAGE]), len(kept[RUN])) == (1000, 255)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("0", 0, id="zero"),
        pytest.param("17", 17, id="a number"),
        pytest.param("999999999", 999_999_999, id="as large as a column holds"),
        pytest.param("1000000000", 0, id="larger than a column holds"),
        pytest.param("-1", 0, id="negative"),
        pytest.param("1.5", 0, id="half of something"),
        pytest.param("", 0, id="empty"),
        pytest.param("two", 0, id="a word"),
        pytest.param("\u0663", 0, id="a digit of another script"),
        pytest.param("\u00b2", 0, id="a superscript"),
    ],
)
def test_an_unreadable_count_is_as_good_as_none(text: str, count: int) -> None:
    assert as_count({RUN: text}, RUN) == count


def test_a_missing_count_is_zero() -> None:
    assert as_count({}, RUN) == 0
