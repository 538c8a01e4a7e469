"""The e-invoices that a PDF carries, wherever it hangs them and whatever it calls them.

File names and extensions lie (`xrechnung.xml`, `ZUGFeRD-invoice`, `data.bin`): every embedded
file is looked at, by name tree, associated files and notes on pages, and the root of its XML
says what it is. Only an invoice is unpacked further than its beginning.
"""

from collections.abc import Iterator
from itertools import islice

import pypdfium2
from pypdfium2 import raw

from services.extractor.adapters.parser.pdf_objects import (
    Damaged,
    Dictionary,
    Name,
    Objects,
    Stream,
    Thing,
    nodes_of,
    objects_of,
)
from services.extractor.adapters.parser.streams import UnknownFilter, read_up_to, unpacked
from services.extractor.domain.einvoice.carriers import may_hold_files
from services.extractor.domain.einvoice.documents import EInvoice, is_invoice, read_xml
from services.extractor.domain.einvoice.trees import XmlRefused, root_of
from shared.pages.outcomes import Unreadable

HEAD_BYTES = 16 * 1024
# Larger than any invoice, even with pictures inside it.
ATTACHMENT_BYTES_MAX = 32 * 1024 * 1024
FILES_MAX = 200
# Longer documents are not read either, and few hang their invoice on a page at all.
PAGES_MAX = 500
# More of them differ from each other already.
INVOICES_MAX = 5
LOCKED = "It opens with a password only: hand it in again together with that password."

Refused = tuple[str, str]


def einvoices_in(content: bytes) -> tuple[list[EInvoice], list[Refused], int]:
    """Those that were read, why others were not, and how many pages there are."""
    document = _opened(content)
    try:
        page_count = len(document)
        if not may_hold_files(content):
            return [], [], page_count
        invoices, refused = _read_all(document, len(content))
        return invoices, refused, page_count
    finally:
        document.close()


def _opened(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise Unreadable("encrypted", LOCKED) from error
        raise Unreadable("unreadable", str(error)) from error


def _read_all(
    document: pypdfium2.PdfDocument, size: int
) -> tuple[list[EInvoice], list[Refused]]:
    invoices: list[EInvoice] = []
    refused: list[Refused] = []
    seen: set[bytes] = set()
    try:
        objects = objects_of(document, size)
        for packed, filters in _invoice_files(objects):
            try:
                content = _whole(packed, filters)
                if content not in seen and len(seen) < INVOICES_MAX:
                    seen.add(content)
                    invoices.append(read_xml(content))
            except XmlRefused as error:
                refused.append((error.reason, str(error)))
    except Damaged as error:
        # What hangs behind the damage is not missed when an invoice was found before it.
        if not invoices:
            refused.append(("unreadable", f"its attachments cannot be followed: {error}"))
    return invoices, refused


def _invoice_files(objects: Objects) -> Iterator[tuple[memoryview, list[str]]]:
    for stream in _files(objects):
        packed, filters = objects.raw_bytes(stream), _filters(objects, stream.about)
        try:
            head, _ = read_up_to(unpacked(packed, filters), HEAD_BYTES)
        except UnknownFilter:
            # Nobody packs an e-invoice in this way, and what cannot be unpacked is not known.
            continue
        if is_invoice(root_of(head)):
            yield packed, filters


def _whole(packed: memoryview, filters: list[str]) -> bytes:
    content, is_whole = read_up_to(unpacked(packed, filters), ATTACHMENT_BYTES_MAX)
    if not is_whole:
        raise XmlRefused("too_large", f"an attachment of over {ATTACHMENT_BYTES_MAX} bytes")
    return content


def _filters(objects: Objects, about: Dictionary) -> list[str]:
    names = (objects.follow(one) for one in objects.members(about.get("Filter")))
    return [one.text for one in names if isinstance(one, Name)]


def _files(objects: Objects) -> Iterator[Stream]:
    """Each once, in the order in which a viewer lists them."""
    seen: set[int] = set()
    for specification in _specifications(objects):
        files = objects.dictionary(objects.dictionary(specification).get("EF"))
        for key in ("UF", "F", "DOS", "Mac", "Unix"):
            stream = objects.follow(files.get(key))
            if isinstance(stream, Stream) and stream.start not in seen:
                seen.add(stream.start)
                yield stream
        if len(seen) >= FILES_MAX:
            return


def _specifications(objects: Objects) -> Iterator[Thing]:
    catalog = objects.dictionary(objects.trailer.get("Root"))
    names = objects.dictionary(catalog.get("Names"))
    for node in nodes_of(objects, names.get("EmbeddedFiles")):
        yield from objects.members(node.get("Names"))[1::2]
    yield from objects.members(catalog.get("AF"))
    for page in islice(nodes_of(objects, catalog.get("Pages")), PAGES_MAX):
        yield from objects.members(page.get("AF"))
        for note in objects.members(page.get("Annots")):
            yield objects.dictionary(note).get("FS")
