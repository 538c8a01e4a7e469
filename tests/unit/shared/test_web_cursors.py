"""Cursors come back as they were given, or are refused."""

from uuid import UUID

import pytest

from shared.web.cursors import decode_cursor, encode_cursor
from shared.web.problems import Problem
from tests.fakes.clock import NOON

NOT_OURS = ["", "!!", "bnVsbA", "WzEsMl0", "WyIyMDI2IiwieCJd", "W" * 5000, "é"]


def test_a_cursor_leads_back_to_its_position() -> None:
    position = NOON, UUID(int=7)

    assert decode_cursor(encode_cursor(*position)) == position


@pytest.mark.parametrize("cursor", NOT_OURS)
def test_a_cursor_that_is_not_ours_is_refused(cursor: str) -> None:
    with pytest.raises(Problem, match="422 invalid"):
        decode_cursor(cursor)
