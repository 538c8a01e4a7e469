"""One text for one entry, and one hash for one line: what a verifier can compute alone."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audit.chain import (
    GENESIS,
    LINE_BYTES_MAX,
    Broken,
    Entry,
    Line,
    Link,
    canonical,
    fault,
    hash_of,
)

ENTRY = Entry(
    "anna", "review.correct", "item/7", {"total": "10.00"}, {"total": "12.00"}, "typo"
)
AT = datetime(2024, 5, 1, 12, 30, 0, 250, tzinfo=UTC)


def _line(previous: bytes = GENESIS, seq: int = 1, text: str = "") -> Line:
    line = Line(seq, AT, text or canonical(ENTRY), previous, b"")
    return replace(line, hash=hash_of(line))


def test_an_entry_has_one_text_whatever_the_order_of_its_keys() -> None:
    one = Entry("a", "b", "c", before={"x": 1, "y": [True, None]})
    other = Entry("a", "b", "c", before={"y": [True, None], "x": 1})

    assert canonical(one) == canonical(other)
    assert canonical(one) == (
        '{"action":"b","actor":"a","after":null,"before":{"x":1,"y":[true,null]},'
        '"reason":"","resource":"c"}'
    )


@pytest.mark.parametrize("letter", ["x", "\x07", "\U0001f9fe"])
def test_no_deed_is_too_large_for_a_line(letter: str) -> None:
    long = {"value": letter * 10_000, "evidence": [letter * 1000] * 300}
    entry = replace(ENTRY, after=long, before={"total": "10.00"}, reason=letter * 100_000)

    text = canonical(entry)

    kept = json.loads(text)
    assert len(text.encode()) <= LINE_BYTES_MAX
    assert kept["before"] == {"total": "10.00"}
    whole = json.dumps(long, sort_keys=True, separators=(",", ":")).encode()
    assert kept["after"]["sha256"] == sha256(whole).hexdigest()
    assert (kept["after"]["shortened"], kept["after"]["bytes"]) == (True, len(whole))
    assert kept["reason"].startswith(letter * 2000)
    assert sha256((letter * 100_000).encode()).hexdigest() in kept["reason"]


def test_a_line_that_fits_is_whole() -> None:
    entry = replace(ENTRY, after={"value": "x" * 200_000})

    assert json.loads(canonical(entry))["after"] == entry.after


def test_a_line_has_a_hash_that_others_can_recompute() -> None:
    # Frozen: a change of this number would call every line that was ever written forged.
    assert _line().hash.hex() == (
        "a437fa3b78e199d57ed36225aafca7623d24379e1c57409e41600e4bba4c97bc"
    )


def test_the_hash_does_not_depend_on_the_time_zone_of_the_reader() -> None:
    elsewhere = replace(_line(), at=AT.astimezone(timezone(timedelta(hours=9))))

    assert hash_of(elsewhere) == _line().hash


@given(st.text(max_size=20), st.recursive(st.none() | st.text() | st.integers(), st.lists))
def test_whatever_was_written_is_read_back(reason: str, after: str | int | None) -> None:
    entry = Entry("a", "b", "c", after=after, reason=reason)
    text = canonical(entry)

    assert text.isascii()
    read = Line(1, AT, text, GENESIS, b"").entry()
    assert read == replace(entry, reason=reason.replace("\x00", "\ufffd"))
    assert canonical(read) == json.dumps(
        json.loads(text), sort_keys=True, separators=(",", ":")
    )


@pytest.mark.parametrize("value", [float("nan"), object(), b"bytes", {"a": AT}])
def test_what_is_not_json_is_refused_and_not_lost(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical(Entry("a", "b", "c", after=value))  # type: ignore[arg-type]  # the fact under test


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        (_line(), None),
        (_line(seq=2), Broken(1, "missing")),
        (_line(previous=b"?" * 32), Broken(1, "not linked to the line before")),
        (replace(_line(), text=_line().text.replace("12.00", "99.00")), Broken(1, "altered")),
        (replace(_line(), at=AT + timedelta(microseconds=1)), Broken(1, "altered")),
    ],
    ids=["whole", "missing", "unlinked", "another text", "another time"],
)
def test_a_fault_names_its_line(line: Line, broken: Broken | None) -> None:
    assert fault(line, Link(0, GENESIS)) == broken
