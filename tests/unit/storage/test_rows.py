"""A result as a row: typed or null, members in their order, and each value with its lineage."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from services.storage.adapters.parquet import ParquetTables
from services.storage.domain.results import Result
from services.storage.domain.rows import Kind, row_of, sorted_by, typed
from shared.contracts.extraction import Evidence, ExtractedField, Finding
from tests import builders


def row(fields: dict[str, ExtractedField], *findings: Finding) -> dict[str, Any]:
    return dict(row_of(Result(builders.extraction(fields=fields, findings=findings))))


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("12.5", "money", Decimal("12.5000")),
        ("-0.00005", "money", Decimal("-0.0000")),
        ("9999999999999999.9999", "money", Decimal("9999999999999999.9999")),
        ("9999999999999999.99995", "money", None),
        ("1e16", "money", None),
        ("NaN", "money", None),
        ("12,5", "money", None),
        ("0.123456789", "number", Decimal("0.12345679")),
        ("19", "rate", Decimal("19.0000")),
        ("99999.99999", "rate", None),
        ("2026-02-30", "date", None),
        ("2026-02-28", "date", date(2026, 2, 28)),
        ("true", "flag", True),
        ("yes", "flag", None),
        ("30", "count", 30),
        ("3.5", "count", None),
        ("99999999999", "count", None),
        ("٣", "count", None),
        ("", "text", ""),
        (None, "money", None),
    ],
)
def test_a_value_is_of_its_type_or_null(
    value: str | None, kind: Kind, expected: object
) -> None:
    assert typed(value, kind) == expected


def test_lines_stand_in_their_order_whatever_order_they_were_read_in() -> None:
    fields = {
        f"lines.{place}.description": builders.read_as(f"line {place}") for place in (10, 2, 0)
    }

    lines = row(fields | {"lines.2.net_amount": builders.read_as("5")})["lines"]

    assert [one["place"] for one in lines] == [0, 2, 10]
    assert lines[1]["net_amount"] == Decimal("5.0000")
    assert lines[0]["net_amount"] is None


async def test_a_member_whose_place_is_no_place_is_none() -> None:
    read = builders.read_as("1.00")

    written = row({f"lines.{place}.net_amount": read for place in ("0", "9" * 12, "x", "²")})

    assert [one["place"] for one in written["lines"]] == [0]
    assert await ParquetTables().files_of([written])


def test_a_member_has_what_stands_under_its_place_as_it_is_written() -> None:
    read = builders.read_as("x")

    [one, other] = row(
        {
            "lines.07.description": read,
            "lines.1": read,
            "lines.1.code": read,
            "lines.1.code.more": read,
            "linesx.2.code": read,
        }
    )["lines"]

    assert (one["place"], one["code"], one["description"]) == (1, "x", None)
    assert {name: cell for name, cell in other.items() if cell is not None} == {"place": 7}


def test_each_value_is_told_with_where_it_stands_and_how_its_rules_ended() -> None:
    total = ExtractedField(
        value="119.00",
        raw="119,00 EUR",
        confidence=0.8,
        status="corrected",
        source="human",
        evidence=(Evidence(page=2, bbox=(0.1, 0.2, 0.3, 0.4)),),
        signals={"agree": 0.0, "grounded": 1.0, "checks_passed": 0.2},
    )
    finding = Finding(code="E4", severity="block", touches=("total", "total"))

    [one] = row({"total": total}, finding)["fields"]

    assert (one["path"], one["value"], one["raw"]) == ("total", "119.00", "119,00 EUR")
    assert (one["status"], one["source"], one["page"]) == ("corrected", "human", 2)
    assert one["box"] == {"x0": 0.1, "y0": 0.2, "x1": 0.3, "y1": 0.4}
    assert [(rule["rule"], rule["result"], rule["severity"]) for rule in one["rules"]] == [
        ("engines_agree", "failed", None),
        ("on_the_page", "passed", None),
        ("checks", "passed", None),
        ("E4", "failed", "block"),
    ]


def test_what_sorts_a_row_is_short_and_holds_nothing_that_a_database_refuses() -> None:
    given = row({"seller.name": builders.read_as("A\x00" + "b" * 500)})

    issued, seller = sorted_by(given)

    assert issued is None
    assert seller == "A" + "b" * 199
