"""Cursors come back as they were given, or are refused."""

from uuid import UUID

import pytest

from shared.web.cursors import Cursors, decode_cursor, encode_cursor
from shared.web.problems import Problem
from tests.fakes.clock import NOON

NOT_OURS = ["", "!!", "bnVsbA", "WzEsMl0", "WyIyMDI2IiwieCJd", "W" * 5000, "é"]
POSITION = NOON, UUID(int=7)
CURSORS = Cursors("a secret of this test")


def test_a_cursor_leads_back_to_its_position() -> None:
    assert decode_cursor(encode_cursor(*POSITION)) == POSITION


@pytest.mark.parametrize("cursor", NOT_OURS)
def test_a_cursor_that_is_not_ours_is_refused(cursor: str) -> None:
    with pytest.raises(Problem, match="422 invalid"):
        decode_cursor(cursor)


def test_a_signed_cursor_leads_back_to_its_position() -> None:
    assert CURSORS.decode(CURSORS.encode(POSITION, scope="a"), scope="a") == POSITION


@pytest.mark.parametrize(
    "cursor",
    [
        *NOT_OURS,
        ".",
        encode_cursor(*POSITION),
        encode_cursor(*POSITION) + ".AAAAAAAAAAAAAAAAAAAAAA",
        CURSORS.encode(POSITION, scope="another list"),
        Cursors("the secret of another stack").encode(POSITION, scope="a list"),
        "x" + CURSORS.encode(POSITION, scope="a list"),
        CURSORS.encode(POSITION, scope="a list") + "A",
    ],
)
def test_a_forged_or_foreign_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Problem, match="422 invalid"):
        CURSORS.decode(cursor, scope="a list")


def test_a_secret_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        Cursors("short")
