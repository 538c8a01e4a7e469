"""Documents to hand in: the sample invoices, each made content of its own.

A comment after the end of a PDF changes its digest and nothing that is read, so a test has as
many different invoices as it wants and knows what stands in them.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import cycle, islice
from pathlib import Path
from random import choices
from secrets import randbelow, token_hex
from string import ascii_lowercase
from textwrap import wrap

import pypdfium2

from deploy.local.state import REPOSITORY
from deploy.samples.invoices import INVOICES
from deploy.samples.layouts import drawn
from deploy.samples.parts import Invoice

SAMPLES = REPOSITORY / "deploy" / "samples"
INVOICE = SAMPLES / "en-larchfield-books.pdf"
INVOICE_NUMBER, TOTAL, CURRENCY = "LB-2024-0117", "335.28", "GBP"
OTHER_INVOICE, OTHER_NUMBER = SAMPLES / "en-copperline-analytics.pdf", "INV-20871"
ENCRYPTED = SAMPLES / "unreadable" / "encrypted.pdf"


@dataclass(frozen=True, slots=True)
class Batch:
    """Files that belong together; their names begin with the name of the batch."""

    name: str
    files: Mapping[str, bytes]


def invoice(sample: Path = INVOICE) -> bytes:
    """Content that nobody has handed in before."""
    return sample.read_bytes() + f"\n% {token_hex(16)}\n".encode()


def telling(one: Invoice) -> Iterator[str]:
    """What stands in it and nowhere else, as it is printed and as it is read."""
    yield one.seller.name
    if one.seller.iban:
        yield one.seller.iban
        yield " ".join(wrap(one.seller.iban, 4))


def several(*samples: Path) -> bytes:
    """One file in which invoices follow each other, as a scanner makes it of a pile."""
    pile, sheet = pypdfium2.PdfDocument.new(), io.BytesIO()
    for sample in samples:
        pile.import_pages(pypdfium2.PdfDocument(sample))
    pile.save(sheet)
    return sheet.getvalue() + f"\n% {token_hex(16)}\n".encode()


def batch_of(count: int, name: str = "") -> Batch:
    name = name or token_hex(6)
    samples = islice(cycle(sorted(SAMPLES.glob("*.pdf"))), count)
    files = {f"{name}-{number}.pdf": invoice(one) for number, one in enumerate(samples)}
    return Batch(name, files)


RIGHT_VAT_ID, RIGHT_IBAN = "DE123456788", "DE91100000000123456789"


def unsure_invoice() -> bytes:
    """Its VAT id and its account have wrong check digits, and what is due is only computed:
    three values that somebody has to look at. Number and vendor are nobody else's, or what
    was learned of them before would speak too."""
    [plain] = [one for one in INVOICES if one.file == "de-nordwind-werkzeuge"]
    name = f"Nordwind {''.join(choices(ascii_lowercase, k=6)).title()} GmbH"
    wrong = {"tax_id": "DE123456789", "iban": "DE91100000000123456780"}
    seller = replace(plain.seller, name=name, **wrong)
    # So long that none is nearly another: they share an account, a day and a total.
    number = f"RE-2024-{randbelow(10**12):012}"
    file = BytesIO()
    drawn(replace(plain, number=number, seller=seller), file).save()
    return file.getvalue()
