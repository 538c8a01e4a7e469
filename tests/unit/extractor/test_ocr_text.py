"""What is made of a recogniser's characters: words, and figures where only figures can be."""

import pytest

from services.extractor.domain.offline.ocr_text import Letters, pieces_of, repaired


def letters(text: str, step: float = 1.0, gaps: dict[int, float] | None = None) -> Letters:
    """Evenly set, with a gap of so many steps before some characters."""
    places, at = [], 0.0
    for index, _ in enumerate(text):
        at += step * (1 + (gaps or {}).get(index, 0))
        places.append(at)
    length = at + step
    return Letters(text, tuple(one / length for one in places), (0.9,) * len(text))


def words(line: Letters) -> list[str]:
    return [piece.text for piece in pieces_of(line)]


def test_a_line_is_its_words_where_they_stand() -> None:
    first, second = pieces_of(letters("Total 12,50"))

    assert (first.text, second.text) == ("Total", "12,50")
    assert first.start < first.end < second.start < second.end <= 1


def test_a_word_is_as_sure_as_its_weakest_character() -> None:
    line = Letters("ab cd", (0.1, 0.3, 0.5, 0.7, 0.9), (0.9, 0.4, 0.1, 0.8, 0.99))

    assert [piece.sure for piece in pieces_of(line)] == [0.4, 0.8]


def test_a_wide_gap_parts_words_although_no_space_was_recognised() -> None:
    assert words(letters("3Schraube11,88", gaps={1: 4, 9: 8})) == ["3", "Schraube", "11,88"]


def test_letters_of_different_width_stay_one_word() -> None:
    assert words(letters("Mittwoch", gaps={1: 1.2})) == ["Mittwoch"]


def test_a_label_that_touches_its_value_lets_go_of_it() -> None:
    assert words(letters("Datum:05.03.2024")) == ["Datum:", "05.03.2024"]


@pytest.mark.parametrize("text", ["12:30", "https://example.org", "Sehr"])
def test_what_is_no_label_keeps_its_colon(text: str) -> None:
    assert words(letters(text)) == [text]


@pytest.mark.parametrize(
    ("seen", "meant"),
    [
        ("1.234,5O", "1.234,50"),
        ("l2,00", "12,00"),
        ("€1,2S4.56", "€1,254.56"),
        ("O5.03.2024", "05.03.2024"),
        ("1l/12/2O24", "11/12/2024"),
        ("\uff11\uff12\uff0c\uff15\uff10", "12,50"),
        ("Nr\uff1a", "Nr:"),
        ("5\u300200", "5.00"),
    ],
)
def test_a_letter_among_figures_is_a_figure(seen: str, meant: str) -> None:
    assert repaired(seen) == meant


@pytest.mark.parametrize(
    "text",
    [
        "SO.OO",
        "Il/lO/OOOl",
        "lI.OO.2Oll",
        "Bl.SB",
        "RE-2O24",
        "DE8937O4",
        "Oslo",
        "B12",
        "l.O",
        "I.S.B.N",
        "5S",
    ],
)
def test_what_may_be_letters_stays_as_it_was_seen(text: str) -> None:
    assert repaired(text) == text


@pytest.mark.parametrize(
    ("seen", "meant"),
    [
        ("Total 1,234 .56", ["Total", "1,234.56"]),
        ("9.0 0", ["9.00"]),
        ("2 15.50", ["2", "15.50"]),
        ("1 234,56", ["1", "234,56"]),
        ("9.00 0", ["9.00", "0"]),
        ("Str. 5, 12345 Ort", ["Str.", "5,", "12345", "Ort"]),
    ],
)
def test_a_space_within_an_amount_is_closed_where_it_can_be_nothing_else(
    seen: str, meant: list[str]
) -> None:
    assert words(letters(seen)) == meant


def test_nothing_but_space_holds_no_word() -> None:
    assert words(letters("   ")) == []
