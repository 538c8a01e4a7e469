"""Which formats we read, told from the bytes alone.

Neither a file's name nor a declared content type is believed: a page renamed to `.pdf` would
otherwise reach a parser, or a person's browser, as something else than it is.
"""

from collections.abc import AsyncIterator
from contextlib import suppress
from xml.parsers import expat

from services.ingest.domain.archives import is_archive
from shared.errors import Rejected

HEAD_BYTES = 16 * 1024

PDF = "application/pdf"
XML = "application/xml"

_BLANK = b" \t\r\n\x0c\x00"
_UTF8_MARK = b"\xef\xbb\xbf"
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
)
# Sizes of the header that follows a BMP's file header: two letters alone prove nothing.
_BMP_HEADERS = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
_XML_STARTS = (b"<", b"\xfe\xff\x00<", b"\xff\xfe<\x00")
_INVOICE_ROOTS = frozenset(
    {
        "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2 Invoice",
        "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2 CreditNote",
        "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 CrossIndustryInvoice",
        "urn:ferd:CrossIndustryDocument:invoice:1p0 CrossIndustryDocument",
    }
)


class Sniffer:
    """Passes a stream on and looks at its head, so that nothing is read twice."""

    def __init__(self) -> None:
        self._head = bytearray()
        self.media_type = ""

    async def watch(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Raises Rejected in the middle of the stream, before much of it was stored."""
        async for chunk in chunks:
            if not self.media_type:
                self._head += chunk[: HEAD_BYTES - len(self._head)]
                if len(self._head) >= HEAD_BYTES:
                    self.media_type = media_type_of(bytes(self._head))
            yield chunk
        if not self.media_type:
            self.media_type = media_type_of(bytes(self._head))


def media_type_of(head: bytes) -> str:
    """From the first `HEAD_BYTES` of a document, or all of it. Raises Rejected."""
    if not head:
        raise Rejected("empty", "The document has no bytes.")
    found = _of_magic(head) or (XML if _is_invoice_xml(head) else None)
    if found is None and is_archive(head):
        raise Rejected("unsupported_type", "A ZIP of documents is taken at /v1/batches.")
    if found is None:
        raise Rejected(
            "unsupported_type",
            "PDF, PNG, JPEG, WebP, GIF, TIFF, BMP and e-invoice XML (UBL, CII) are read.",
        )
    return found


def _of_magic(head: bytes) -> str | None:
    # Junk before a PDF's header is common for old scanners; markup before it is an attempt to
    # be two things at once.
    if head[:1024].removeprefix(_UTF8_MARK).lstrip(_BLANK).startswith(b"%PDF-"):
        return PDF
    for magic, media_type in _MAGIC:
        if head.startswith(magic):
            return media_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in _BMP_HEADERS:
        return "image/bmp"
    return None


class _RootSeen(Exception):
    """Enough was read: the parser is stopped at the first element."""


def _is_invoice_xml(head: bytes) -> bool:
    if not head.removeprefix(_UTF8_MARK).lstrip(_BLANK).startswith(_XML_STARTS):
        return False
    root = ""

    def on_element(name: str, _attributes: dict[str, str]) -> None:
        nonlocal root
        root = name
        raise _RootSeen

    def on_doctype(*_parts: object) -> None:
        # No e-invoice has one, and it is where entity bombs live.
        raise _RootSeen

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = on_element
    parser.StartDoctypeDeclHandler = on_doctype
    # An encoding that is unknown, or of several bytes a letter, is no error of its own kind.
    with suppress(_RootSeen, expat.ExpatError, LookupError, ValueError):
        parser.Parse(head, False)
    return root in _INVOICE_ROOTS
