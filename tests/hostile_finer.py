"""Files made to harm by what is inside a format: streams of objects, pictures, fonts."""

import io
import struct
import zlib
from collections.abc import Callable, Mapping

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from tests.hostile import FONT, PDF, PNG, TEXT, XML, page_with, pdf, png, sample, stream, zeros

_CATALOG = b"<</Type/Catalog/Pages 2 0 R%s>>"
_PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<%s>>>>"
_FLATE = b"/Filter/FlateDecode"


def objects_bomb() -> bytes:
    """A stream of objects says that it holds a thousand million, and inflates to 2 GB."""
    head = b"/Type/ObjStm/N 1000000000/First 9" + _FLATE
    return page_with(stream(TEXT), FONT, stream(zeros(2048, b"1 "[:1]), head))


def objects_that_extend_each_other() -> bytes:
    head = b"/Type/ObjStm/N 1/First 4/Extends %d 0 R"
    return page_with(
        stream(TEXT), FONT, stream(b"9 0 <<>>", head % 6), stream(b"8 0 <<>>", head % 5)
    )


def _picture(data: bytes, head: bytes) -> bytes:
    shown = b"q 600 0 0 800 0 0 cm /I Do Q " + TEXT
    head = b"/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 8" + head
    return page_with(stream(shown), FONT + b"/XObject<</I 5 0 R>>", stream(data, head))


def jbig2_of_giants() -> bytes:
    """A page of 2^32 by 2^32 dots, of which a region says the same."""
    size = struct.pack(">II", 0xFFFFFFFF, 0xFFFFFFFF)
    page = struct.pack(">IBBBI", 0, 48, 0, 1, 19) + size + bytes(11)
    region = struct.pack(">IBBBI", 1, 38, 0, 1, 18) + size + bytes(10)
    return _picture(page + region, b"/Width 65535/Height 65535/Filter/JBIG2Decode")


def jpx_of_giants() -> bytes:
    """A JPEG 2000 of 2^31 by 2^31 dots in tiles of one dot, in 16,384 colours."""
    size = struct.pack(">HIIIIIIIIH", 0, 1 << 31, 1 << 31, 0, 0, 1, 1, 0, 0, 16384)
    siz = b"\xff\x51" + struct.pack(">H", 41) + size + bytes([7, 1, 1])
    return _picture(b"\xff\x4f" + siz + b"\xff\xd9", b"/Width 9/Height 9/Filter/JPXDecode")


def characters_mapped_without_end() -> bytes:
    """What a font's codes mean: four thousand million of them, by a map that uses itself."""
    ranges = b"<00000000> <FFFFFFFF> <0041>\n" * 5_000
    cmap = (
        b"/CIDInit/ProcSet findresource begin 12 dict begin begincmap /Me usecmap\n"
        b"1 begincodespacerange <00> <FFFFFFFF> endcodespacerange\n"
        b"100 beginbfrange\n" + ranges + b"endbfrange endcmap end end"
    )
    fonts = (
        b"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R"
        b"/Encoding<</Type/Encoding/Differences[-1/A 4294967296/B 255/C/D/E/F]>>"
        b"/FirstChar -2147483648/LastChar 2147483647/Widths[0 1 2]>>>>"
    )
    return page_with(stream(TEXT), fonts, stream(cmap))


def glyphs_that_draw_themselves() -> bytes:
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs"
        b"<</a 6 0 R>>/Encoding<</Differences[65/a]>>/FirstChar 65/LastChar 65/Widths[9]"
        b"/Resources<</Font<</F 5 0 R>>>>>>"
    )
    drawn = stream(b"9 0 0 0 9 9 d1 BT /F 1 Tf (AAAAAAAAAA) Tj ET")
    return page_with(stream(b"BT /F 9 Tf (A) Tj ET"), b"/Font<</F 5 0 R>>", font, drawn)


