"""A form's file as a stream, whatever the pieces it arrives in."""

import pytest
from starlette.requests import Request
from starlette.types import Message

from shared.web.multipart import Form, FormUpload
from shared.web.problems import Problem

FILE = b"%PDF-1.7\r\n--not the boundary\r\n" + bytes(range(256)) * 8


def _form(*parts: bytes) -> bytes:
    return b"".join(b"--bound\r\n" + part + b"\r\n" for part in parts) + b"--bound--\r\n"


def _file(name: str = "file", data: bytes = FILE) -> bytes:
    head = f'Content-Disposition: form-data; name="{name}"; filename="Rück.pdf"\r\n'
    return head.encode() + b"Content-Type: text/html\r\n\r\n" + data


def _field(name: str, value: bytes) -> bytes:
    return f'Content-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value


def _request(body: bytes, piece_bytes: int = 64, kind: str = "multipart/form-data") -> Request:
    pieces = [body[at : at + piece_bytes] for at in range(0, len(body), piece_bytes)]

    async def receive() -> Message:
        piece = pieces.pop(0) if pieces else b""
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    headers = [(b"content-type", f"{kind}; boundary=bound".encode())]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


async def _read(form: FormUpload) -> bytes:
    return b"".join([chunk async for chunk in form.chunks()])


@pytest.mark.parametrize("piece_bytes", [1, 7, 64, 100_000])
async def test_a_file_comes_out_as_it_went_in(piece_bytes: int) -> None:
    body = _form(_field("tag", b"a"), _file(), _field("priority", b"high"))
    form = FormUpload(_request(body, piece_bytes))

    assert await _read(form) == FILE
    assert form.filename == "Rück.pdf"
    assert form.fields == {"tag": "a", "priority": "high"}
    assert form.given == [*form.fields.items()]


BROKEN = {
    "no file": _form(_field("tag", b"a")),
    "two files": _form(_file(), _file()),
    "a file under another name": _form(_file("document")),
    "a form that breaks off": _form(_file())[:200],
    "a field without end": _form(_field("tag", b"a" * 10_000), _file()),
    "more fields than anybody needs": _form(*(_field(f"f{n}", b"") for n in range(50))),
    "a header without end": _form(b"X" * 20_000 + b": 1\r\n\r\n"),
    "no form at all": b"%PDF-1.7",
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_form_is_the_clients_problem(body: bytes) -> None:
    with pytest.raises(Problem, match="400 malformed-form"):
        await _read(FormUpload(_request(body)))


def test_a_form_must_be_declared_as_one() -> None:
    with pytest.raises(Problem, match="400 malformed-form"):
        FormUpload(_request(b"", kind="text/plain"))


MANY = _form(
    _field("tag", b"a"),
    _file("files", b"one" * 100),
    _file("files[]", b""),
    _file("manifest", b"{" + b" " * 9_000 + b"}"),
    _file("third", FILE),
)


async def _files(form: Form) -> list[bytes]:
    return [b"".join([chunk async for chunk in file.chunks()]) async for file in form.files()]


@pytest.mark.parametrize("piece_bytes", [1, 7, 64, 100_000])
async def test_many_files_come_one_after_the_other(piece_bytes: int) -> None:
    form = Form(_request(MANY, piece_bytes), larger={"manifest": 10_000})

    assert await _files(form) == [b"one" * 100, b"", FILE]
    assert [name for name, _ in form.given] == ["tag", "manifest"]


@pytest.mark.parametrize("piece_bytes", [7, 100_000])
async def test_what_nobody_reads_of_a_file_is_skipped(piece_bytes: int) -> None:
    form = Form(_request(MANY, piece_bytes), larger={"manifest": 10_000})

    begun = [await anext(file.chunks(), b"") async for file in form.files()]

    assert [one[:1] for one in begun] == [b"o", b"", b"%"]


@pytest.mark.parametrize("body", [MANY[:-20], MANY[:500], MANY[:100]])
async def test_a_form_of_many_files_that_breaks_off_is_no_form(body: bytes) -> None:
    with pytest.raises(Problem, match="400 malformed-form"):
        await _files(Form(_request(body), larger={"manifest": 10_000}))


async def test_a_field_is_larger_only_where_it_may_be() -> None:
    with pytest.raises(Problem, match="400 malformed-form"):
        await _files(Form(_request(MANY), larger={"manifest": 9_000}))
