"""Pictures made to harm whoever looks at them: a few bytes that claim to be gigabytes."""

from collections.abc import Callable, Mapping

from tests import hostile


def png_of_words() -> bytes:
    """A small picture, and a remark beside it that inflates without end."""
    return hostile.png(
        8, (b"zTXt", b"Comment\0\0" + hostile.zeros(700)), (b"IDAT", hostile.zeros(1))
    )


def scan_bomb(pages: int = 1) -> bytes:
    """Nothing but pictures, so each page has to be drawn to know what it says."""
    head = (
        b"/Type/XObject/Subtype/Image/Width 20000/Height 20000/BitsPerComponent 8"
        b"/ColorSpace/DeviceRGB/Filter/FlateDecode"
    )
    first = 5
    kids = b" ".join(b"%d 0 R" % (first + one) for one in range(pages))
    tree = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, pages)
    page = hostile.PAGE.replace(b"4 0 R", b"3 0 R") % b"/XObject<</I 4 0 R>>"
    shown = hostile.stream(b"q 600 0 0 800 0 0 cm /I Do Q")
    return hostile.pdf(
        [
            hostile.CATALOG,
            tree,
            shown,
            hostile.stream(hostile.zeros(1145), head),
            *[page] * pages,
        ]
    )


def tiff(entries: Mapping[int, int], following: int, repeated: int = 1) -> bytes:
    """One directory, or the same again and again, and where the next one is said to be."""
    size = 2 + 12 * len(entries) + 4
    table = len(entries).to_bytes(2, "little") + b"".join(
        tag.to_bytes(2, "little") + b"\4\0\1\0\0\0" + value.to_bytes(4, "little")
        for tag, value in sorted(entries.items())
    )
    nexts = [*(8 + size * number for number in range(1, repeated)), following]
    pages = (table + one.to_bytes(4, "little") for one in nexts)
    return b"II*\0" + (8).to_bytes(4, "little") + b"".join(pages)


# Width, height, bits, compression, kind, where the rows are, rows, bytes.
SMALL = {256: 8, 257: 8, 258: 8, 259: 1, 262: 1, 273: 8, 278: 8, 279: 64}


def tiff_without_end() -> bytes:
    return tiff(SMALL, following=8)


def tiff_of_pages() -> bytes:
    return tiff(SMALL, following=0, repeated=20_000)


def tiff_of_one_line() -> bytes:
    return tiff(SMALL | {256: 2**31 - 1, 257: 1, 279: 2**31 - 1}, following=0)


def gif_bomb() -> bytes:
    size = b"\xff\xff\xff\xff"
    frame = b"\x2c\0\0\0\0" + size + b"\0\2\2\x4c\1\0"
    return b"GIF89a" + size + b"\x80\0\0\0\0\0\xff\xff\xff" + frame * 1_000 + b"\x3b"


def bmp_bomb() -> bytes:
    size = (50_000).to_bytes(4, "little")
    head = b"\x28\0\0\0" + size + size + b"\1\0\x18\0" + bytes(24)
    return b"BM" + bytes(8) + b"\x36\0\0\0" + head + bytes(1_000)


def jpeg_bomb() -> bytes:
    frame = b"\xff\xc0\0\x11\x08\xff\xdc\xff\xdc\3\1\x11\0\2\x11\0\3\x11\0"
    return b"\xff\xd8" + frame + b"\xff\xda\0\x0c\3\1\0\2\0\3\0\0\x3f\0" + bytes(1_000)


def webp_bomb() -> bytes:
    frame = b"\x9d\x01\x2a\xff\x3f\xff\x3f"
    data = b"\x30\0\0" + frame + bytes(1_001)
    body = b"WEBPVP8 " + len(data).to_bytes(4, "little") + data
    return b"RIFF" + len(body).to_bytes(4, "little") + body


PICTURES: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "a remark of 700 MB": (hostile.PNG, png_of_words),
    "a scan of 400 million pixels": (hostile.PDF, scan_bomb),
    "twenty scans of 400 million pixels": (hostile.PDF, lambda: scan_bomb(20)),
    "pages without end": ("image/tiff", tiff_without_end),
    "20000 pictures": ("image/tiff", tiff_of_pages),
    "a line of 2000 million pixels": ("image/tiff", tiff_of_one_line),
    "a thousand frames of 4000 million pixels": ("image/gif", gif_bomb),
    "2500 million pixels in a kilobyte": ("image/bmp", bmp_bomb),
    "4000 million pixels in a kilobyte": ("image/jpeg", jpeg_bomb),
    "270 million pixels in a kilobyte": ("image/webp", webp_bomb),
}
