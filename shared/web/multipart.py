"""A form's file as a stream: its bytes go on while they arrive, and are never kept here.

The framework would copy the whole file to a temp file first and let us read it again. Text
fields may stand before or after the file, so they are complete only when it has been read.
"""

from collections.abc import AsyncIterator
from http import HTTPStatus

from python_multipart import MultipartParser
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from shared.web.problems import Problem

FIELD_BYTES_MAX = 8 * 1024
FIELDS_MAX = 20
# RFC 2046, 5.1.1.
BOUNDARY_CHARS_MAX = 70


class FormUpload:
    """Iterate `chunks()` to the end; then `filename` and `given`, or `fields` where a name
    stands for one value, hold the rest of the form."""

    def __init__(self, request: Request, file_field: str = "file") -> None:
        self.filename = ""
        self.given: list[tuple[str, str]] = []
        self._request = request
        self._file_field = file_field
        self._parser = MultipartParser(
            _boundary(request.headers.get("content-type", "")),
            {
                "on_part_begin": self._on_part_begin,
                "on_header_field": self._on_header_field,
                "on_header_value": self._on_header_value,
                "on_header_end": self._on_header_end,
                "on_headers_finished": self._on_headers_finished,
                "on_part_data": self._on_part_data,
                "on_part_end": self._on_part_end,
                "on_end": self._on_end,
            },
        )
        self._header = (bytearray(), bytearray())
        self._headers: dict[bytes, bytes] = {}
        self._name = ""
        self._value = bytearray()
        self._in_file = False
        self._files = 0
        self._ready = bytearray()
        self._ended = False

    @property
    def fields(self) -> dict[str, str]:
        return dict(self.given)

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._request.stream():
            if chunk:
                self._feed(chunk)
            if self._ready:
                yield bytes(self._ready)
                self._ready.clear()
        if not self._ended or self._files != 1:
            raise _malformed(
                f"a form with one file in the field {self._file_field} is expected"
            )

    def _feed(self, chunk: bytes) -> None:
        try:
            self._parser.write(chunk)
        except MultipartParseError as error:
            raise _malformed("the form cannot be read") from error

    def _on_part_begin(self) -> None:
        self._headers.clear()
        self._header = (bytearray(), bytearray())
        self._value.clear()

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        _grow(self._header[0], data[start:end])

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        _grow(self._header[1], data[start:end])

    def _on_header_end(self) -> None:
        name, value = self._header
        self._headers[bytes(name).lower()] = bytes(value)
        self._header = (bytearray(), bytearray())

    def _on_headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        self._in_file = self._name == self._file_field
        if self._in_file:
            self._files += 1
            self.filename = options.get(b"filename", b"").decode("utf-8", "replace")
        elif len(self.given) >= FIELDS_MAX:
            raise _malformed("the form has too many fields")

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if not self._in_file:
            _grow(self._value, data[start:end])
        elif self._files == 1:
            self._ready += data[start:end]

    def _on_part_end(self) -> None:
        if not self._in_file:
            self.given.append((self._name, self._value.decode("utf-8", "replace")))

    def _on_end(self) -> None:
        self._ended = True


def _grow(text: bytearray, data: bytes) -> None:
    # Only the file may be large; whatever else grows would grow in our memory.
    if len(text) + len(data) > FIELD_BYTES_MAX:
        raise _malformed("a field of the form is too long")
    text += data


def _boundary(content_type: str) -> bytes:
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not 0 < len(boundary) <= BOUNDARY_CHARS_MAX:
        raise _malformed("the content type names no boundary")
    return boundary


def _malformed(detail: str) -> Problem:
    return Problem(HTTPStatus.BAD_REQUEST, "malformed-form", detail)
