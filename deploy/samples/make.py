"""Makes the sample invoices: fictional issuers, six languages, every form they come in.

Everything in them is invented here, so anybody may pass them on. The bytes are reproducible
(no time, no random id), so making them again shows a difference only when something changed.
`python -m deploy.samples.make`; two of them, in `unreadable/`, are expected to end as failed.
"""

from pathlib import Path

from reportlab.lib.pdfencrypt import StandardEncryption

from deploy.samples.electronic import FACTUR_X, XRECHNUNG, attach, cii, ubl
from deploy.samples.invoices import INVOICES
from deploy.samples.layouts import drawn
from deploy.samples.paper import FAXED, SCANNED, fax, scan

FOLDER = Path(__file__).parent


def main(folder: Path = FOLDER) -> None:
    for invoice in INVOICES:
        drawn(invoice, folder / f"{invoice.file}.pdf").save()
    page = drawn(FACTUR_X, folder / f"{FACTUR_X.file}.pdf")
    attach(page, cii(FACTUR_X))
    page.save()
    (folder / f"{XRECHNUNG.file}.xml").write_text(ubl(XRECHNUNG), encoding="utf-8")
    scan(SCANNED, folder / f"{SCANNED.file}.jpg")
    fax(FAXED, folder / f"{FAXED.file}.tif")
    unreadable = folder / "unreadable"
    unreadable.mkdir(exist_ok=True)
    _encrypted(unreadable / "encrypted.pdf")
    _truncated(unreadable / "truncated.pdf", folder / f"{INVOICES[1].file}.pdf")


def _encrypted(path: Path) -> None:
    lock = StandardEncryption("open sesame", ownerPassword="owner")
    drawn(INVOICES[0], path, lock).save()


def _truncated(path: Path, whole: Path) -> None:
    """The beginning of an upload that broke off: no pages, no cross-reference table."""
    content = whole.read_bytes()
    path.write_bytes(content[: len(content) // 5])


if __name__ == "__main__":
    main()
