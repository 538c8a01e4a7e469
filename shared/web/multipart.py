"""A form's files as streams: their bytes go on while they arrive, and are never kept here.

The framework would copy each file to a temp file first and let us read it again. Text
fields may stand before or after the files, so they are complete only when all has been read.
"""

from collections import deque
from collections.abc import AsyncIterator, Mapping
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
    """A form with one file. Iterate `chunks()` to the end; then `filename` and `given`, or
    `fields` where a name stands for one value, hold the rest of the form."""

    def __init__(self, request: Request, file_field: str = "file") -> None:
        self.filename = ""
        # The fields that stand before the file, as far as it has begun.
        self.preceding: list[tuple[str, str]] = []
        self._file_field = file_field
        self._form = Form(request, file_field=file_field)

    @property
    def given(self) -> list[tuple[str, str]]:
        return self._form.given

    @property
    def fields(self) -> dict[str, str]:
        return dict(self.given)

    async def chunks(self) -> AsyncIterator[bytes]:
        files = 0
        async for file in self._form.files():
            files += 1
            if files > 1:
                break
            self.filename, self.preceding = file.filename, file.preceding
            async for chunk in file.chunks():
                yield chunk
        if files != 1:
            raise _malformed(
                f"a form with one file in the field {self._file_field} is expected"
            )


class FormFile:
    """One file of a form. What is left of it is skipped when the next one is asked for."""

    def __init__(self, form: "Form", filename: str) -> None:
        self.filename = filename
        self.preceding = [*form.given]
        self._form = form

    async def chunks(self) -> AsyncIterator[bytes]:
        while isinstance(found := await self._form.next_found(), bytearray):
            yield bytes(found)


class _EndOfFile:
    """Stands between the bytes of one file and whatever comes next."""


_END = _EndOfFile()


class Form:
    """Iterate `files()` to the end; then `given` holds the other fields, in their order.

    A file is what stands in `file_field`, or without one whatever brings a file's name and is
    no field of `larger`, which tells which fields may be longer than the others.
    """

    def __init__(
        self,
        request: Request,
        *,
        file_field: str | None = None,
        larger: Mapping[str, int] | None = None,
    ) -> None:
        self.given: list[tuple[str, str]] = []
        self._file_field = file_field
        self._larger = larger or {}
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
        self._pieces = request.stream()
        # Never more than one piece of the body holds.
        self._found: deque[FormFile | bytearray | _EndOfFile] = deque()
        self._header = (bytearray(), bytearray())
        self._headers: dict[bytes, bytes] = {}
        self._name = ""
        self._value = bytearray()
        self._in_file = False
        self._ended = False

    async def files(self) -> AsyncIterator[FormFile]:
        while (found := await self.next_found()) is not None:
            if isinstance(found, FormFile):
                yield found

    async def next_found(self) -> "FormFile | bytearray | _EndOfFile | None":
        """None behind the last part. Raises the problem of a form that breaks off."""
        while not self._found:
            piece = await anext(self._pieces, None)
            if piece is None:
                if not self._ended:
                    raise _malformed("the form breaks off")
                return None
            if piece:
                self._feed(piece)
        return self._found.popleft()

    def _feed(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
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
        self._in_file = self._is_file(named=b"filename" in options)
        if self._in_file:
            filename = options.get(b"filename", b"").decode("utf-8", "replace")
            self._found.append(FormFile(self, filename))
        elif len(self.given) >= FIELDS_MAX:
            raise _malformed("the form has too many fields")

    def _is_file(self, *, named: bool) -> bool:
        if self._file_field is not None:
            return self._name == self._file_field
        return named and self._name not in self._larger

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if not self._in_file:
            bytes_max = self._larger.get(self._name, FIELD_BYTES_MAX)
            _grow(self._value, data[start:end], bytes_max)
        elif self._found and isinstance(self._found[-1], bytearray):
            self._found[-1] += data[start:end]
        else:
            self._found.append(bytearray(data[start:end]))

    def _on_part_end(self) -> None:
        if self._in_file:
            self._found.append(_END)
        else:
            self.given.append((self._name, self._value.decode("utf-8", "replace")))

    def _on_end(self) -> None:
        self._ended = True


def _grow(text: bytearray, data: bytes, bytes_max: int = FIELD_BYTES_MAX) -> None:
    # Only files may be large; whatever else grows would grow in our memory.
    if len(text) + len(data) > bytes_max:
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
