"""ZIP files for tests, those that people pack and those that somebody crafts."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable


def packed(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w", method) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return sheet.getvalue()


def with_directory(data: bytes, name: bytes, change: Callable[[bytearray], object]) -> bytes:
    """The archive with the line of one member changed in its directory."""
    changed = bytearray(data)
    at = changed.rfind(name) - 46
    line = changed[at : at + 46]
    change(line)
    changed[at : at + 46] = line
    return bytes(changed)


def quoting() -> bytes:
    """Two members over the same compressed bytes: the first quotes the header of the second."""
    kernel = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = kernel.compress(bytes(100_000)) + kernel.flush()
    inner = _header(b"b", 100_000, len(body), zlib.crc32(bytes(100_000)))
    quote = b"\x00" + struct.pack("<HH", len(inner), ~len(inner) & 0xFFFF) + inner
    whole = inner + bytes(100_000)
    outer = _header(b"a", len(whole), len(quote) + len(body), zlib.crc32(whole))
    data = outer + quote + body
    lines = _line(outer, 0) + _line(inner, len(outer) + len(quote) - len(inner))
    data += lines + struct.pack("<LHHHHLLH", 0x06054B50, 0, 0, 2, 2, len(lines), len(data), 0)
    return data


def _header(name: bytes, size: int, packed_bytes: int, crc: int) -> bytes:
    return (
        struct.pack(
            "<LHHHHHLLLHH", 0x04034B50, 20, 0, 8, 0, 33, crc, packed_bytes, size, len(name), 0
        )
        + name
    )


def _line(header: bytes, starts: int) -> bytes:
    return (
        struct.pack("<LH", 0x02014B50, 20)
        + header[4:30]
        + struct.pack("<HHHLL", 0, 0, 0, 0, starts)
        + header[30:]
    )
