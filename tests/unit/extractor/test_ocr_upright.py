"""The way from a turned page to an upright one and back, and what a reading says afterwards."""

from math import radians

import pytest

from services.extractor.domain.offline.recognised import as_recognised
from services.extractor.domain.offline.upright import Upright
from services.extractor.domain.reading import Alternative, Field, Reading
from services.extractor.domain.words import Span
from shared.pages.words import Word

# Where it stands on the upright page: left of the middle, near the top.
BOX = (0.2, 0.1, 0.4, 0.15)


def field(*boxes: tuple[float, float, float, float], page: int = 1) -> Field:
    spans = tuple(Span("12,50", page, box) for box in boxes)
    return Field(
        "12.50",
        "12,50",
        0.9,
        "extracted",
        spans,
        "pdf_text",
        alternatives=(Alternative("12.60", None, "pdf_text", 0.1),),
    )


def reading(one: Field, *words: Word) -> Reading:
    return Reading("offline", 1, {"total": one}, words=words)


@pytest.mark.parametrize(
    ("quarters", "box"),
    [
        (0, BOX),
        (1, (0.85, 0.2, 0.9, 0.4)),
        (2, (0.6, 0.85, 0.8, 0.9)),
        (3, (0.1, 0.6, 0.15, 0.8)),
    ],
)
def test_a_box_goes_back_to_where_the_page_shows_it(
    quarters: int, box: tuple[float, ...]
) -> None:
    upright = Upright(600, 800, quarters)

    assert upright.displayed(BOX) == pytest.approx(box)


def test_a_level_line_of_a_page_askew_stands_on_one_height() -> None:
    upright = Upright(1000, 1000, skew=radians(2))
    # Falls by 35 pixels over the width of the page.
    left, right = (0.0, 480.0), (1000.0, 515.0)

    first, last = upright.levelled([left]), upright.levelled([right])

    assert first[1] == pytest.approx(last[1], abs=0.001)


def test_levelling_and_showing_again_meet() -> None:
    upright = Upright(600, 800, 1, radians(3))

    left, top, right, bottom = upright.levelled([(400, 300)])
    shown = upright.displayed((left, top, right, bottom))

    # The page was 600 wide before it was turned: what was its right edge is its top now.
    assert shown == pytest.approx((1 - 300 / 600, 400 / 800, 1 - 300 / 600, 400 / 800))


def test_a_field_of_recognised_words_says_so_and_how_sure_they_are() -> None:
    words = (Word("12,", 1, 0.2, 0.1, 0.3, 0.15, 0.8), Word("50", 1, 0.3, 0.1, 0.4, 0.15, 0.6))

    told = as_recognised(reading(field(BOX), *words), {1: Upright(10, 10)}).fields["total"]

    assert told.source == "ocr" and told.signals["ocr"] == 0.6
    assert told.confidence == pytest.approx(0.54)
    assert told.alternatives[0].source == "ocr"


def test_a_word_elsewhere_does_not_make_a_field_doubtful() -> None:
    words = (Word("12,50", 1, *BOX, sure=0.9), Word("stain", 1, 0.2, 0.5, 0.4, 0.55, 0.1))

    told = as_recognised(reading(field(BOX), *words), {1: Upright(10, 10)}).fields["total"]

    assert told.signals["ocr"] == 0.9


def test_a_page_of_text_behind_a_recognised_one_stays_what_it_is() -> None:
    one = field(BOX, page=2)

    assert as_recognised(reading(one), {1: Upright(10, 10)}).fields["total"] == one


def test_words_and_evidence_are_shown_where_the_page_shows_them() -> None:
    word = Word("12,50", 1, *BOX, sure=0.9)

    told = as_recognised(reading(field(BOX), word), {1: Upright(10, 10, 2)})

    assert told.fields["total"].evidence[0].box == pytest.approx((0.6, 0.85, 0.8, 0.9))
    assert (told.words[0].left, told.words[0].top) == pytest.approx((0.6, 0.85))
    assert told.words[0].sure == 0.9
