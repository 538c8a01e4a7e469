"""How an invoice says things in each of the six languages: words, amounts and dates."""

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
    "es": {
        "invoice": "Factura",
        "number": "Número de factura",
        "issued": "Fecha de factura",
        "due": "Fecha de vencimiento",
        "buyer": "Facturar a",
        "description": "Descripción",
        "quantity": "Cantidad",
        "price": "Precio unitario",
        "amount": "Importe",
        "subtotal": "Base imponible",
        "tax": "IVA",
        "total": "Total a pagar",
        "tax_id": "NIF-IVA",
    },
    "it": {
        "invoice": "Fattura",
        "number": "Numero fattura",
        "issued": "Data fattura",
        "due": "Data di scadenza",
        "buyer": "Cliente",
        "description": "Descrizione",
        "quantity": "Quantità",
        "price": "Prezzo unitario",
        "amount": "Importo",
        "subtotal": "Imponibile",
        "tax": "IVA",
        "total": "Totale fattura",
        "tax_id": "Partita IVA",
    },
    "nl": {
        "invoice": "Factuur",
        "number": "Factuurnummer",
        "issued": "Factuurdatum",
        "due": "Vervaldatum",
        "buyer": "Factuur aan",
        "description": "Omschrijving",
        "quantity": "Aantal",
        "price": "Stukprijs",
        "amount": "Bedrag",
        "subtotal": "Subtotaal",
        "tax": "BTW",
        "total": "Totaal te betalen",
        "tax_id": "BTW-nummer",
    },
}
_MONTHS_EN = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# Thousands and decimals.
_SEPARATORS = {"en": (",", "."), "fr": (" ", ",")}
_COMMA = (".", ",")


def amount(value: Decimal, language: str) -> str:
    thousands, point = _SEPARATORS.get(language, _COMMA)
    whole, _, cents = f"{value:,.2f}".partition(".")
    return f"{whole.replace(',', thousands)}{point}{cents}"


def day(value: date, language: str) -> str:
    match language:
        case "de":
            return f"{value:%d.%m.%Y}"
        case "fr" | "es" | "it":
            return f"{value:%d/%m/%Y}"
        case "nl":
            return f"{value:%d-%m-%Y}"
        case _:
            return f"{value.day} {_MONTHS_EN[value.month - 1]} {value.year}"
