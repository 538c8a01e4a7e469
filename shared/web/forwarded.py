"""For whom, how and under which name a proxy was asked: believed from our own proxies alone.

Anybody can write `X-Forwarded-For`. So these headers count only when the connection comes from
a network that an operator has named, and then only as far back as such proxies vouch for each
other: the client is the last address in the list that is none of theirs. After that the headers
are gone, and whatever comes behind sees a request as if its client had sent it here itself.
"""

import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from shared.addresses import Networks, within

Header = tuple[bytes, bytes]

FOR, PROTO, HOST = b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host"
# Also those that we never go by: nobody behind must take them for something that was looked at.
_TOLD = frozenset({FOR, PROTO, HOST, b"forwarded", b"x-real-ip", b"x-forwarded-port"})
_NAME = re.compile(
    r"[a-z0-9._-]{1,253}(:\d{1,5})?|\[[0-9a-f:.]{2,45}\](:\d{1,5})?", re.IGNORECASE
)
HOPS_MAX = 20


class Forwarded:
    """Outermost, so that nobody reads a header before it was decided whether to believe it."""

    def __init__(self, app: ASGIApp, proxies: Networks) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and any(name in _TOLD for name, _ in scope["headers"]):
            scope = self._as_it_was_asked(scope)
        await self._app(scope, receive, send)

    def _as_it_was_asked(self, scope: Scope) -> Scope:
        told = scope["headers"]
        plain = [one for one in told if one[0] not in _TOLD]
        peer = scope.get("client")
        if peer is None or not within(peer[0], self._proxies):
            return {**scope, "headers": plain}
        # The client's port is not told; nobody goes by it.
        client = (_client(_values(told, FOR), peer[0], self._proxies), 0)
        scheme = _last(_values(told, PROTO)).lower()
        name = _last(_values(told, HOST))
        if _NAME.fullmatch(name):
            plain = [one for one in plain if one[0] != b"host"]
            plain.insert(0, (b"host", name.encode("ascii")))
        known = scheme if scheme in ("http", "https") else scope["scheme"]
        return {**scope, "headers": plain, "client": client, "scheme": known}


def _client(hops: Sequence[str], peer: str, proxies: Networks) -> str:
    """From the nearest on: the first that is no proxy of ours. What is behind it, it may have
    made up. A list that ends in nonsense is believed as far as it makes sense."""
    nearest = peer
    for hop in reversed(hops[-HOPS_MAX:]):
        address = _address(hop)
        if address is None:
            return nearest
        nearest = address
        if not within(address, proxies):
            break
    return nearest


def _address(hop: str) -> str | None:
    """Without a port, which some proxies write."""
    if hop.startswith("["):
        hop = hop[1:].partition("]")[0]
    elif hop.count(":") == 1:
        hop = hop.partition(":")[0]
    try:
        return str(ip_address(hop))
    except ValueError:
        return None


def _values(headers: Iterable[Header], name: bytes) -> list[str]:
    """Of all headers of that name, which together are one list."""
    text = ",".join(value.decode("latin-1") for key, value in headers if key == name)
    return [one.strip() for one in text.split(",") if one.strip()]


def _last(values: Sequence[str]) -> str:
    """What the nearest proxy added, where those before it left theirs standing."""
    return values[-1] if values else ""
