"""What a person approved: the values as they were left, and beside them what was read."""

from dataclasses import replace
from uuid import uuid4

from services.review.domain.corrections import is_corrected, reviewed
from services.review.domain.items import ItemField, fields_of
from shared.contracts.extraction import ExtractedField, ExtractionV1, Finding
from tests import builders

BOX = {"page": 1, "bbox": [0.1, 0.2, 0.3, 0.4], "text": "1,190.00"}


def extraction(**values: str) -> ExtractionV1:
    one = builders.extraction(document_id=uuid4())
    fields = {
        path.replace("__", "."): ExtractedField(
            value=value,
            raw=value,
            confidence=0.7,
            status="extracted",
            source="ocr",
            signals={"ocr": 0.7},
        )
        for path, value in values.items()
    }
    return one.model_copy(update={"fields": fields})


def by_hand(field: ItemField, value: str | None) -> ItemField:
    return replace(
        field,
        value=value,
        raw=value,
        confidence=1.0,
        status="missing" if value is None else "corrected",
        source="human",
        evidence=[BOX],
        machine={"value": field.value, "raw": field.raw, "source": "ocr", "confidence": 0.7},
        locked_by="anna",
    )


def test_a_corrected_value_keeps_the_machines_beside_it() -> None:
    read = extraction(total="119.00", currency="EUR")
    total, currency = fields_of(read)

    kept = reviewed(read, [by_hand(total, "1190.00"), currency]).fields

    assert (kept["total"].value, kept["total"].status) == ("1190.00", "corrected")
    assert kept["total"].source == "human"
    assert kept["total"].evidence[0].bbox == (0.1, 0.2, 0.3, 0.4)
    [machines] = kept["total"].alternatives
    assert (machines.value, machines.source, machines.confidence) == ("119.00", "ocr", 0.7)
    assert (kept["currency"].status, kept["currency"].source) == ("confirmed", "ocr")
    assert kept["currency"].signals == {"ocr": 0.7}
    assert kept["total"].signals == {}


def test_a_value_that_a_person_took_away_stays_away() -> None:
    read = extraction(due_date="2026-03-09")

    kept = reviewed(read, [by_hand(fields_of(read)[0], None)]).fields["due_date"]

    assert (kept.value, kept.status, kept.source) == (None, "missing", "human")
    assert [one.value for one in kept.alternatives] == ["2026-03-09"]


def test_rows_that_nobody_filled_leave_no_gap() -> None:
    read = extraction(lines__0__net_amount="1.00", lines__2__net_amount="2.00")
    cell = fields_of(read)[0]
    empty = replace(
        cell, path="lines.1.description", value=None, raw=None, status="missing", source="human"
    )

    kept = reviewed(read, [*fields_of(read), empty]).fields

    assert {path: one.value for path, one in kept.items()} == {
        "lines.0.net_amount": "1.00",
        "lines.1.net_amount": "2.00",
    }


def test_the_findings_are_those_of_the_values_that_were_approved() -> None:
    read = extraction(total="119.00").model_copy(
        update={"findings": (Finding(code="E4", severity="block"),)}
    )
    left = Finding(code="E9", severity="info")

    assert reviewed(read, fields_of(read)).findings == read.findings
    assert reviewed(read, fields_of(read), [left]).findings == (left,)


def test_only_what_a_person_changed_makes_it_corrected() -> None:
    read = extraction(total="119.00", due_date="2026-03-09")
    total, due = fields_of(read)
    confirmed = replace(total, status="confirmed", locked_by="anna")

    assert not is_corrected([confirmed, due], read)
    assert is_corrected([by_hand(total, "1.00"), due], read)
    assert is_corrected([total, by_hand(due, None)], read)
    assert is_corrected([total], read)
