"""What counts as right, as false and as missed; and what can be said of so few documents."""

import json
from pathlib import Path

import pytest

from deploy.evaluation.corpus import BadCorpus, Truth, documents_of, truths_of
from deploy.evaluation.counting import Counts, count_fields, count_rows, interval
from deploy.evaluation.forms import in_one_form
from deploy.evaluation.trust import Claim, accuracy_at, brier, calibration_error, separation

BOLTS = {"description": "hex bolts m8", "quantity": "6", "amount": "60.00"}
NUTS = {"description": "nuts", "quantity": "4", "amount": "40.00"}


@pytest.mark.parametrize(
    ("read", "counts"),
    [
        ("119.00", Counts(right=1)),
        ("120.00", Counts(right=1)),
        ("19.00", Counts(false=1, missed=1)),
        (None, Counts(missed=1)),
    ],
    ids=["the truth", "an alternative", "a wrong value", "nothing"],
)
def test_a_field_is_right_or_false_or_missed(read: str | None, counts: Counts) -> None:
    truth = Truth({"total": ("119.00", "120.00")})

    assert count_fields(truth, {"total": read})["total"] == counts


def test_a_value_for_what_is_not_on_the_document_is_false() -> None:
    truth = Truth({"due_date": ()})

    assert count_fields(truth, {"due_date": "2026-01-01"})["due_date"] == Counts(false=1)
    assert count_fields(truth, {})["due_date"] == Counts()


def test_what_the_truth_does_not_tell_is_not_counted() -> None:
    assert not count_fields(Truth({}), {"total": "1.00"})


def test_rows_are_matched_whatever_their_order() -> None:
    assert count_rows([BOLTS, NUTS], [NUTS, BOLTS]) == Counts(right=2)


def test_a_row_with_one_wrong_cell_is_wrong() -> None:
    wrong = {**BOLTS, "quantity": "7"}

    assert count_rows([BOLTS, NUTS], [wrong, NUTS]) == Counts(1, 1, 1)


def test_a_description_may_differ_a_little() -> None:
    cut = {**BOLTS, "description": "hex bolts m"}

    assert count_rows([BOLTS], [cut]) == Counts(right=1)


def test_one_row_answers_for_one_row_only() -> None:
    assert count_rows([BOLTS, BOLTS], [BOLTS]) == Counts(1, 0, 1)


def test_counts_make_rates() -> None:
    counts = Counts(right=6, false=2, missed=4)

    assert (counts.precision, counts.recall) == (0.75, 0.6)
    assert counts.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert Counts().f1 == 0.0


@pytest.mark.parametrize(("right", "of"), [(0, 10), (10, 10), (5, 10), (0, 0)])
def test_an_interval_holds_its_rate_and_stays_within_bounds(right: int, of: int) -> None:
    low, high = interval(right, of)

    assert 0 <= low <= (right / of if of else 0.5) <= high <= 1
    assert high - low > 0.2


@pytest.mark.parametrize(
    ("name", "value", "form"),
    [
        ("total", "1190.5", "1190.50"),
        ("quantity", "3.500", "3.5"),
        ("vendor_name", "Müller & Söhne, GmbH", "müller and söhne gmbh"),
        ("iban", "de89 3704", "DE893704"),
        ("invoice_number", " # a 7 ", "A7"),
        ("total", "a lot", None),
        ("total", "NaN", None),
        ("currency", "", None),
    ],
)
def test_values_of_different_hands_come_into_one_form(
    name: str, value: str, form: str | None
) -> None:
    assert in_one_form(name, value) == form


SURE = [Claim(0.9, is_right=True), Claim(0.8, is_right=True), Claim(0.2, is_right=False)]


def test_the_surest_share_is_looked_at_first() -> None:
    assert accuracy_at(SURE, 0.67) == (2, 2)
    assert accuracy_at(SURE, 1.0) == (2, 3)


def test_confidence_that_separates_right_from_wrong_is_told_so() -> None:
    assert separation(SURE) == 1.0
    assert separation([Claim(0.1, is_right=True), Claim(0.9, is_right=False)]) == 0.0
    assert separation([Claim(0.5, is_right=True), Claim(0.5, is_right=False)]) == 0.5
    assert separation([Claim(0.5, is_right=True)]) is None


def test_confidence_that_is_as_good_as_its_word_has_no_error() -> None:
    honest = [Claim(1.0, is_right=True), Claim(0.0, is_right=False)]

    assert brier(honest) == calibration_error(honest) == 0.0
    assert calibration_error([Claim(1.0, is_right=False)]) == 1.0


def test_a_folder_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    with pytest.raises(BadCorpus, match=r"documents\.jsonl"):
        documents_of(tmp_path)
    (tmp_path / "documents.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(BadCorpus, match="line 1: 'file' is missing"):
        documents_of(tmp_path)
    (tmp_path / "truth.jsonl").write_text("\n[]\n")
    with pytest.raises(BadCorpus, match="line 2: not an object"):
        truths_of(tmp_path)


def test_truths_come_with_their_alternatives_in_one_form(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "fields": {"total": "7", "vendor_name": "A", "iban": None},
        "alt": {"vendor_name": ["B!"]},
        "line_items": [{"amount": "7", "description": None}],
        "lang": "de",
    }
    (tmp_path / "truth.jsonl").write_text(json.dumps(row) + "\n")

    truth = truths_of(tmp_path)["a"]

    assert truth.fields == {"total": ("7.00",), "vendor_name": ("a", "b"), "iban": ()}
    assert truth.rows == [{"amount": "7.00"}]
    assert truth.traits["lang"] == "de"
