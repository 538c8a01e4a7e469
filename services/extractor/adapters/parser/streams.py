"""What a stream of a PDF holds, piece by piece: whoever asks for it says when it is enough.

A file of a few kilobytes can inflate to hundreds of megabytes, and twice packed to more than
any machine has; so nothing is ever unpacked further than it is read.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping

PIECE_BYTES = 64 * 1024

Pieces = Iterator[bytes]


class UnknownFilter(Exception):
    """It is packed in a way that nobody packs an attachment."""


def unpacked(packed: memoryview, filters: Iterable[str]) -> Pieces:
    """Raises UnknownFilter at once. Where it is damaged it ends."""
    pieces = _cut(packed)
    for name in filters:
        if name not in _FILTERS:
            raise UnknownFilter(name)
        pieces = _FILTERS[name](pieces)
    return pieces


def read_up_to(pieces: Pieces, bytes_max: int) -> tuple[bytes, bool]:
    """The beginning, and whether that is all of it."""
    taken = bytearray()
    for piece in pieces:
        taken += piece
        if len(taken) > bytes_max:
            return bytes(taken[:bytes_max]), False
    return bytes(taken), True


def _cut(packed: memoryview) -> Pieces:
    for at in range(0, len(packed), PIECE_BYTES):
        yield bytes(packed[at : at + PIECE_BYTES])


def _inflated(pieces: Pieces) -> Pieces:
    inflater = zlib.decompressobj()
    for piece in pieces:
        waiting = piece
        while waiting and not inflater.eof:
            try:
                out = inflater.decompress(waiting, PIECE_BYTES)
            except zlib.error:
                # What came before is as good as it was; a viewer shows it too.
                return
            if out:
                yield out
            waiting = inflater.unconsumed_tail
        if inflater.eof:
            return


def _from_hex(pieces: Pieces) -> Pieces:
    odd = b""
    for piece in pieces:
        body, end, _ = piece.partition(b">")
        digits = odd + re.sub(rb"[^0-9A-Fa-f]", b"", body)
        if end and len(digits) % 2:
            digits += b"0"
        whole = len(digits) - len(digits) % 2
        yield bytes.fromhex(digits[:whole].decode())
        odd = digits[whole:]
        if end:
            return


def _as_is(pieces: Pieces) -> Pieces:
    return pieces


_FILTERS: Mapping[str, Callable[[Pieces], Pieces]] = {
    **dict.fromkeys(("FlateDecode", "Fl"), _inflated),
    **dict.fromkeys(("ASCIIHexDecode", "AHx"), _from_hex),
    "Crypt": _as_is,
}
