"""What is sent, in pieces: no file is ever whole in memory, and each try begins anew."""

import mimetypes
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from json import dumps
from pathlib import Path
from typing import Any, Protocol

PIECE_BYTES = 256 * 1024
PLAIN_BYTES = "application/octet-stream"
# What ends the quotes or the line of a form's header.
_QUOTED = {'"': '\\"', "\\": "\\\\", "\r": " ", "\n": " "}


class Content(Protocol):
    """The bytes of one request, as often as it has to be sent."""

    @property
    def media_type(self) -> str: ...

    @property
    def length(self) -> int: ...

    def pieces(self) -> Iterator[bytes]: ...


@dataclass(frozen=True, slots=True)
class Bytes:
    data: bytes
    media_type: str = PLAIN_BYTES

    @property
    def length(self) -> int:
        return len(self.data)

    def pieces(self) -> Iterator[bytes]:
        yield self.data


@dataclass(frozen=True, slots=True)
class File:
    path: Path

    @property
    def media_type(self) -> str:
        return mimetypes.guess_type(self.path.name)[0] or PLAIN_BYTES

    @property
    def length(self) -> int:
        return self.path.stat().st_size

    def pieces(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece


@dataclass(frozen=True, slots=True)
class Form:
    """Files in a form, opened one after the other: there may be a thousand."""

    files: Sequence[Path]
    fields: Mapping[str, str] = field(default_factory=dict)
    boundary: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def media_type(self) -> str:
        return f"multipart/form-data; boundary={self.boundary}"

    @property
    def length(self) -> int:
        heads = (len(head) for head, _ in self._parts())
        sizes = (path.stat().st_size + len(b"\r\n") for path in self.files)
        return sum(heads) + sum(sizes) + len(self._end())

    def pieces(self) -> Iterator[bytes]:
        for head, file in self._parts():
            yield head
            if file is not None:
                yield from File(file).pieces()
                yield b"\r\n"
        yield self._end()

    def _parts(self) -> Iterator[tuple[bytes, Path | None]]:
        # Fields first: what reads a form as it arrives knows them before the first file.
        for name, text in self.fields.items():
            yield self._head(f'name="{name}"') + text.encode() + b"\r\n", None
        for path in self.files:
            name = "".join(_QUOTED.get(one, one) for one in path.name)
            yield self._head(f'name="files"; filename="{name}"'), path

    def _head(self, disposition: str) -> bytes:
        text = f"--{self.boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n"
        return text.encode(errors="replace")

    def _end(self) -> bytes:
        return f"--{self.boundary}--\r\n".encode()


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a client may say about a document beside its bytes."""

    priority: str | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] | None = None
    due_at: datetime | None = None

    def words(self) -> dict[str, str]:
        said = {
            "priority": self.priority,
            "tags": ",".join(self.tags),
            "metadata": dumps(self.metadata) if self.metadata is not None else None,
            "due_at": self.due_at.isoformat() if self.due_at else None,
        }
        return {name: text for name, text in said.items() if text}


def content_of(given: Path | bytes) -> Content:
    return Bytes(given) if isinstance(given, bytes) else File(given)
