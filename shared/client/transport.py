"""One request until it is answered: patient with who is busy, and with answers that got lost.

Repeating is safe because a request that makes something carries an idempotency key made before
its first try, and the others may be repeated by their nature.
"""

import ipaddress
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from shared.client.errors import Away, ClientError, Refused, refused
from shared.client.sending import Content

BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
FIRST_PAUSE_S, PAUSE_S_MAX = 0.25, 8.0
CONNECT_S, ANSWER_S = 10.0, 60.0
CONNECTIONS_MAX = 32


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    words: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: Content | None = None
    # Whether it may be sent again when nobody knows what became of it.
    repeatable: bool = True


class Transport:
    def __init__(
        self,
        address: str,
        key: str,
        *,
        patience_s: float,
        sleep: Callable[[float], object] = time.sleep,
        through: httpx.BaseTransport | None = None,
        ca_file: Path | None = None,
    ) -> None:
        self._address = checked(address)
        self._patience_s = patience_s
        self._sleep = sleep
        self._http = httpx.Client(
            base_url=self._address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S),
            limits=httpx.Limits(max_connections=CONNECTIONS_MAX),
            # A key goes to the address it was given for and nowhere else.
            follow_redirects=False,
            # A proxy of the surroundings does not know this machine's own addresses.
            trust_env=not is_loopback(self._address),
            transport=through,
            verify=_trust(ca_file),
        )

    def close(self) -> None:
        self._http.close()

    def ask(self, request: Request) -> httpx.Response:
        """Raises Refused, or Away when patience has ended."""
        deadline = time.monotonic() + self._patience_s
        tries = 0
        while True:
            try:
                return self._once(request)
            except (Refused, Away) as error:
                pause_s = _pause_s(error, request, tries)
                if pause_s is None or time.monotonic() + pause_s > deadline:
                    raise
            tries += 1
            self._sleep(pause_s)

    @contextmanager
    def stream(self, path: str) -> Iterator[Iterator[bytes]]:
        """The body of an answer as it arrives; not repeated, since a part of it is used."""
        try:
            with self._http.stream("GET", path) as response:
                if response.status_code != HTTPStatus.OK:
                    raise refused(response.status_code, response.read())
                yield response.iter_bytes()
        except httpx.TransportError as error:
            raise self._away(error) from error

    def _once(self, request: Request) -> httpx.Response:
        if not request.path.startswith("/") or request.path.startswith("//"):
            # The address of a next page, as an answer told it: the key must not leave for it.
            raise ClientError(f"not a path of the API: {request.path[:100]}")
        headers = dict(request.headers)
        content = request.content
        if content is not None:
            headers |= {
                "Content-Type": content.media_type,
                "Content-Length": str(content.length),
            }
        try:
            response = self._http.request(
                request.method,
                request.path,
                params=request.words or None,
                headers=headers,
                content=content.pieces() if content is not None else None,
            )
        except httpx.TransportError as error:
            raise self._away(error) from error
        if response.status_code in BUSY:
            raise _Busy(response)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise refused(response.status_code, response.content)
        if response.has_redirect_location:
            raise Refused(response.status_code, "redirected", "The API does not live there.")
        return response

    def _away(self, error: httpx.TransportError) -> Away:
        return Away(f"No answer at {self._address} ({str(error) or type(error).__name__})")


class _Busy(Refused):
    """Refused, and told when to come back."""

    def __init__(self, response: httpx.Response) -> None:
        told = refused(response.status_code, response.content)
        super().__init__(told.status, told.reason, told.detail, told.errors)
        after = response.headers.get("retry-after", "").strip()
        self.after_s = float(after) if after.isascii() and after.isdigit() else None


def _trust(ca_file: Path | None) -> ssl.SSLContext | bool:
    if ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise ClientError(f"{ca_file} holds no authority to believe: {error}") from error


def checked(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ClientError(f"no address of an API: {address!r}; such as http://127.0.0.1:8080")
    return address.rstrip("/")


def is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _pause_s(error: Refused | Away, request: Request, tries: int) -> float | None:
    """None for what is not to be sent again."""
    if isinstance(error, Away):
        if not request.repeatable:
            return None
    elif not isinstance(error, _Busy):
        return None
    elif error.after_s is not None:
        return error.after_s
    # Many clients that were cut off in one moment must not come back in one moment.
    return min(PAUSE_S_MAX, FIRST_PAUSE_S * 2.0**tries) * random.uniform(0.5, 1)  # noqa: S311
