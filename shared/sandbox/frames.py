"""What parent and child say to each other: a JSON object and any number of raw pieces.

A page of pixels or a document is no JSON, and would cost a third more and a copy as base64.
The lengths come first, so that whoever reads can refuse before it has read; the parent trusts
no length and no shape, for a hostile file may have taken the child over.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

LENGTH_BYTES = 4
PARTS_MAX = 1000


class Malformed(Exception):
    """These bytes are no frame: whoever sent them is not what it was."""


class Oversized(Exception):
    """More was announced than is taken."""


@dataclass(frozen=True, slots=True)
class Frame:
    said: Mapping[str, Any]
    parts: tuple[bytes, ...] = ()


def packed(frame: Frame) -> Iterator[bytes]:
    head = json.dumps({"said": frame.said, "parts": [*map(len, frame.parts)]}).encode()
    yield len(head).to_bytes(LENGTH_BYTES, "big") + head
    yield from frame.parts


def taken(pipe: BinaryIO) -> Frame | None:
    """The next frame, or None when the other side has hung up."""
    length = pipe.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    said, lengths = _unpacked(pipe.read(int.from_bytes(length, "big")))
    return Frame(said, tuple(pipe.read(one) for one in lengths))


async def received(pipe: asyncio.StreamReader, *, bytes_max: int) -> Frame:
    """Raises IncompleteReadError when the other side hangs up before the end."""
    length = int.from_bytes(await pipe.readexactly(LENGTH_BYTES), "big")
    if length > bytes_max:
        raise Oversized(f"{length} bytes")
    said, lengths = _unpacked(await pipe.readexactly(length))
    if sum(lengths) > bytes_max:
        raise Oversized(f"{sum(lengths)} bytes")
    return Frame(said, tuple([await pipe.readexactly(one) for one in lengths]))


def _unpacked(head: bytes) -> tuple[dict[str, Any], list[int]]:
    try:
        told = json.loads(head)
        said, lengths = told["said"], told["parts"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Malformed("no head of a frame") from error
    if not isinstance(said, dict) or not isinstance(lengths, list) or len(lengths) > PARTS_MAX:
        raise Malformed("no head of a frame")
    if not all(isinstance(one, int) and one >= 0 for one in lengths):
        raise Malformed("no lengths")
    return said, lengths
