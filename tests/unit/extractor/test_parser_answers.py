"""What leaves the parser's child: small enough to be an answer, and nothing without a value."""

import json

import pytest

from services.extractor.adapters.parser.answers import heard, told
from services.extractor.adapters.parser.sandbox import ANSWER_BYTES_MAX
from services.extractor.domain.reading import Page, Reading
from shared.errors import Rejected
from shared.pages.words import Word

WORD = Word("Schraube", 200, 0.123456789012345, 0.223456789012345, 1 / 3, 2 / 3)


def test_two_hundred_dense_pages_are_no_answer_without_end() -> None:
    answer = told(Reading("offline", 200, words=(WORD,) * 200 * 900))

    assert len(json.dumps(answer)) < ANSWER_BYTES_MAX


def test_a_word_is_where_it_was_to_the_eye() -> None:
    [word] = heard(json.loads(json.dumps(told(Reading("offline", 1, words=(WORD,)))))).words

    assert (word.text, word.page) == (WORD.text, WORD.page)
    assert word.left == pytest.approx(WORD.left, abs=1e-5)
    assert word.bottom == pytest.approx(WORD.bottom, abs=1e-5)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_no_answer(number: float) -> None:
    answer = told(Reading("offline", 1, pages=(Page(1, number, 842.0),)))

    with pytest.raises(Rejected, match="parser_crashed"):
        heard(json.loads(json.dumps(answer)))
