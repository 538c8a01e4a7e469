"""Documents to hand in: the sample invoices, each made content of its own.

A comment after the end of a PDF changes its digest and nothing that is read, so a test has as
many different invoices as it wants and knows what stands in them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from secrets import token_hex

from deploy.local.state import REPOSITORY

SAMPLES = REPOSITORY / "deploy" / "samples"
INVOICE = SAMPLES / "en-larchfield-books.pdf"
INVOICE_NUMBER, TOTAL, CURRENCY = "LB-2024-0117", "335.28", "GBP"
ENCRYPTED = SAMPLES / "unreadable" / "encrypted.pdf"


@dataclass(frozen=True, slots=True)
class Batch:
    """Files that belong together; their names begin with the name of the batch."""

    name: str
    files: Mapping[str, bytes]


def invoice(sample: Path = INVOICE) -> bytes:
    """Content that nobody has handed in before."""
    return sample.read_bytes() + f"\n% {token_hex(16)}\n".encode()


def batch_of(count: int) -> Batch:
    name = token_hex(6)
    samples = islice(cycle(sorted(SAMPLES.glob("*.pdf"))), count)
    files = {f"{name}-{number}.pdf": invoice(one) for number, one in enumerate(samples)}
    return Batch(name, files)
