"""The language of the rules: small, typed when it is compiled, and never run as code."""

from decimal import Decimal

import pytest

from shared.checks.configured import rule_book
from shared.checks.expressions import WrongExpression, compile_expression
from shared.checks.functions import FUNCTIONS
from shared.checks.scope import Knowledge, Lacking, Scope
from shared.checks.values import values_of
from shared.configuration.load import DEFAULT_FILE, ConfigurationError, loaded_from
from tests.unit.extractor.invoices import TODAY, invoice, reading


def _value(text: str) -> object:
    scope = Scope(values_of(reading(invoice()).fields), Knowledge(), TODAY)
    return compile_expression(text, FUNCTIONS).run(scope)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("subtotal + tax_total == total", True),
        ("0.1 + 0.2 == 0.3", True),
        ("sum(lines.net_amount) == 100 and count(lines) == 2", True),
        ("prepaid is None or prepaid > 0", True),
        ("given(prepaid, 7) == 7", True),
        ("days(due_date, issue_date) == 30", True),
        ("currency in ['EUR', 'USD']", True),
        ("currency not in ['CHF']", True),
        ("first(seller.vat_id, 2) == 'DE'", True),
        ("all(lines.net_amount, total)", True),
        ("any(prepaid, rounding)", False),
        ("not total > 1", False),
        ("(1 if total > 1 else 2) == 1", True),
        ("holds(taxes.rate, -(-19))", True),
        ("rounded(currency, 1.005) == 1.01", True),
    ],
)
def test_an_expression_has_its_value(text: str, value: bool) -> None:
    assert _value(text) is value


def test_nothing_is_tolerated_of_what_came_as_data() -> None:
    run = compile_expression("tol(currency, 3)", FUNCTIONS).run
    values = values_of(reading(invoice()).fields)

    assert run(Scope(values, Knowledge(), TODAY)) == Decimal("0.03")
    assert run(Scope(values, Knowledge(), TODAY, exact=True)) == 0


@pytest.mark.parametrize("text", ["prepaid > 0", "total / 0 > 1", "sum(notes.text) > 1"])
def test_what_is_not_there_has_no_answer(text: str) -> None:
    with pytest.raises(Lacking):
        _value(text)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("__import__('os')", 1),
        ("total.real", 1),
        ("total ** 99", 1),
        ("(lambda: 1)()", 1),
        ("[total for total in lines]", 1),
        ("total + due_date > 1", 9),
        ("1 < total < 3", 1),
        ("total > 'a'", 9),
        ("sume(lines.net_amount) > 1", 1),
        ("total is 1", 10),
        ("total >", None),
        ("seller.vat > 1", 1),
        ("abs(total, 1) > 1", 1),
        ("f'{total}' == ''", 1),
        ("(" * 300 + "1" + ")" * 300, None),
        ("-" * 480 + "1", None),
        ("1" * 501, 500),
    ],
)
def test_what_is_not_allowed_is_refused_with_its_column(text: str, column: int | None) -> None:
    with pytest.raises(WrongExpression) as refused:
        compile_expression(text, FUNCTIONS)

    assert column is None or refused.value.column == column


@pytest.mark.parametrize(
    ("line", "wrong", "key", "says"),
    [
        (
            '      expr: "abs(subtotal + tax_total - total) <= tol(currency, 1)"',
            '      expr: "abs(subtotal + taxtotal - total) <= tol(currency, 1)"',
            "validation.rules[3].expr",
            "E4, column 16: no invoice has a field taxtotal",
        ),
        (
            "      touches: [subtotal, tax_total, total]",
            "      touches: [subtotal, net]",
            "validation.rules[3].touches",
            "no invoice has a field net",
        ),
        (
            "field: seller.vat_id, check: vat_id,",
            "field: seller.vat_id, check: vat,",
            ".check",
            "there is no check vat; write one of bic",
        ),
        ("enum: document_types", "enum: x", "fields.document.type", "there is no list x"),
        ('says: "Due on {due_date}', 'says: "Due on {due}', ".says", "{due}"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_told_with_its_line_and_key(
    line: str, wrong: str, key: str, says: str
) -> None:
    text = DEFAULT_FILE.read_text()
    assert line in text
    content = text.replace(line, wrong, 1)

    with pytest.raises(ConfigurationError) as refused:
        rule_book(loaded_from(content.encode(), "rules.yaml"))

    told = str(refused.value)
    number = content[: content.index(wrong)].count("\n") + 1
    assert told.startswith(f"rules.yaml, line {number}, ")
    assert key in told
    assert says in told
