"""Whom a proxy asks for: believed from ours, as far as ours vouch, and from nobody else."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from shared.addresses import networks_named
from shared.web.forwarded import Forwarded

OURS = "10.1.0.0/16, fd00::/8"
PROXY, STRANGER = "10.1.0.7", "198.51.100.9"


class Seen:
    """What the app behind is told of a request."""

    def __init__(self) -> None:
        self.scope: Scope = {}

    async def __call__(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        self.scope = scope

    @property
    def client(self) -> str:
        return str(self.scope["client"][0])

    @property
    def asked(self) -> tuple[str, str, str]:
        host = dict(self.scope["headers"]).get(b"host", b"").decode()
        return self.client, self.scope["scheme"], host


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


async def _nowhere(_message: Message) -> None: ...


async def seen(peer: str | None, *told: tuple[str, str], proxies: str = OURS) -> Seen:
    behind = Seen()
    scope: Scope = {
        "type": "http",
        "scheme": "http",
        "client": (peer, 4711) if peer else None,
        "headers": [
            (b"host", b"inside:8080"),
            (b"accept", b"*/*"),
            *((name.lower().encode(), text.encode("latin-1")) for name, text in told),
        ],
    }
    await Forwarded(behind, networks_named(proxies))(scope, _nothing, _nowhere)
    return behind


ALL = (
    ("X-Forwarded-For", "203.0.113.5"),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Host", "papers.example"),
)


async def test_our_proxy_is_believed() -> None:
    found = await seen(PROXY, *ALL)

    assert found.asked == ("203.0.113.5", "https", "papers.example")


@pytest.mark.parametrize("peer", [STRANGER, "127.0.0.1", "10.2.0.7"])
async def test_nobody_else_is(peer: str) -> None:
    found = await seen(peer, *ALL)

    assert found.asked == (peer, "http", "inside:8080")


async def test_without_a_setting_nobody_is() -> None:
    found = await seen(PROXY, *ALL, proxies="")

    assert found.asked == (PROXY, "http", "inside:8080")


async def test_a_connection_without_an_address_is_nobodys() -> None:
    found = await seen(None, *ALL)

    assert found.scope["scheme"] == "http"
    assert found.scope["client"] is None


@pytest.mark.parametrize("peer", [PROXY, STRANGER])
async def test_what_was_told_reaches_nobody_behind(peer: str) -> None:
    others = (("Forwarded", "for=1.2.3.4"), ("X-Real-IP", "1.2.3.4"), ("X-Forwarded-Port", "1"))

    found = await seen(peer, *ALL, *others)

    assert {name for name, _ in found.scope["headers"]} == {b"host", b"accept"}


@pytest.mark.parametrize(
    ("told", "client"),
    [
        # What stands before the first that is none of ours, that one may have made up.
        ("6.6.6.6, 203.0.113.5", "203.0.113.5"),
        ("6.6.6.6, 203.0.113.5, 10.1.0.9", "203.0.113.5"),
        ("10.1.0.3, 6.6.6.6, 203.0.113.5, 10.1.0.9, fd00::1", "203.0.113.5"),
        # All of them ours: somebody inside asked.
        ("10.1.0.3, 10.1.0.9", "10.1.0.3"),
        ("203.0.113.5:4711", "203.0.113.5"),
        ("[2001:db8::1]:443, 10.1.0.9", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        # Nonsense is nobody's address: as far as it makes sense.
        ("6.6.6.6, unknown", PROXY),
        ("6.6.6.6, _hidden, 10.1.0.9", "10.1.0.9"),
        ("<script>", PROXY),
        ("203.0.113.5\x01", PROXY),
        ("", PROXY),
        (" , ,", PROXY),
        (", ".join(["6.6.6.6"] + ["10.1.0.9"] * 40), "10.1.0.9"),
    ],
)
async def test_the_client_is_the_nearest_that_is_no_proxy_of_ours(
    told: str, client: str
) -> None:
    found = await seen(PROXY, ("X-Forwarded-For", told))

    assert found.client == client


async def test_several_headers_are_one_list() -> None:
    found = await seen(
        PROXY, ("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "203.0.113.5")
    )

    assert found.client == "203.0.113.5"


@pytest.mark.parametrize("told", ["ftp", "httpsx", "", "javascript", "https http"])
async def test_a_way_that_is_none_is_not_believed(told: str) -> None:
    found = await seen(PROXY, ("X-Forwarded-Proto", told))

    assert found.scope["scheme"] == "http"


@pytest.mark.parametrize(
    "told", ["", "papers.example/evil", "papers.example\r\nx: y", "a b", "user@host", "x" * 300]
)
async def test_a_name_that_is_none_is_not_believed(told: str) -> None:
    found = await seen(PROXY, ("X-Forwarded-Host", told))

    assert found.asked[2] == "inside:8080"


@pytest.mark.parametrize("told", ["papers.example", "papers.example:8443", "[2001:db8::1]:443"])
async def test_a_name_may_have_a_port(told: str) -> None:
    found = await seen(PROXY, ("X-Forwarded-Host", told))

    assert found.asked[2] == told


async def test_the_word_of_the_nearest_proxy_counts() -> None:
    """One that only appends leaves standing what its client has sent."""
    found = await seen(PROXY, ("X-Forwarded-Proto", "https, http"))

    assert found.scope["scheme"] == "http"


async def test_a_client_on_a_socket_of_both_families_is_known() -> None:
    found = await seen(f"::ffff:{PROXY}", *ALL)

    assert found.client == "203.0.113.5"
