"""The e-invoice engine: what the issuer's own program states about its own invoice.

Exact and free. It reads bare UBL and CII, and the XML that a PDF carries; the page is left to
the other engines, whose reading is held against this one.
"""

from services.extractor.adapters.parser.einvoice_answers import heard_einvoices
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.domain.einvoice.carriers import may_hold_files
from services.extractor.domain.einvoice.findings import (
    ENGINE,
    READER_VERSION,
    reading_of,
    unreadable_findings,
)
from services.extractor.domain.reading import Reading, Scan
from services.extractor.ports import Progress

PDF = "application/pdf"
MEDIA_TYPES = frozenset({PDF, "application/xml", "text/xml"})


class EInvoiceEngine:
    name = ENGINE
    config = f"{ENGINE}/{READER_VERSION}"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def read(self, scan: Scan, progress: Progress) -> Reading | None:
        """Without any field where an e-invoice is there and cannot be read: its finding says
        so, and the page has to be read."""
        if scan.media_type not in MEDIA_TYPES:
            return None
        answer = await self._sandbox.ask("einvoice", scan)
        invoices, refused, page_count = heard_einvoices(answer)
        if not invoices and not refused:
            return None
        return reading_of(invoices, page_count, unreadable_findings(refused))


class WhereThereMayBeOne(EInvoiceEngine):
    """For a chain, whose next engine opens the document anyway and says what is wrong with it:
    no child is asked about a PDF that has nothing attached."""

    async def read(self, scan: Scan, progress: Progress) -> Reading | None:
        if scan.media_type == PDF and not may_hold_files(scan.content):
            return None
        return await super().read(scan, progress)
