"""The country of a party where its address names none: few print it on what they send at home.

Worked out and said to be so. Without it nobody knows which rates are legal ones there, and an
invoice cannot leave in a form that has to name the country.
"""

import re
from collections.abc import Mapping

from services.extractor.domain.offline.identifiers import VAT_FORMS
from services.extractor.domain.reading import MISSING, Field

PARTIES = ("seller", "buyer")
COMPUTED, BY_ACCOUNT, AT_HOME = 0.7, 0.5, 0.5
# A state, a permanent account number and check characters: no other country writes it so.
_INDIAN = re.compile(r"\d{2}[A-Z]{5}\d{4}[A-Z][A-Z0-9]Z[A-Z0-9]")
# Where the letters in front are not those of the country.
_PREFIXES = {"EL": "GR", "XI": "GB", "CHE": "CH"}
_FORMS = {prefix: re.compile(prefix + f"(?:{form})") for prefix, form in VAT_FORMS.items()}


def countries(fields: Mapping[str, Field]) -> dict[str, Field]:
    """Those that no address told. Who sends an invoice home leaves the country out."""
    found: dict[str, Field] = {}
    for party in PARTIES:
        path = f"{party}.address.country"
        if path not in fields:
            told = _by_number(fields, party)
            if told is None and party == "buyer":
                told = _at_home(fields, {**fields, **found})
            found.update({path: told} if told else {})
    return found


def _by_number(fields: Mapping[str, Field], party: str) -> Field | None:
    """Of the VAT id; a sender is mostly at home where its account is."""
    vat_id = fields.get(f"{party}.vat_id", MISSING)
    country = _country_of(vat_id.value or "")
    if country is not None:
        sure = min(COMPUTED, vat_id.confidence)
        return Field(country, None, sure, "computed", vat_id.evidence)
    iban = fields.get("payment.accounts.0.iban", MISSING)
    if party == "seller" and iban.value:
        return Field(iban.value[:2], None, BY_ACCOUNT, "computed", iban.evidence)
    return None


def _at_home(read: Mapping[str, Field], known: Mapping[str, Field]) -> Field | None:
    """Of an address without a country, whose post code is written as the sender's is."""
    codes = [read.get(f"{party}.address.post_code", MISSING) for party in PARTIES]
    shapes = {re.sub(r"\d", "9", re.sub(r"[A-Za-z]", "A", one.value or "?")) for one in codes}
    country = known.get("seller.address.country", MISSING)
    if len(shapes) > 1 or country.value is None:
        return None
    sure = min(AT_HOME, country.confidence)
    return Field(country.value, None, sure, "computed", codes[1].evidence)


def _country_of(vat_id: str) -> str | None:
    """None of a number as it is written at home."""
    if _INDIAN.fullmatch(vat_id):
        return "IN"
    known = (prefix for prefix, form in _FORMS.items() if form.fullmatch(vat_id))
    prefix = next(known, None)
    return None if prefix is None else _PREFIXES.get(prefix, prefix)
