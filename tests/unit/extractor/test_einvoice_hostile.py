"""XML from strangers: bombs, foreign files, wrong encodings, and what is no invoice at all."""

import pytest

from services.extractor.domain.einvoice.documents import is_invoice, read_xml
from services.extractor.domain.einvoice.trees import XmlRefused, root_of
from tests.unit.extractor.einvoices import CII_BODY, STATED, cii, ubl

LAUGHS = "".join(
    f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' if level else '<!ENTITY a0 "ha">'
    for level in range(10)
)
ROOT = ubl("")
OPENING, CLOSING = ROOT.split("></")[0] + ">", "</Invoice>"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(
            f"<!DOCTYPE Invoice [{LAUGHS}]>{ubl('<cbc:ID>&a9;</cbc:ID>')}",
            "unreadable",
            id="a billion laughs",
        ),
        pytest.param(
            '<!DOCTYPE Invoice [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
            + ubl("<cbc:ID>&x;</cbc:ID>"),
            "unreadable",
            id="a file of ours",
        ),
        pytest.param(
            '<!DOCTYPE Invoice SYSTEM "http://127.0.0.1:9/x.dtd">' + ubl(),
            "unreadable",
            id="a declaration from elsewhere",
        ),
        pytest.param(
            ubl("<cbc:ID>&unknown;</cbc:ID>"), "unreadable", id="an entity of nobody's"
        ),
        pytest.param(
            OPENING + "<a>" * 100_000 + "</a>" * 100_000 + CLOSING,
            "too_large",
            id="elements inside each other without end",
        ),
        pytest.param(OPENING + "<a/>" * 1_000_000 + CLOSING, "too_large", id="a million"),
        pytest.param(ubl()[:-30], "unreadable", id="half a document"),
        pytest.param("", "unreadable", id="nothing"),
        pytest.param("hello", "unreadable", id="text"),
        pytest.param("<html/>", "not_an_invoice", id="a page"),
        pytest.param(
            '<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>',
            "not_an_invoice",
            id="an order",
        ),
        pytest.param("<Invoice/>", "not_an_invoice", id="the name alone"),
    ],
)
def test_what_is_no_readable_invoice_is_refused_by_name(text: str, reason: str) -> None:
    with pytest.raises(XmlRefused) as refused:
        read_xml(text.encode())

    assert refused.value.reason == reason


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + cii().encode(), id="a mark of UTF-8"),
        pytest.param(cii().encode("utf-16"), id="UTF-16 with a mark"),
        pytest.param(
            ('<?xml version="1.0" encoding="UTF-16BE"?>' + cii()).encode("utf-16-be"),
            id="UTF-16 without one",
        ),
        pytest.param(
            ('<?xml version="1.0" encoding="ISO-8859-1"?>' + cii()).encode("latin-1"),
            id="ISO-8859-1",
        ),
        pytest.param(
            ('<?xml version="1.0" encoding="windows-1252"?>' + cii()).encode("cp1252"),
            id="a code page",
        ),
        pytest.param(
            ('<?xml version="1.0" encoding="utf-16"?>' + cii()).encode(),
            id="UTF-8 that calls itself UTF-16",
        ),
        pytest.param(
            ('<?xml version="1.0" encoding="UTF-8"?>' + cii()).encode("latin-1"),
            id="ISO-8859-1 that calls itself UTF-8",
        ),
        pytest.param(
            b'\r\n <?xml version="1.0"?>' + cii().encode() + b"\0\0", id="blanks around it"
        ),
    ],
)
def test_whatever_the_encoding_the_invoice_is_the_same(content: bytes) -> None:
    seen = read_xml(content).stated

    assert is_invoice(root_of(content[:4096]))
    assert {path: one.value for path, one in seen.items()} == STATED


def test_a_file_inside_the_invoice_is_not_read_as_text() -> None:
    file = "<ram:AttachmentBinaryObject>" + "QUJD" * 500_000 + "</ram:AttachmentBinaryObject>"
    place = "<ram:ApplicableHeaderTradeDelivery/>"

    seen = read_xml(cii(CII_BODY.replace(place, file + place)).encode()).stated

    assert {path: one.value for path, one in seen.items()} == STATED


def test_comments_and_instructions_inside_a_value_state_nothing() -> None:
    text = cii(CII_BODY.replace("2024-0815", "2024-<!-- 99 --><?pi 77?>0815"))

    assert read_xml(text.encode()).stated["invoice_number"].value == "2024-0815"


def test_the_root_is_told_from_the_beginning_alone() -> None:
    head = cii().encode()[:600]

    assert is_invoice(root_of(head))
    assert not is_invoice(root_of(b"%PDF-1.7"))
    assert not is_invoice(root_of(b"<html/>"))
    assert not is_invoice(root_of(b"<Invoice/>"))
