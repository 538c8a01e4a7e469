"""Check digits of the numbers that invoices carry, as python-stdnum knows them.

Each answers None where nothing is known: a country without a public rule is no reason to doubt
a number. Which rule holds may depend on the country or the scheme beside the number.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from stdnum import bic, ean, get_cc_module, iban, iso7064, iso11649, luhn
from stdnum.au import abn
from stdnum.ch import esr, uid
from stdnum.exceptions import ValidationError
from stdnum.fr import siren, siret
from stdnum.no import orgnr

from shared.checks.book import DigitCheck, Hints

_SEPARATORS = re.compile(r"[\s./-]")
_GTIN_LENGTHS = (8, 12, 13, 14)
_QRR_DIGITS = 27
_SWISS_TAX = re.compile(r"(MWST|TVA|IVA)$")
_KID = re.compile(r"[0-9]{2,24}[0-9-]")
_MOD11_WEIGHTS = (2, 3, 4, 5, 6, 7)
# Of these prefixes the rest decides alone; the others are countries.
_VAT_COUNTRIES = {"EL": "GR", "XI": "GB"}


def _plain(text: str) -> str:
    return _SEPARATORS.sub("", text)


def is_iban(text: str, _: Hints) -> bool:
    return text.isascii() and bool(iban.is_valid(text))


def is_bic(text: str, _: Hints) -> bool:
    return text.isascii() and bool(bic.is_valid(text))


def is_gtin(text: str, _: Hints) -> bool:
    digits = _plain(text)
    return digits.isascii() and len(digits) in _GTIN_LENGTHS and bool(ean.is_valid(digits))


def is_vat_id(text: str, _: Hints) -> bool | None:
    """With its prefix, as it is used across borders."""
    plain = _plain(text)
    country = plain[:2].upper()
    if not (plain.isascii() and country.isalpha()):
        return None
    if country == "CH":
        # The tax's name follows in one of three languages, or is left out.
        return _valid(uid.validate, _SWISS_TAX.sub("", plain.upper()))
    module = _module(_VAT_COUNTRIES.get(country, country), "vat")
    return None if module is None else _valid(module, plain)


@lru_cache(maxsize=256)
def _module(country: str, kind: str) -> Callable[[str], object] | None:
    """Loaded when a country is first seen, because all of them take a second."""
    found = get_cc_module(country.lower(), kind) if country.isalpha() else None
    return None if found is None else found.validate


def _valid(validate: Callable[[str], object], text: str) -> bool:
    try:
        validate(text)
    except (ValidationError, ValueError):
        return False
    return True


def is_reference(text: str, hints: Hints) -> bool | None:
    """Of a payment. Most are free text; those with a check digit say so by their form."""
    plain = _plain(text)
    if re.fullmatch(r"RF[0-9]{2}[0-9A-Z]{1,21}", plain):
        return bool(iso11649.is_valid(plain))
    if hints.country in ("CH", "LI") and len(plain) == _QRR_DIGITS and plain.isascii():
        return plain.isdigit() and bool(esr.is_valid(plain))
    if hints.country == "NO" and _KID.fullmatch(plain):
        return _is_kid(plain)
    return None


def _is_kid(text: str) -> bool:
    """Issuers choose between the two, so either will do."""
    return bool(text.isdigit() and luhn.is_valid(text)) or text[-1] == _mod11(text[:-1])


def _mod11(digits: str) -> str:
    weighted = sum(
        int(one) * _MOD11_WEIGHTS[place % 6] for place, one in enumerate(reversed(digits))
    )
    rest = -weighted % 11
    return "-" if rest == 10 else str(rest)  # noqa: PLR2004 -- the eleventh remainder


_LEGAL: Mapping[str, Callable[[str], object]] = {
    "ABN": abn.validate,
    "0151": abn.validate,
    "SIREN": siren.validate,
    "0002": siren.validate,
    "SIRET": siret.validate,
    "0009": siret.validate,
    "0192": orgnr.validate,
}
_LEGAL_BY_COUNTRY: Mapping[str, str] = {"IN": "gstin", "NL": "kvk", "US": "ein"}


def is_legal_id(text: str, hints: Hints) -> bool | None:
    plain = _plain(text)
    if not plain.isascii():
        return None
    scheme = (hints.scheme or "").upper()
    if scheme in _LEGAL:
        return _valid(_LEGAL[scheme], plain)
    kind = _LEGAL_BY_COUNTRY.get(hints.country or "")
    if scheme and kind == scheme.lower() and (module := _module(hints.country or "", kind)):
        return _valid(module, plain)
    return None


def is_creditor_id(text: str, _: Hints) -> bool | None:
    """Of SEPA: the characters 5 to 7 are the creditor's own and are not counted."""
    plain = _plain(text)
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{3}[A-Z0-9]{1,28}", plain):
        return False
    return bool(iso7064.mod_97_10.is_valid(plain[7:] + plain[:4]))


CHECK_DIGITS: Mapping[str, DigitCheck] = {
    "iban": is_iban,
    "bic": is_bic,
    "gtin": is_gtin,
    "vat_id": is_vat_id,
    "reference": is_reference,
    "legal_id": is_legal_id,
    "creditor_id": is_creditor_id,
}
