"""PDFs with files inside, written object by object: also those that no program would write."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import md5
from struct import pack
from typing import Literal

Place = Literal["names", "kids", "catalog", "page", "note"]

# What the format puts in the place of an empty password.
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


@dataclass(frozen=True)
class Attached:
    content: bytes
    place: Place = "names"
    name: str = "factur-x.xml"
    # Packed already, in this way.
    filters: str | None = None

    def stream(self) -> bytes:
        packed = zlib.compress(self.content) if self.filters is None else self.content
        how = "/FlateDecode" if self.filters is None else self.filters
        head = f"<</Type/EmbeddedFile/Filter {how}/Length {len(packed)}>>stream\n"
        return head.encode() + packed + b"\nendstream"


def pdf_with(*files: Attached, loops: bool = False) -> bytes:
    """One page, and each file where it says. Objects 1 to 4 are the frame of the document."""
    bodies: list[bytes] = []
    hung: dict[Place, list[int]] = {}
    for at, one in enumerate(files):
        number = 6 + 2 * at
        bodies.append(one.stream())
        specification = f"<</Type/Filespec/F({one.name})/EF<</F {number} 0 R>>>>"
        bodies.append(specification.encode())
        hung.setdefault(one.place, []).append(number + 1)
    leaf = _pairs(hung.get("kids", []))
    back = " 5 0 R" if loops else ""
    frame = [
        f"<</Type/Catalog/Pages 2 0 R/AF[{_refs(hung.get('catalog', []))}]"
        f"/Names<</EmbeddedFiles 5 0 R>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]"
        f"/AF[{_refs(hung.get('page', []))}]/Annots[{_notes(hung.get('note', []))}]>>",
        f"<</Names[{leaf}]>>",
        f"<</Names[{_pairs(hung.get('names', []))}]/Kids[4 0 R{back}]>>",
    ]
    return written([*(one.encode() for one in frame), *bodies])


def written(bodies: Sequence[bytes], trailer: str = "") -> bytes:
    """Objects from number 1, with a table of where they are; the first is the catalog."""
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode()
    for offset in offsets:
        out += f"{offset:010} 00000 n \n".encode()
    size = len(bodies) + 1
    out += (
        f"trailer\n<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{table}\n%%EOF\n".encode()
    )
    return bytes(out)


def bomb(head: bytes, mebibytes: int) -> bytes:
    """The head and so many megabytes of blanks, packed without making them."""
    blank = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = blank.compress(b" " * 2**20) + blank.flush(zlib.Z_FULL_FLUSH)
    begin = zlib.compressobj(9)
    packed = begin.compress(head) + begin.flush(zlib.Z_FULL_FLUSH)
    return packed + piece * mebibytes


def _refs(numbers: Sequence[int]) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)


def _pairs(numbers: Sequence[int]) -> str:
    return " ".join(f"({number}) {number} 0 R" for number in numbers)


def _notes(numbers: Sequence[int]) -> str:
    note = "<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS {} 0 R>>"
    return " ".join(note.format(number) for number in numbers)


def locked_against_changes(content: bytes) -> bytes:
    """It opens without a password, and everything in it is enciphered all the same."""
    owner, identity = bytes(range(32)), bytes(16)
    key = md5(_PADDING + owner + pack("<i", -44) + identity, usedforsecurity=False).digest()
    packed = zlib.compress(content)
    of_stream = md5(key[:5] + b"\x06\0\0\0\0", usedforsecurity=False).digest()[:10]
    user = _rc4(key[:5], _PADDING).hex()
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 5 0 R>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        f"<</Filter/Standard/V 1/R 2/P -44/O<{owner.hex()}>/U<{user}>>>".encode(),
        b"<</Names[<00> 7 0 R]>>",
        Attached(_rc4(of_stream, packed), filters="/FlateDecode").stream(),
        b"<</Type/Filespec/EF<</F 6 0 R>>>>",
    ]
    both = f"<{identity.hex()}>" * 2
    return written(bodies, trailer=f"/Encrypt 4 0 R/ID[{both}]")


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
