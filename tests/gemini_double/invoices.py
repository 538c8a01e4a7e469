"""What the double's model makes of a document: simple rules over a PDF's own text.

Good enough for plain invoices in English, German and French, so that a demonstration without
a provider shows true values; and on purpose nothing of the offline engine, or two readers that
agree would be one reader asked twice. A document without text has an answer made of its hash.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pypdfium2

Fields = list[dict[str, Any]]

_NUMBER = r"\d{1,3}(?:[ .,'\u00a0\u202f]\d{3})*[.,]\d{2}|\d+[.,]\d{2}"
_DATE = r"\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}"
_MONTHS = "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec"
_LABELS = (
    ("invoice_number", r"(?:Invoice no\.|Rechnungsnummer|Facture n°)", r"[\w/.-]+"),
    ("issue_date", r"(?:Invoice date|Rechnungsdatum|Date de facture)", _DATE),
    ("due_date", r"(?:Due date|Fällig am|Date d.échéance)", _DATE),
    ("subtotal", r"(?:Subtotal|Nettobetrag|Total HT)", _NUMBER),
    ("tax_total", r"(?:VAT|MwSt\.|TVA) [\d.,]+ ?%", _NUMBER),
    ("total", r"(?:Total due|Gesamtbetrag|Total TTC)", _NUMBER),
    ("seller.vat_id", r"(?:VAT ID|USt-IdNr\.|N° TVA)", r"[A-Z0-9][\w.-]{6,}"),
    ("payment.accounts.0.iban", r"IBAN", r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4})+"),
)
_BUYER = re.compile(r"(?:Bill to|Rechnungsempfänger|Facturé à):?")
_ITEM = re.compile(rf"(?P<text>.+?) (?P<count>\d+) (?P<price>{_NUMBER}) (?P<net>{_NUMBER})")
_FOOTER = re.compile(r"(?P<name>[^,]{3,60}), .+, .+")


def read(content: bytes, media_types: Sequence[str], sha256: str) -> dict[str, Any]:
    texts = _texts(content) if media_types[:1] == ("application/pdf",) else []
    if not any(texts):
        return made_up(sha256)
    lines = [line.strip() for line in "\n".join(texts).splitlines() if line.strip()]
    fields = [*_labelled("\n".join(lines)), *_named(lines)]
    return {"invoices": "1", "fields": fields, "lines": list(_items(lines)), "instructions": []}


def made_up(sha256: str) -> dict[str, Any]:
    """The same for the same bytes, and it adds up."""
    net = int(sha256[:4], 16) + 100
    tax = net * 20 // 100
    values = {
        "document.type": "invoice",
        "invoice_number": f"D-{sha256[:8].upper()}",
        "issue_date": f"2024-{int(sha256[8], 16) % 12 + 1:02d}-15",
        "currency": "EUR",
        "seller.name": f"Double {sha256[9:13]} Ltd",
        "subtotal": f"{net}.00",
        "tax_total": f"{tax}.00",
        "total": f"{net + tax}.00",
    }
    fields = [_field(path, value, value) for path, value in values.items()]
    return {"invoices": "1", "fields": fields, "lines": [], "instructions": []}


def _texts(content: bytes) -> list[str]:
    try:
        document = pypdfium2.PdfDocument(content)
        return [page.get_textpage().get_text_range() for page in document]
    except pypdfium2.PdfiumError:
        return []


def _labelled(text: str) -> Iterator[dict[str, Any]]:
    yield _field("document.type", "", "invoice")
    for path, label, value in _LABELS:
        match = re.search(rf"{label}:?\s+(?P<value>{value})", text)
        if match:
            yield _field(path, match["value"], _canonical(path, match["value"]))
    rate = re.search(r"(?:VAT|MwSt\.|TVA) (?P<rate>[\d.,]+) ?%", text)
    if rate:
        yield _field("taxes.0.rate", rate["rate"], rate["rate"].replace(",", "."))
    code = re.search(r"\b(EUR|USD|CHF|GBP)\b", text)
    if code:
        yield _field("currency", code[0], code[0])


def _named(lines: Sequence[str]) -> Iterator[dict[str, Any]]:
    footer = next((found for one in reversed(lines) if (found := _FOOTER.fullmatch(one))), None)
    if footer:
        yield _field("seller.name", footer["name"], footer["name"])
    for before, line in pairwise(lines):
        if _BUYER.fullmatch(before) or " · " in before:
            yield _field("buyer.name", line, line)
            return


def _items(lines: Sequence[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if match := _ITEM.fullmatch(line):
            yield {
                "page": "1",
                "quote": line,
                "description": match["text"],
                "quantity": match["count"],
                "unit_price": _plain(match["price"]),
                "net_amount": _plain(match["net"]),
            }


def _field(path: str, quote: str, value: str) -> dict[str, Any]:
    return {"path": path, "page": "1", "quote": quote, "value": value, "certainty": "high"}


def _canonical(path: str, text: str) -> str:
    if path.endswith("_date"):
        return _iso(text)
    if path in ("subtotal", "tax_total", "total"):
        return _plain(text)
    return text.replace(" ", "") if path.endswith("iban") else text


def _plain(text: str) -> str:
    digits = re.sub(r"\D", "", text)
    return f"{int(digits[:-2])}.{digits[-2:]}"


def _iso(text: str) -> str:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return text
    day, month, year = re.split(r"[./ ]", text)
    number = month if month.isdigit() else str(_MONTHS.index(month[:3].lower()) // 4 + 1)
    return f"{year}-{number:0>2}-{day:0>2}"
