"""What an invoice states, with some of it changed: for whoever makes UBL of it."""

from collections.abc import Mapping

from tests.unit.extractor.einvoices import STATED

Values = dict[str, str | None]
NAME, COUNTRY = "tax_representative__name", "tax_representative__address__country"
VAT_ID = "tax_representative__vat_id"
ACTING: Mapping[str, str | None] = {NAME: "Fiskal OG", COUNTRY: "AT", VAT_ID: "ATU12345678"}
# A category without tax, and what it needs beyond the ordinary.
FREE: Mapping[str, Values] = {
    "Z": {},
    "E": {"taxes.0.exemption_reason": "Small business"},
    "AE": {"buyer.vat_id": "ATU12345678"},
    "G": {},
    "K": {
        "buyer.vat_id": "ATU12345678",
        "delivery_date": "2024-02-28",
        "ship_to.address.country": "AT",
    },
}


def but(**changes: str | None) -> Values:
    return {**STATED, **{path.replace("__", "."): one for path, one in changes.items()}}


def free(category: str, **more: str | None) -> Values:
    values: Values = {
        **STATED,
        "taxes.0.category": category,
        "taxes.0.rate": "0",
        "taxes.0.amount": "0.00",
        "allowances.0.tax_rate": "0",
        "lines.0.tax_category": category,
        "lines.0.tax_rate": "0",
        "tax_total": "0.00",
        "total": "100.00",
        "amount_due": "81.00",
        **FREE[category],
    }
    return values | {path.replace("__", "."): one for path, one in more.items()}
