"""Numbers that carry their own proof: an IBAN, a VAT id, a payment reference, a GTIN."""

from collections.abc import Iterator, Sequence

from shared.checks.assessment import Outcome
from shared.checks.book import DigitRule, Hints
from shared.checks.sentences import shown
from shared.checks.singles import concrete
from shared.checks.values import Values

# Nothing that carries a check digit is longer.
CHARS_MAX = 64


def digit_outcomes(values: Values, rules: Sequence[DigitRule]) -> Iterator[Outcome]:
    for rule in rules:
        for path, value in concrete(rule.target, values):
            text = str(value)
            valid = rule.check(text, hints(path, values)) if len(text) <= CHARS_MAX else False
            if valid is None:
                continue
            if valid:
                yield Outcome(rule.id, True, rule.severity, (path,), reward=rule.reward)
            else:
                detail = f"{path} is {shown(value)}: {rule.says}"
                yield Outcome(rule.id, False, rule.severity, (path,), detail, cap=rule.cap)


def hints(path: str, values: Values) -> Hints:
    """The country of the party it belongs to; of a payment, where the money goes."""
    party = path.partition(".")[0]
    if party in ("payment", "lines"):
        party = "seller"
    country = values.get(f"{party}.address.country")
    if country is None and (vat_id := values.get(f"{party}.vat_id")) is not None:
        country = str(vat_id)[:2]
    scheme = values.get(f"{party}.legal_id_scheme")
    return Hints(
        None if country is None else str(country), None if scheme is None else str(scheme)
    )
