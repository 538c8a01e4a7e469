"""How sure the items are of themselves, and when a person is told that rows are missing."""

from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Reading
from tests.unit.extractor.pages import page

HEAD = "Description              Qty     Price    Amount"
TOTALS = (
    "",
    "Subtotal                                   60.00",
    "VAT 20%                                    12.00",
    "Total                                      72.00",
)


def read(*rows: str) -> Reading:
    return read_invoice(page("Invoice 1", "", HEAD, *rows, *TOTALS), 1, "pdf_text")


def codes(reading: Reading) -> list[str]:
    return [finding.code for finding in reading.findings]


def test_a_row_that_multiplies_in_a_table_that_sums_up_is_the_surest() -> None:
    fields = read(
        "Blue chair                 2     10.00     20.00",
        "Red chair                  4     10.00     40.00",
    ).fields
    wrong = read(
        "Blue chair                 2     10.00     20.00",
        "Red chair                  4     10.00     30.00",
    ).fields
    sure = fields["lines.1.net_amount"].confidence
    assert sure > 0.9
    assert fields["lines.0.net_amount"].confidence > wrong["lines.0.net_amount"].confidence
    assert wrong["lines.1.net_amount"].confidence < 0.5


def test_a_cell_says_where_it_was_printed() -> None:
    field = read("Blue chair                 6     10.00     60.00").fields[
        "lines.0.unit_price"
    ]
    assert (field.raw, field.source, field.evidence[0].text) == ("10.00", "pdf_text", "10.00")


def test_rows_that_fall_short_of_the_subtotal_stop_the_document() -> None:
    reading = read("Blue chair                 2     10.00     20.00")
    finding = next(one for one in reading.findings if one.code == "rows_missing")
    assert finding.severity == "block"
    assert "subtotal" in finding.touches


def test_rows_that_make_up_the_subtotal_are_not_missing() -> None:
    assert "rows_missing" not in codes(read("Blue chair                 6     10.00     60.00"))


def test_prices_with_tax_are_told_by_what_they_sum_up_to() -> None:
    rows = "Blue chair                 6     12.00     72.00"
    assert read(rows).fields["prices_include_tax"].value == "true"
    net = read("Blue chair                 6     10.00     60.00").fields
    assert "prices_include_tax" not in net


def test_a_code_in_brackets_before_a_description_is_its_code() -> None:
    fields = read("[FURN_7] Blue chair        6     10.00     60.00").fields
    assert fields["lines.0.code"].value == "FURN_7"
    assert fields["lines.0.description"].value == "Blue chair"
