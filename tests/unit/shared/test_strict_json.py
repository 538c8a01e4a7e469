"""JSON of strangers: what two readers could understand differently is no JSON here."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.strict_json import NotJson, Path, RepeatedKey, read_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=VALUES)
def test_what_everybody_reads_alike_is_read(value: object) -> None:
    written = json.dumps(value)

    assert read_json(written) == value
    assert read_json(written.encode()) == value


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        pytest.param('{"a": 1, "a": 2}', [("a",)], id="at the top"),
        pytest.param('{"a": 1, "a": 1}', [("a",)], id="with the same value"),
        pytest.param('{"a": 1, "\\u0061": 2}', [("a",)], id="written otherwise"),
        pytest.param('{"": 1, "": 2}', [("",)], id="without a letter"),
        pytest.param(
            '{"a": [{}, {"b": {"c": 1, "d": 2, "c": 3}}]}', [("a", 1, "b", "c")], id="within"
        ),
        pytest.param(
            '{"a": {"b": 1, "b": 2}, "a": 3, "a": 4}',
            [("a", "b"), ("a",), ("a",)],
            id="again and again",
        ),
    ],
)
def test_a_key_that_stands_twice_is_named_by_its_path(raw: str, paths: list[Path]) -> None:
    with pytest.raises(RepeatedKey) as caught:
        read_json(raw.encode())

    assert caught.value.paths == paths
    assert str(caught.value) == "a key stands twice in an object"


def test_the_same_key_in_two_objects_is_no_repetition() -> None:
    assert read_json('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="half an object"),
        pytest.param(b"{} {}", id="two objects"),
        pytest.param(b'{"a": NaN}', id="no number"),
        pytest.param(b'{"a": -Infinity}', id="a number without end"),
        pytest.param(b'{"a": 1e400}', id="a number too large"),
        pytest.param(b'{"a": ' + b"7" * 400 + b".5}", id="a number too long"),
        pytest.param(b"7" * 5000, id="more digits than are counted"),
        pytest.param(b'"\\ud800"', id="half a character"),
        pytest.param(b'"\xff"', id="bytes of no text"),
        pytest.param('{"a": 1}'.encode("utf-16"), id="another encoding"),
        pytest.param(b"[" * 100_000, id="brackets without end"),
        pytest.param(b'{"a":' * 10_000 + b"1" + b"}" * 10_000, id="objects without end"),
        pytest.param(b"\x80\x04\x95", id="an object of Python, pickled"),
    ],
)
def test_what_is_no_json_is_refused_in_one_way(raw: bytes) -> None:
    with pytest.raises(NotJson):
        read_json(raw)


def test_a_complaint_repeats_nothing_of_what_was_said() -> None:
    with pytest.raises(NotJson) as caught:
        read_json('{"iban": "DE89 3704 0044 0532 0130 00", iban}')

    assert "3704" not in str(caught.value)


@given(raw=st.binary(max_size=200))
def test_no_bytes_make_reading_fail_in_another_way(raw: bytes) -> None:
    try:
        read_json(raw)
    except NotJson as error:
        assert str(error)


@pytest.mark.parametrize("text", ["1e308", "1e-400", "1" + "0" * 310, "123456789.5e99"])
def test_a_number_that_has_an_end_is_read(text: str) -> None:
    found = read_json(f'{{"a": {text}}}')["a"]

    assert math.isfinite(found) if isinstance(found, float) else found == int(text)
