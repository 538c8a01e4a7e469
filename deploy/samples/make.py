"""Makes the sample invoices: fictional issuers, three languages, layouts that differ.

Everything in them is invented here, so anybody may pass them on. The bytes are reproducible
(no time, no random id), so making them again shows a difference only when something changed.
`python -m deploy.samples.make`; two of them, in `unreadable/`, are expected to end as failed.
"""

from pathlib import Path

from reportlab.lib.pdfencrypt import StandardEncryption

from deploy.samples.invoices import INVOICES, Invoice
from deploy.samples.layouts import LAYOUTS

FOLDER = Path(__file__).parent
UNREADABLE = FOLDER / "unreadable"


def main() -> None:
    UNREADABLE.mkdir(exist_ok=True)
    for invoice in INVOICES:
        _draw(invoice, FOLDER / f"{invoice.file}.pdf")
        print(f"{invoice.file}.pdf")
    _encrypted(UNREADABLE / "encrypted.pdf")
    _truncated(UNREADABLE / "truncated.pdf")


def _draw(invoice: Invoice, path: Path, encryption: StandardEncryption | None = None) -> None:
    LAYOUTS[invoice.layout](invoice, path, encryption)


def _encrypted(path: Path) -> None:
    _draw(INVOICES[0], path, StandardEncryption("open sesame", ownerPassword="owner"))


def _truncated(path: Path) -> None:
    """The beginning of an upload that broke off: no pages, no cross-reference table."""
    whole = (FOLDER / f"{INVOICES[1].file}.pdf").read_bytes()
    path.write_bytes(whole[: len(whole) // 5])


if __name__ == "__main__":
    main()
