"""How an invoice says things in English, German and French: words, amounts and dates."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

WORDING: Mapping[str, Mapping[str, str]] = {
    "en": {
        "invoice": "Invoice",
        "number": "Invoice no.",
        "issued": "Invoice date",
        "due": "Due date",
        "buyer": "Bill to",
        "description": "Description",
        "quantity": "Qty",
        "price": "Unit price",
        "amount": "Amount",
        "subtotal": "Subtotal",
        "tax": "VAT",
        "total": "Total due",
        "tax_id": "VAT ID",
    },
    "de": {
        "invoice": "Rechnung",
        "number": "Rechnungsnummer",
        "issued": "Rechnungsdatum",
        "due": "Fällig am",
        "buyer": "Rechnungsempfänger",
        "description": "Bezeichnung",
        "quantity": "Menge",
        "price": "Einzelpreis",
        "amount": "Betrag",
        "subtotal": "Nettobetrag",
        "tax": "MwSt.",
        "total": "Gesamtbetrag",
        "tax_id": "USt-IdNr.",
    },
    "fr": {
        "invoice": "Facture",
        "number": "Facture n°",
        "issued": "Date de facture",
        "due": "Date d'échéance",
        "buyer": "Facturé à",
        "description": "Désignation",
        "quantity": "Qté",
        "price": "Prix unitaire",
        "amount": "Montant",
        "subtotal": "Total HT",
        "tax": "TVA",
        "total": "Total TTC",
        "tax_id": "N° TVA",
    },
}
_MONTHS_EN = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# Thousands and decimals.
_SEPARATORS = {"en": (",", "."), "de": (".", ","), "fr": (" ", ",")}


def amount(value: Decimal, language: str) -> str:
    thousands, point = _SEPARATORS[language]
    whole, _, cents = f"{value:,.2f}".partition(".")
    return f"{whole.replace(',', thousands)}{point}{cents}"


def day(value: date, language: str) -> str:
    match language:
        case "de":
            return f"{value:%d.%m.%Y}"
        case "fr":
            return f"{value:%d/%m/%Y}"
        case _:
            return f"{value.day} {_MONTHS_EN[value.month - 1]} {value.year}"
