"""The e-invoices inside PDFs: wherever they hang, whatever they are called, however packed."""

import tracemalloc
import zlib
from pathlib import Path

import pytest

from services.extractor.adapters.parser.attachments import einvoices_in
from services.extractor.domain.einvoice.documents import EInvoice
from shared.pages.outcomes import Unreadable
from tests.unit.extractor.attached import (
    Attached,
    Place,
    bomb,
    locked_against_changes,
    pdf_with,
    written,
)
from tests.unit.extractor.einvoices import STATED, cii, ubl, zugferd_1

SAMPLES = Path(__file__).parents[3] / "deploy" / "samples"
XML = cii().encode()
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def stated(one: EInvoice) -> dict[str, str | None]:
    return {path: value.value for path, value in one.stated.items()}


@pytest.mark.parametrize("place", ["names", "kids", "catalog", "page", "note"])
def test_an_invoice_is_found_wherever_it_hangs(place: Place) -> None:
    invoices, refused, page_count = einvoices_in(pdf_with(Attached(XML, place)))

    assert [stated(one) for one in invoices] == [STATED]
    assert (refused, page_count) == ([], 1)


@pytest.mark.parametrize("name", ["ZUGFeRD-invoice", "xrechnung.xml", "photo.png", "a"])
def test_its_name_does_not_matter(name: str) -> None:
    decoys = (Attached(PICTURE, name="factur-x.xml"), Attached(b"<html/>", name="page.xml"))

    invoices, refused, _ = einvoices_in(pdf_with(*decoys, Attached(XML, name=name)))

    assert [stated(one) for one in invoices] == [STATED]
    assert refused == []


@pytest.mark.parametrize(
    ("content", "filters"),
    [
        pytest.param(XML, "[]", id="as it is"),
        pytest.param(XML.hex().encode() + b">", "/ASCIIHexDecode", id="in hexadecimal"),
        pytest.param(
            zlib.compress(zlib.compress(XML)), "[/FlateDecode/FlateDecode]", id="packed twice"
        ),
        pytest.param(zlib.compress(XML)[:-4], "/FlateDecode", id="without its check sum"),
    ],
)
def test_it_is_unpacked_however_it_is_packed(content: bytes, filters: str) -> None:
    invoices, _, _ = einvoices_in(pdf_with(Attached(content, filters=filters)))

    assert [stated(one) for one in invoices] == [STATED]


def test_a_document_that_is_locked_against_changes_is_read() -> None:
    scan = locked_against_changes(XML)

    invoices, _, _ = einvoices_in(scan)

    assert [stated(one) for one in invoices] == [STATED]


def test_every_invoice_in_it_is_read_and_copies_count_once() -> None:
    files = (
        Attached(XML),
        Attached(XML, "catalog"),
        Attached(ubl().encode()),
        Attached(zugferd_1().encode(), "note"),
    )

    invoices, _, _ = einvoices_in(pdf_with(*files))

    assert sorted(one.syntax for one in invoices) == ["cii", "ubl", "zugferd_1"]


def test_a_list_of_files_that_leads_back_to_itself_has_an_end() -> None:
    # The page is looked at after the list.
    invoices, _, _ = einvoices_in(pdf_with(Attached(XML, "page"), loops=True))

    assert [stated(one) for one in invoices] == [STATED]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(XML[:-40], "unreadable", id="a broken one"),
        pytest.param(b"<!DOCTYPE Invoice>" + ubl().encode(), "unreadable", id="a declaration"),
    ],
)
def test_an_invoice_that_cannot_be_read_is_told_of(content: bytes, reason: str) -> None:
    invoices, refused, _ = einvoices_in(pdf_with(Attached(content)))

    assert invoices == []
    assert [one for one, _ in refused] == [reason]


@pytest.mark.parametrize(
    ("content", "filters"),
    [
        pytest.param(bomb(XML[:-40], 700), "/FlateDecode", id="700 MB"),
        pytest.param(
            zlib.compress(bomb(XML[:-40], 700)), "[/FlateDecode/FlateDecode]", id="twice packed"
        ),
    ],
)
def test_an_attachment_that_inflates_without_end_is_left_early(
    content: bytes, filters: str
) -> None:
    scan = pdf_with(Attached(content, filters=filters))
    assert len(scan) < 2**21
    tracemalloc.start()

    try:
        invoices, refused, _ = einvoices_in(scan)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert invoices == []
    assert [one for one, _ in refused] == ["too_large"]
    assert peak < 120 * 2**20


def test_what_is_no_invoice_is_not_unpacked_beyond_its_beginning() -> None:
    scan = pdf_with(Attached(bomb(b"<html>", 700), filters="/FlateDecode"), Attached(XML))
    tracemalloc.start()

    try:
        invoices, refused, _ = einvoices_in(scan)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(invoices) == 1
    assert refused == []
    assert peak < 20 * 2**20


def test_a_document_of_objects_without_end_comes_to_an_end() -> None:
    names = b"<</Names[" + b"(a) 6 0 R " * 300_000 + b"]>>"
    frame = [b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 5 0 R>>>>"]
    frame += [b"<</Type/Pages/Kids[3 0 R]/Count 1>>", b"<</Type/Page/Parent 2 0 R>>"]

    invoices, _, _ = einvoices_in(written([*frame, b"null", names, b"<</EF<<>>>>"]))

    assert invoices == []


@pytest.mark.parametrize(
    ("file", "reason"), [("encrypted", "encrypted"), ("truncated", "unreadable")]
)
def test_a_document_that_does_not_open_is_refused_by_name(file: str, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        einvoices_in((SAMPLES / "unreadable" / f"{file}.pdf").read_bytes())

    assert refused.value.reason == reason


def test_a_document_without_attachments_holds_no_invoice() -> None:
    scan = (SAMPLES / "de-nordwind-werkzeuge.pdf").read_bytes()

    invoices, refused, page_count = einvoices_in(scan)

    assert (invoices, refused) == ([], [])
    assert page_count >= 1
