"""The country of a party, as far as its VAT id tells: few print it on what they send at home.

Worked out and said to be so. Without it nobody knows which rates are legal ones there, and an
invoice cannot leave in a form that has to name the country.
"""

import re
from collections.abc import Mapping

from services.extractor.domain.offline.identifiers import VAT_FORMS
from services.extractor.domain.reading import MISSING, Field

PARTIES = ("seller", "buyer")
COMPUTED = 0.7
# Where the letters in front are not those of the country.
_PREFIXES = {"EL": "GR", "XI": "GB", "CHE": "CH"}
_FORMS = {prefix: re.compile(prefix + f"(?:{form})") for prefix, form in VAT_FORMS.items()}


def countries(fields: Mapping[str, Field]) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for party in PARTIES:
        vat_id = fields.get(f"{party}.vat_id", MISSING)
        country = _country_of(vat_id.value or "")
        if country is not None:
            sure = min(COMPUTED, vat_id.confidence)
            found[f"{party}.address.country"] = Field(
                country, None, sure, "computed", vat_id.evidence
            )
    return found


def _country_of(vat_id: str) -> str | None:
    """None of a number as it is written at home."""
    known = (prefix for prefix, form in _FORMS.items() if form.fullmatch(vat_id))
    prefix = next(known, None)
    return None if prefix is None else _PREFIXES.get(prefix, prefix)
