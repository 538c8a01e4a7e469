"""The cookie of a signed-in browser, and why another site cannot use it.

A browser sends cookies whoever asked it to, so a request that changes something has to come
from a page of this very host and to carry a word that only such a page can read. `__Host-`
binds the cookie to the host and to TLS; plain HTTP is for the own machine only.
"""

import base64
import hashlib
import hmac
import re
from http import HTTPStatus

from fastapi import Request, Response

from shared.web.problems import Problem

LOOPBACK_COOKIE = "paperline_session"
_BOUND = "__Host-"
HOST_COOKIE = f"{_BOUND}{LOOPBACK_COOKIE}"
CSRF_HEADER = "X-CSRF"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?")
_DEFAULT_PORTS = {"https": ":443", "http": ":80"}


def session_token(request: Request) -> str | None:
    return request.cookies.get(cookie_name(request, LOOPBACK_COOKIE))


def set_session(request: Request, response: Response, token: str) -> None:
    """Ends with the browser, and after twelve hours at the server."""
    response.set_cookie(
        cookie_name(request, LOOPBACK_COOKIE),
        token,
        path="/",
        httponly=True,
        samesite="strict",
        secure=not is_loopback(request),
    )


def clear_session(request: Request, response: Response) -> None:
    response.delete_cookie(
        cookie_name(request, LOOPBACK_COOKIE),
        path="/",
        httponly=True,
        samesite="strict",
        secure=not is_loopback(request),
    )


def csrf_word(token: str) -> str:
    """Tells nothing about the token it is made from."""
    digest = hashlib.sha256(b"csrf " + token.encode("utf-8", "surrogateescape")).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def require_own_page(request: Request) -> None:
    """The request comes from a page of this host. Browsers always say where it comes from."""
    scheme, _, origin = request.headers.get("origin", "").lower().partition("://")
    host = request.headers.get("host", "").lower()
    port = _DEFAULT_PORTS.get(scheme)
    # Who speaks TLS with us is no page that came without it, where anybody may have changed it.
    changed = scheme == "http" and request.url.scheme == "https"
    if port is None or not origin or changed or origin != host.removesuffix(port):
        raise _forged("This request does not come from a page of this site.")


def require_safe_way(request: Request) -> None:
    """Over plain HTTP from another machine the key would be read on its way, and the browser
    would not keep the cookie."""
    # A proxy that is not named in the settings may speak TLS as well: then the browser says so.
    if request.url.scheme == "https" or is_loopback(request):
        return
    if request.headers.get("origin", "").lower().startswith("https:"):
        return
    raise Problem(
        HTTPStatus.FORBIDDEN,
        "insecure_sign_in",
        "Sign in over HTTPS, or on the machine itself.",
    )


def require_no_forgery(request: Request, token: str) -> None:
    if request.method in SAFE_METHODS:
        return
    require_own_page(request)
    word = request.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(word.encode(), csrf_word(token).encode()):
        raise _forged(f"Send the word of this session as {CSRF_HEADER}.")


def cookie_name(request: Request, name: str) -> str:
    """Of the host and over TLS only, except on the machine itself."""
    return name if is_loopback(request) else f"{_BOUND}{name}"


def is_loopback(request: Request) -> bool:
    """In the clear, and on the machine itself."""
    if request.url.scheme == "https":
        return False
    return _LOOPBACK.fullmatch(request.headers.get("host", "").lower()) is not None


def address_of(request: Request) -> str:
    """Whose request it is: the other end of the connection, or whom a trusted proxy names."""
    return request.client.host if request.client else ""


def _forged(detail: str) -> Problem:
    return Problem(HTTPStatus.FORBIDDEN, "forged_request", detail)
