"""The process that takes the lock off a PDF. It has nothing to lose and nothing to steal.

It is given the password and the document, says what it found, and beside OPENED sends the
document as it is without its lock. Opening the same document twice gives the same bytes, or no
repeated upload would be recognised.
"""

import io
import sys
from hashlib import sha256

from services.ingest.adapters.pdf_identity import identified
from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served, serve

OPENED, NOT_LOCKED, WRONG_PASSWORD = "opened", "not_locked", "wrong_password"


def handle(asked: Frame) -> Served:
    password, document = asked.parts
    found, opened = _unlock(document, password.decode())
    return Served({"found": found}, (opened,))


def _unlock(document: bytes, password: str) -> tuple[str, bytes]:
    # Loaded in chains: the library that is most likely to be attacked.
    from pypdfium2 import PdfDocument, PdfiumError, raw  # noqa: PLC0415

    try:
        found = PdfDocument(document, password=password)
        revision = raw.FPDF_GetSecurityHandlerRevision(found)
    except PdfiumError as error:
        if error.err_code != raw.FPDF_ERR_PASSWORD:
            # Not ours to judge: whatever reads it will say what is wrong with it.
            return NOT_LOCKED, b""
        return (NOT_LOCKED if _opens_without(document) else WRONG_PASSWORD), b""
    if revision < 0:
        return NOT_LOCKED, b""
    copy = io.BytesIO()
    found.save(copy, flags=raw.FPDF_REMOVE_SECURITY | raw.FPDF_NO_INCREMENTAL)
    return OPENED, identified(copy.getvalue(), sha256(document).hexdigest())


def _opens_without(document: bytes) -> bool:
    """Some lock only what may be done with it, and let everybody read."""
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415

    try:
        PdfDocument(document)
    except PdfiumError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(serve(handle, sys.argv[1:]))
