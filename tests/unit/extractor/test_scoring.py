"""How sure a field may be: what raises it, what lowers it, and what no agreement outvotes."""

from dataclasses import replace

import pytest

from services.extractor.domain.reading import CRITICAL, NEEDED, Field, Reading
from services.extractor.domain.trust.calibrators import ColdStart, group_of
from services.extractor.domain.trust.scoring import scored

ONE = Field("119.00", "119,00", 0.8, "extracted", (), "pdf_text")


def confidence_of(one: Field = ONE, **signals: float) -> float:
    judged = replace(one, signals=signals)
    reading = scored(Reading("offline", 1, {"total": judged}), ColdStart())
    return reading.fields["total"].confidence


@pytest.mark.parametrize("signal", ["agree", "grounded", "ocr", "checks_passed", "history"])
def test_what_speaks_for_a_field_raises_it(signal: str) -> None:
    assert confidence_of(ONE, **{signal: 1.0}) > confidence_of()


@pytest.mark.parametrize(
    "signals", [{"agree": 0.3}, {"ocr": 0.6}, {"checks_failed": 1.0}, {"history": 0.0}]
)
def test_what_speaks_against_it_lowers_it(signals: dict[str, float]) -> None:
    assert confidence_of(ONE, **signals) < confidence_of()


def test_what_a_model_says_of_itself_moves_it_least_of_all() -> None:
    swing = confidence_of(self=1.0) - confidence_of(self=0.0)

    assert 0 < swing <= 0.05


@pytest.mark.parametrize(
    ("one", "signals", "at_most"),
    [
        pytest.param(ONE, {"agree": 0.0}, 0.55, id="the readers disagree"),
        pytest.param(ONE, {"grounded": 0.0}, 0.60, id="it stands nowhere on the page"),
        pytest.param(ONE, {"cap": 0.20}, 0.20, id="a check digit failed"),
        pytest.param(replace(ONE, status="computed"), {}, 0.60, id="it was worked out"),
        pytest.param(
            replace(ONE, source="einvoice_xml"), {"agree": 0.0}, 0.40, id="the page differs"
        ),
    ],
)
def test_a_cap_is_outvoted_by_nothing(
    one: Field, signals: dict[str, float], at_most: float
) -> None:
    everything_for_it = {"ocr": 1.0, "checks_passed": 1.0, "history": 1.0}

    assert confidence_of(one, **{**everything_for_it, **signals}) <= at_most


def test_xml_is_as_sure_as_its_syntax_makes_it() -> None:
    assert confidence_of(replace(ONE, source="einvoice_xml")) == pytest.approx(0.995)


def test_nothing_is_sure_that_nobody_read() -> None:
    assert confidence_of(Field()) == 0.0


def test_the_result_names_the_calibrator() -> None:
    reading = scored(Reading("offline", 1, {"total": ONE}), ColdStart())

    assert reading.versions["calibrator"] == ColdStart.version


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("lines.3.net_amount", "lines"),
        ("taxes.0.rate", "money"),
        ("seller.vat_id", "parties"),
        ("payment.accounts.0.iban", "payment"),
        ("service_period.start", "dates"),
        ("invoice_number", "identifiers"),
    ],
)
def test_a_field_belongs_to_a_group(path: str, group: str) -> None:
    assert group_of(path) == group


def whole(**confidences: float) -> Reading:
    fields = {path: replace(ONE, confidence=0.9) for path in NEEDED}
    told = {path: replace(ONE, confidence=value) for path, value in confidences.items()}
    return Reading("offline", 1, {**fields, **told})


def test_a_document_is_as_sure_as_its_most_doubtful_critical_field() -> None:
    assert whole(total=0.4).confidence == 0.4
    assert whole(subtotal=0.3).confidence == 0.3
    assert whole(due_date=0.1).confidence == 0.9


@pytest.mark.parametrize("path", NEEDED)
def test_a_document_without_what_every_invoice_has_is_not_sure_at_all(path: str) -> None:
    reading = whole()
    lacking = {name: one for name, one in reading.fields.items() if name != path}

    assert replace(reading, fields=lacking).confidence == 0.0
    assert path in CRITICAL