def patterns_that_paint_themselves() -> bytes:
    head = (
        b"/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep .00001"
        b"/YStep .00001/Resources<</Pattern<</P 5 0 R>>>>"
    )
    painted = b"/Pattern cs /P scn 0 0 600 800 re f "
    return page_with(
        stream(painted + TEXT), FONT + b"/Pattern<</P 5 0 R>>", stream(painted, head)
    )


def documents_in_documents(depth: int = 40) -> bytes:
    """Each is attached to the next, under the name that an e-invoice would have."""
    whole = sample()
    for _ in range(depth):
        catalog = _CATALOG % b"/Names<</EmbeddedFiles<</Names[(factur-x.xml) 5 0 R]>>>>"
        named = b"<</Type/Filespec/F(factur-x.xml)/EF<</F 6 0 R>>>>"
        packed = stream(zlib.compress(whole), b"/Type/EmbeddedFile" + _FLATE)
        whole = pdf([catalog, _PAGES, _PAGE % FONT, stream(TEXT), named, packed])
    return whole


def locked_for_changes_only() -> bytes:
    """Its owner has a password; who reads it needs none."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption("", "secret", canCopy=0, canPrint=0))
    canvas.drawString(90, 700, "Total 119.00 EUR")
    canvas.save()
    return buffer.getvalue()


def includes_a_file() -> bytes:
    return (
        b'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" '
        b'xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include parse="text" '
        b'href="file:///etc/passwd"/></Invoice>'
    )


def attributes_without_end() -> bytes:
    many = b"".join(b' a%d="%d"' % (number, number) for number in range(200_000))
    return b"<Invoice" + many + b' b="' + b"x" * 20_000_000 + b'"/>'


def _chunks_of_text() -> tuple[tuple[bytes, bytes], ...]:
    return ((b"zTXt", b"a\0\0" + zeros(64)),) * 50


PAGES: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "a stream of objects without end": (PDF, objects_bomb),
    "streams of objects that extend each other": (PDF, objects_that_extend_each_other),
    "a JBIG2 picture of giants": (PDF, jbig2_of_giants),
    "a JPEG 2000 picture of giants": (PDF, jpx_of_giants),
    "characters mapped without end": (PDF, characters_mapped_without_end),
    "glyphs that draw themselves": (PDF, glyphs_that_draw_themselves),
    "patterns that paint themselves": (PDF, patterns_that_paint_themselves),
    "documents in documents": (PDF, documents_in_documents),
    "a file included": (XML, includes_a_file),
    "attributes without end": (XML, attributes_without_end),
    "a picture that is an archive too": (PNG, lambda: png(9) + b"PK\x05\x06" + bytes(18)),
    "a picture with texts that inflate": (PNG, lambda: png(9, *_chunks_of_text())),
    "a document that is a picture first": (PDF, lambda: png(9) + sample()),
}
# What a line of words may be, for rules that are patterns: one long run, or the same again.
LINES: Mapping[str, bytes] = {
    "letters": b"a" * 20_000,
    "figures": b"1" * 20_000,
    "groups of figures": b"1" + b",22" * 6_000,
    "addresses of mail": b"a.b@" + b"c." * 10_000,
    "plus signs": b"a+" * 10_000,
    "labels of columns": b"code description " * 1_200,
    "freight": b"shipping 1.00 " * 1_400,
    "streets": b"Acme GmbH - 1 Street - " * 900,
    "days": b"zahlbar 30 Tage , " * 1_200,
    "registers": b"rcs abc company " * 1_200,
    "joining words": b"invoice of " + b"a " * 10_000,
    "banks": b"Bank Banco Banque " * 1_200,
}


def page_of_one_line(text: bytes) -> bytes:
    return page_with(stream(b"BT /F .01 Tf 9 700 Td 5 Tw 100 Tz (%s) Tj ET" % text))


def page_of_lines(text: bytes, width: int = 200) -> bytes:
    """The same, cut into lines that a person could read."""
    cut = [text[at : at + width] for at in range(0, len(text), width)]
    shown = b"".join(b"(%s) Tj 0 -2 Td " % one for one in cut)
    return page_with(stream(b"BT /F 4 Tf 9 790 Td " + shown + b"ET"))
