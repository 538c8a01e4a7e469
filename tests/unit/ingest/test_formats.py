"""What is told from bytes alone, whatever a file calls itself."""

from collections.abc import AsyncIterator

import pytest

from services.ingest.domain.formats import HEAD_BYTES, Sniffer, media_type_of
from shared.errors import Rejected

UBL = 'xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"'
CREDIT = 'xmlns:c="urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"'
CII = 'xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"'
INVOICE_XML = f'<?xml version="1.0"?><!-- one --><Invoice {UBL}><ID>1</ID>'

READ = {
    "a PDF": (b"%PDF-1.7\n...", "application/pdf"),
    "a PDF behind a byte order mark": (b"\xef\xbb\xbf%PDF-1.4", "application/pdf"),
    "a PDF behind blank lines": (b"\r\n\r\n%PDF-1.4", "application/pdf"),
    "a PNG": (b"\x89PNG\r\n\x1a\n\x00\x00", "image/png"),
    "a JPEG": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"),
    "a GIF": (b"GIF89a\x01\x00", "image/gif"),
    "a little-endian TIFF": (b"II*\x00\x08\x00", "image/tiff"),
    "a big-endian TIFF": (b"MM\x00*\x00\x00", "image/tiff"),
    "a BigTIFF": (b"II+\x00\x08\x00", "image/tiff"),
    "a WebP": (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "image/webp"),
    "a BMP": (b"BM" + bytes(12) + (40).to_bytes(4, "little"), "image/bmp"),
    "a UBL invoice": (INVOICE_XML.encode(), "application/xml"),
    "a UBL invoice in UTF-16": (INVOICE_XML.encode("utf-16"), "application/xml"),
    "a UBL credit note": (f"<c:CreditNote {CREDIT}>".encode(), "application/xml"),
    "a CII invoice": (f"<rsm:CrossIndustryInvoice {CII}>".encode(), "application/xml"),
}
REFUSED = {
    "a page of HTML": b"<!DOCTYPE html><html><script>alert(1)</script>",
    "a page that goes on as a PDF": b"<html><body>\n%PDF-1.7\n",
    "an SVG": b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
    "XML of another kind": b"<?xml version='1.0'?><order/>",
    "an invoice with a document type": b"<!DOCTYPE Invoice [<!ENTITY a 'b'>]>"
    + INVOICE_XML.encode(),
    "the root's name in another namespace": b"<Invoice xmlns='urn:mine'>",
    "a ZIP": b"PK\x03\x04",
    "a program": b"MZ\x90\x00",
    "two letters of a BMP": b"BM is how this letter begins, dear reader",
    "RIFF of another kind": b"RIFF\x24\x00\x00\x00WAVEfmt ",
    "plain text": b"Invoice 4711, total 119.00 EUR",
    "broken XML": b"<Invoice xmlns=",
    "an SVG that calls itself XML": b'<?xml version="1.0"?><svg onload="alert(1)"/>',
    "an SVG in an invoice's namespace": f"<svg {UBL}><script/></svg>".encode(),
    "an SVG around an invoice": b"<svg><foreignObject>" + INVOICE_XML.encode()[21:],
    "an SVG that is packed": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    "XHTML": b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
    "a stylesheet": b'<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>',
    "HTML in UTF-16": "<html><script>alert(1)</script>".encode("utf-16"),
    "HTML behind a byte order mark": b"\xef\xbb\xbf<html><body onload=alert(1)>",
    "a page whose comment is a PDF": b"<!-- %PDF-1.7 --><script>alert(1)</script>",
    "a saved web page": b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<html>",
    "a letter with a PDF in it": b"From: a@example.com\r\n\r\n%PDF-1.7\n",
    "a script that goes on as a PDF": b"alert(1)//\n%PDF-1.7\n",
    "commands that go on as a PDF": b"#!/bin/sh\n# %PDF-1.7\n",
    "a PDF behind a kilobyte": b" " * 1024 + b"%PDF-1.7\n",
    "PostScript": b"%!PS-Adobe-3.0\n%PDF-1.7\n",
    "the answers to a PDF's form": b"%FDF-1.2\n",
    "an office document of before": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "rich text": b"{\\rtf1\\ansi",
    "a program of Linux": b"\x7fELF\x02\x01\x01",
    "a program for browsers": b"\0asm\x01\0\0\0",
    "a Java class": b"\xca\xfe\xba\xbe\0\0\0\x34",
    "a pickle": b"\x80\x04\x95\x10\0\0\0\0\0\0\0",
    "a picture of a telephone": b"\0\0\0\x18ftypheic\0\0\0\0",
    "an icon": b"\0\0\x01\0\x01\0\x10\x10",
    "a JPEG 2000": b"\0\0\0\x0cjP  \r\n\x87\n",
    "JBIG2": b"\x97JB2\r\n\x1a\n",
    "a PNG whose lines were ended anew": b"\x89PNG\n\x1a\n\x00\x00",
    "a GIF of no version": b"GIF00a\x01\0",
    "7z": b"7z\xbc\xaf\x27\x1c",
    **{
        f"XML in {encoding}": f'<?xml version="1.0" encoding="{encoding}"?>'.encode()
        + INVOICE_XML.partition("?>")[2].encode()
        for encoding in ("nobody-knows", "shift_jis", "gb2312", "utf-7", "idna", "hex")
    },
}


@pytest.mark.parametrize(("head", "media_type"), READ.values(), ids=READ.keys())
def test_a_format_we_read_is_known_by_its_bytes(head: bytes, media_type: str) -> None:
    assert media_type_of(head) == media_type


@pytest.mark.parametrize("head", REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_refused(head: bytes) -> None:
    with pytest.raises(Rejected, match="unsupported_type"):
        media_type_of(head)


def test_of_what_is_another_kind_than_it_says_there_are_enough() -> None:
    assert len(REFUSED) >= 30


def test_no_bytes_are_no_document() -> None:
    with pytest.raises(Rejected, match="empty"):
        media_type_of(b"")


@pytest.mark.parametrize("piece_bytes", [1, 7, 4096, 10 * HEAD_BYTES])
async def test_a_stream_passes_unchanged_while_its_head_is_looked_at(piece_bytes: int) -> None:
    document = b"%PDF-1.7\n" + bytes(3 * HEAD_BYTES)
    sniffer = Sniffer()

    passed = [piece async for piece in sniffer.watch(_pieces(document, piece_bytes))]

    assert b"".join(passed) == document
    assert sniffer.media_type == "application/pdf"


async def test_a_long_stream_is_refused_before_it_has_passed() -> None:
    passed = 0

    with pytest.raises(Rejected, match="unsupported_type"):
        async for piece in Sniffer().watch(_pieces(b"z" * 100 * HEAD_BYTES, 1024)):
            passed += len(piece)

    assert passed < HEAD_BYTES


async def _pieces(document: bytes, size: int) -> AsyncIterator[bytes]:
    for at in range(0, len(document), size):
        yield document[at : at + size]
