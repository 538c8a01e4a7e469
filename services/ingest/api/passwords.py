"""The password of a locked document, on its way in: used once, kept nowhere.

It has a header or a form's field of its own and never stands in an address, because addresses
are what every proxy on the way writes down. No answer repeats it.
"""

from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import unquote

from fastapi import Request

from shared.web.problems import Problem

HEADER = "X-Document-Password"
FIELD = "password"
# Four times what the newest format of a PDF can use.
CHARS_MAX = 508
LATE = "It stands before the file, so that the file never has to be kept locked."


def header_password(request: Request) -> str | None:
    """Percent-encoded, since a header is ASCII and a password need not be."""
    if request.scope["query_string"] and FIELD in request.query_params:
        raise _refused("/query/password", f"Send it in the header {HEADER}.")
    text = request.headers.get(HEADER)
    if text is None:
        return None
    pointer = f"/header/{HEADER.lower()}"
    try:
        return _checked(unquote(text.strip(), errors="strict"), pointer)
    except UnicodeDecodeError:
        # Without its cause: a message of the decoder holds the bytes.
        raise _refused(pointer, "It is percent-encoded UTF-8.") from None


def form_password(given: Sequence[tuple[str, str]]) -> str | None:
    found = [text for name, text in given if name == FIELD]
    return _checked(found[-1], "/body/password") if found else None


def refuse_late_password(given: Sequence[tuple[str, str]]) -> None:
    if any(name == FIELD for name, _ in given):
        raise _refused("/body/password", LATE)


def _checked(password: str, pointer: str) -> str | None:
    # A parser written in C would see the end of the password at the zero.
    if len(password) > CHARS_MAX or "\x00" in password:
        raise _refused(pointer, f"At most {CHARS_MAX} characters, none of them zero.")
    return password or None


def _refused(pointer: str, detail: str) -> Problem:
    errors = [{"pointer": pointer, "detail": detail}]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=errors)
