"""Files made to harm whoever opens them: bombs, loops, lies and garbage. All made here."""

import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

PDF, XML, PNG = "application/pdf", "application/xml", "image/png"
MEBIBYTE = 1 << 20
SAMPLES = Path(__file__).parents[1] / "deploy" / "samples"

CATALOG, PAGES = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<%s>>>>"
TEXT = b"BT /F 12 Tf 100 700 Td (Total 119.00 EUR) Tj ET"
FONT = b"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"


def pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """The objects are numbered from 1; the first is the catalog."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, rows)
    out += b"trailer\n<</Size %d/Root 1 0 R%s>>\n" % (len(objects) + 1, trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def stream(data: bytes, head: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(data), head, data)


def page_with(content: bytes, resources: bytes = FONT, *more: bytes) -> bytes:
    return pdf([CATALOG, PAGES, PAGE % resources, content, *more])


def zeros(mebibytes: int, filling: bytes = b"\0") -> bytes:
    """Inflates to so much. One block is packed once and repeated: packing it all takes long."""
    packer = zlib.compressobj(9)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    first = packer.compress(filling * MEBIBYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(filling * MEBIBYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + first + block * (mebibytes - 1) + packer.flush()


def twice_packed_bomb() -> bytes:
    packed = zlib.compress(zeros(4096, b" "), 9)
    return page_with(stream(packed, b"/Filter[/FlateDecode/FlateDecode]"))


def image_bomb() -> bytes:
    head = (
        b"/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8"
        b"/ColorSpace/DeviceRGB/Filter/FlateDecode"
    )
    resources = FONT + b"/XObject<</I 5 0 R>>"
    shown = b"q 600 0 0 800 0 0 cm /I Do Q " + TEXT
    return page_with(stream(shown), resources, stream(zeros(700), head))


def attachment_bomb() -> bytes:
    catalog = (
        b"<</Type/Catalog/Pages 2 0 R"
        b"/Names<</EmbeddedFiles<</Names[(factur-x.xml) 5 0 R]>>>>/AF[5 0 R]>>"
    )
    spec = b"<</Type/Filespec/F(factur-x.xml)/UF(factur-x.xml)/EF<</F 6 0 R>>>>"
    file = stream(zeros(700, b" "), b"/Type/EmbeddedFile/Filter/FlateDecode")
    return pdf([catalog, PAGES, PAGE % FONT, stream(TEXT), spec, file])


def page_tree_loop() -> bytes:
    loop = b"<</Type/Pages/Parent 3 0 R/Kids[3 0 R 2 0 R]/Count 2>>"
    return pdf([CATALOG, loop, b"<</Type/Pages/Parent 2 0 R/Kids[2 0 R]/Count 9>>"])


def deep_page_tree(depth: int = 20_000) -> bytes:
    kids = [
        b"<</Type/Pages/Parent %d 0 R/Kids[%d 0 R]/Count 1>>" % (n - 1, n + 1)
        for n in range(2, depth)
    ]
    return pdf([CATALOG, *kids, b"<</Type/Page/MediaBox[0 0 9 9]>>"])


def name_tree_loop() -> bytes:
    catalog = b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 5 0 R>>>>"
    loop = b"<</Kids[5 0 R 6 0 R]/Limits[(a)(z)]>>"
    return pdf([catalog, PAGES, PAGE % FONT, stream(TEXT), loop, b"<</Kids[5 0 R]>>"])


def xref_loop() -> bytes:
    once = pdf([CATALOG, PAGES, PAGE % FONT, stream(TEXT)])
    start = once.rindex(b"xref\n0 ")
    return once.replace(b"/Root 1 0 R", b"/Prev %d/Root 1 0 R" % start)


def object_loop() -> bytes:
    return pdf([CATALOG, PAGES, PAGE % FONT, b"5 0 R", b"4 0 R"])


def form_loop() -> bytes:
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X 5 0 R>>>>"
    return page_with(
        stream(b"/X Do " + TEXT), FONT + b"/XObject<</X 5 0 R>>", stream(b"/X Do /X Do", head)
    )


def forms_that_multiply() -> bytes:
    """Ten forms, each drawing the next one ten times: ten thousand million pages of ink."""
    forms = []
    for number in range(5, 15):
        head = (
            b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]"
            b"/Resources<</XObject<</X %d 0 R>>>>" % (number + 1)
        )
        forms.append(stream(b"/X Do " * 10, head))
    last = stream(b"0 0 9 9 re f", b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]")
    return page_with(stream(b"/X Do"), b"/XObject<</X 5 0 R>>", *forms, last)


def many_pages() -> bytes:
    kids = b"3 0 R " * 100_000
    pages = b"<</Type/Pages/Kids[%s]/Count 100000>>" % kids
    return pdf([CATALOG, pages, PAGE % FONT, stream(TEXT)])


def lying_count() -> bytes:
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 2147483647>>"
    return pdf([CATALOG, pages, PAGE % FONT, stream(TEXT)])


def garbage_font() -> bytes:
    font = (
        b"/Font<</F<</Type/Font/Subtype/TrueType/BaseFont/G/FirstChar 0/LastChar 255"
        b"/FontDescriptor<</Type/FontDescriptor/FontName/G/Flags 4/FontFile2 5 0 R>>>>>>"
    )
    noise = b"\0\1\0\0\0\x0f" + random.Random(1).randbytes(60_000)
    return page_with(stream(TEXT), font, stream(noise))


def huge_page() -> bytes:
    huge = PAGE.replace(b"600 800", b"1e9 1e9") % FONT
    return pdf([CATALOG, PAGES, huge, stream(b"1 g " + TEXT)])


def flat_page() -> bytes:
    return pdf([CATALOG, PAGES, PAGE.replace(b"600 800", b"0 0") % FONT, stream(TEXT)])


def png(side: int, *chunks: tuple[bytes, bytes]) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return len(data).to_bytes(4, "big") + whole + zlib.crc32(whole).to_bytes(4, "big")

    head = (b"IHDR", 2 * side.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0)))
    whole = (head, *chunks, (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in whole)


def png_bomb() -> bytes:
    return png(50_000, (b"IDAT", zeros(700)))


def laughs() -> bytes:
    levels = b"".join(b'<!ENTITY l%d "%s">' % (n + 1, b"&l%d;" % n * 10) for n in range(12))
    return b'<?xml version="1.0"?><!DOCTYPE i [<!ENTITY l0 "ha">%s]><i>&l12;</i>' % levels


def outside_entity() -> bytes:
    return b'<!DOCTYPE i [<!ENTITY x SYSTEM "file:///etc/passwd">]><i>&x;</i>'


def sample() -> bytes:
    return min(SAMPLES.glob("*.pdf")).read_bytes()


def flipped(seed: int, whole: bytes = b"") -> bytes:
    chance, data = random.Random(seed), bytearray(whole or sample())
    for _ in range(40):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


BOMBS: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "a stream packed twice": (PDF, twice_packed_bomb),
    "an image of 3600 million pixels": (PDF, image_bomb),
    "an attachment of 700 MB": (PDF, attachment_bomb),
    "forms that multiply": (PDF, forms_that_multiply),
    "a picture of 2500 million pixels": (PNG, png_bomb),
    "100000 pages": (PDF, many_pages),
    "entities that multiply": (XML, laughs),
}
LOOPS: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "a loop of pages": (PDF, page_tree_loop),
    "a loop of names": (PDF, name_tree_loop),
    "a loop of tables": (PDF, xref_loop),
    "a loop of objects": (PDF, object_loop),
    "a loop of forms": (PDF, form_loop),
    "pages nested deeply": (PDF, deep_page_tree),
    "arrays nested deeply": (PDF, lambda: page_with(b"[" * 200_000 + b"]" * 200_000)),
    "elements nested deeply": (XML, lambda: b"<a>" * 200_000 + b"</a>" * 200_000),
    "states nested deeply": (PDF, lambda: page_with(stream(b"q " * 500_000 + TEXT))),
}
LIES: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "a lying count": (PDF, lying_count),
    "a font of noise": (PDF, garbage_font),
    "a page as large as a country": (PDF, huge_page),
    "a page without a size": (PDF, flat_page),
    "an entity outside": (XML, outside_entity),
    "an archive as well": (PDF, lambda: sample() + b"PK\x03\x04" + bytes(60)),
    "a web page as well": (PDF, lambda: b"<html><script>1</script>\n" + sample()),
    "nothing": (PDF, lambda: b""),
    "only a head": (PDF, lambda: b"%PDF-1.7\n"),
    "half of it": (PDF, lambda: sample()[: len(sample()) // 2]),
    "without its end": (PDF, lambda: sample()[:-200]),
    "a length of minus one": (PDF, lambda: page_with(b"<</Length -1>>\nstream\nendstream")),
}
MAGICS = {
    PDF: b"%PDF-1.7\n",
    PNG: b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff\xe0",
    "image/tiff": b"II*\0",
    "image/gif": b"GIF89a",
    "image/bmp": b"BM",
    "image/webp": b"RIFF\0\0\1\0WEBPVP8 ",
    XML: b'<?xml version="1.0"?>',
}


def noise() -> Iterator[tuple[str, bytes]]:
    """Random bytes behind the mark of each format."""
    for seed, (media_type, magic) in enumerate(MAGICS.items()):
        yield media_type, magic + random.Random(seed).randbytes(20_000)
