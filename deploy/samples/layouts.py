"""Ways to lay out an invoice: a letter, a modern page, a ledger with a boxed head, two pages.

They differ in what makes reading hard: where the seller stands, whether a value is beside or
below its label, and how amounts, dates and sums are written.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from deploy.samples.parts import Invoice, Item, Party
from deploy.samples.wording import WORDING, amount, day

WIDTH, HEIGHT = A4
LEFT, RIGHT = 57.0, WIDTH - 57.0
Draw = Callable[[Invoice, Canvas], None]
# So many items fit below the head of the first of two pages.
FIRST_PAGE_ITEMS = 22


def drawn(
    invoice: Invoice, to: Path | BinaryIO, encryption: StandardEncryption | None = None
) -> Canvas:
    """Not saved yet, so that something can be added."""
    # `invariant`: no creation time and no random id, so the same input gives the same bytes.
    target = str(to) if isinstance(to, Path) else to
    page = Canvas(target, pagesize=A4, invariant=1, encrypt=encryption)
    page.setTitle(f"{invoice.seller.name} {invoice.number}")
    LAYOUTS[invoice.layout](invoice, page)
    return page


def letter(invoice: Invoice, page: Canvas) -> None:
    words = WORDING[invoice.language]
    seller = invoice.seller
    _text(page, LEFT, 775, seller.name, size=17, bold=True)
    _text(page, LEFT, 690, f"{seller.name} · {seller.street} · {seller.town}", size=7)
    _party(page, LEFT, 672, invoice.buyer)
    _text(page, LEFT, 575, f"{words['invoice']}", size=14, bold=True)
    _head(page, 350, 672, invoice)
    below = _items(page, 540, invoice)
    _sums(page, below - 12, invoice)
    _footer(page, invoice)


def modern(invoice: Invoice, page: Canvas) -> None:
    words = WORDING[invoice.language]
    page.setFillGray(0.15)
    _text(page, LEFT, 770, words["invoice"].upper(), size=22, bold=True)
    _party(page, 370, 785, invoice.seller, bold=True)
    _text(page, LEFT, 715, words["buyer"], size=8, bold=True)
    _party(page, LEFT, 701, invoice.buyer)
    # Labels in one row, their values below: the other half of all invoices.
    head = (
        (words["number"], invoice.number),
        (words["issued"], day(invoice.issued, invoice.language)),
        (words["due"], day(invoice.due, invoice.language)),
    )
    for column, (label, value) in enumerate(head):
        _text(page, LEFT + 165 * column, 625, label, size=8, bold=True)
        _text(page, LEFT + 165 * column, 612, value, size=10)
    below = _items(page, 570, invoice)
    _sums(page, below - 20, invoice)
    _footer(page, invoice)


def ledger(invoice: Invoice, page: Canvas) -> None:
    words = WORDING[invoice.language]
    page.rect(LEFT, 700, RIGHT - LEFT, 90)
    _party(page, LEFT + 10, 770, invoice.seller, bold=True)
    _text(page, 330, 770, f"{words['invoice']}", size=13, bold=True)
    _text(page, 330, 750, f"{words['number']} {invoice.number}")
    _text(page, 330, 735, f"{words['issued']} {day(invoice.issued, invoice.language)}")
    _text(page, 330, 720, f"{words['due']} {day(invoice.due, invoice.language)}")
    _text(page, LEFT, 670, f"{words['buyer']}:", bold=True)
    _party(page, LEFT, 655, invoice.buyer)
    below = _items(page, 590, invoice)
    page.line(LEFT, below, RIGHT, below)
    _sums(page, below - 16, invoice)
    _footer(page, invoice)


def two_pages(invoice: Invoice, page: Canvas) -> None:
    """The sums stand on the second page only, below the rest of the table."""
    words = WORDING[invoice.language]
    _party(page, LEFT, 785, invoice.seller, bold=True)
    _text(page, 350, 785, words["invoice"], size=16, bold=True)
    _head(page, 350, 755, invoice)
    _text(page, LEFT, 700, words["buyer"], size=8, bold=True)
    _party(page, LEFT, 686, invoice.buyer)
    _items(page, 600, invoice, invoice.items[:FIRST_PAGE_ITEMS])
    _page_number(page, 1, invoice)
    page.showPage()
    _text(page, LEFT, 785, f"{invoice.seller.name}, {words['number']} {invoice.number}")
    below = _items(page, 745, invoice, invoice.items[FIRST_PAGE_ITEMS:])
    _sums(page, below - 20, invoice)
    _page_number(page, 2, invoice)


LAYOUTS: Mapping[str, Draw] = {
    **{"letter": letter, "modern": modern, "ledger": ledger, "two pages": two_pages},
}


def _text(
    page: Canvas, x: float, y: float, text: str, *, size: float = 10, bold: bool = False
) -> None:
    page.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    page.drawString(x, y, text)


def _right(page: Canvas, x: float, y: float, text: str, *, bold: bool = False) -> None:
    page.setFont("Helvetica-Bold" if bold else "Helvetica", 10)
    page.drawRightString(x, y, text)


def _party(page: Canvas, x: float, y: float, party: Party, *, bold: bool = False) -> None:
    _text(page, x, y, party.name, bold=bold)
    _text(page, x, y - 14, party.street)
    _text(page, x, y - 28, party.town)


def _head(page: Canvas, x: float, y: float, invoice: Invoice) -> None:
    words = WORDING[invoice.language]
    head = (
        (words["number"], invoice.number),
        (words["issued"], day(invoice.issued, invoice.language)),
        (words["due"], day(invoice.due, invoice.language)),
    )
    for row, (label, value) in enumerate(head):
        _text(page, x, y - 15 * row, f"{label}:")
        _text(page, x + 110, y - 15 * row, value)


def _items(page: Canvas, y: float, invoice: Invoice, some: Sequence[Item] = ()) -> float:
    """Draws the table of some items, or of all; returns where it ends."""
    items = some or invoice.items
    words = WORDING[invoice.language]
    _text(page, LEFT, y, words["description"], size=9, bold=True)
    for x, name in ((350, "quantity"), (430, "price"), (RIGHT, "amount")):
        _right(page, x, y, words[name], bold=True)
    page.line(LEFT, y - 5, RIGHT, y - 5)
    for row, item in enumerate(items, 1):
        _item(page, y - 18 * row - 2, item, invoice.language)
    return y - 18 * len(items) - 12


def _item(page: Canvas, y: float, item: Item, language: str) -> None:
    _text(page, LEFT, y, item.text)
    _right(page, 350, y, str(item.quantity))
    _right(page, 430, y, amount(item.price, language))
    _right(page, RIGHT, y, amount(item.amount, language))


def _sums(page: Canvas, y: float, invoice: Invoice) -> None:
    words, language = WORDING[invoice.language], invoice.language
    percent = amount(invoice.tax_percent, language) if _broken(invoice.tax_percent) else None
    rate = percent or f"{invoice.tax_percent:f}"
    rows = (
        (words["subtotal"], invoice.subtotal),
        (f"{words['tax']} {rate} %", invoice.tax),
        (words["total"], invoice.total),
    )
    for row, (label, value) in enumerate(rows):
        last = row == len(rows) - 1
        _text(page, 330, y - 16 * row, label, bold=last)
        money = f"{amount(value, language)} {invoice.currency}"
        _right(page, RIGHT, y - 16 * row, money, bold=last)


def _broken(percent: Decimal) -> bool:
    return percent != percent.to_integral_value()


def _footer(page: Canvas, invoice: Invoice) -> None:
    words, seller = WORDING[invoice.language], invoice.seller
    page.line(LEFT, 92, RIGHT, 92)
    _text(page, LEFT, 78, f"{seller.name}, {seller.street}, {seller.town}", size=8)
    about = f"{words['tax_id']} {seller.tax_id}   {seller.website}"
    _text(page, LEFT, 66, about, size=8)
    if seller.iban:
        _text(page, LEFT, 54, f"IBAN {_in_fours(seller.iban)}", size=8)


def _page_number(page: Canvas, number: int, invoice: Invoice) -> None:
    _footer(page, invoice)
    _text(page, RIGHT - 30, 54, f"{number} / 2", size=8)


def _in_fours(iban: str) -> str:
    return " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))
