"""Pages behind a proxy that speaks TLS: as if there were none, and not for a mere header."""

from collections.abc import Sequence

import httpx
from fastapi import Request

from shared.addresses import networks_named
from shared.web import session
from shared.web.app import build_app
from shared.web.cookies import HOST_COOKIE, LOOPBACK_COOKIE, address_of
from shared.web.forwarded import Forwarded
from shared.web.guard import CurrentCaller, guarded_router, needs
from tests.fakes.keys import SpeakingKeys
from tests.fakes.sessions import InMemorySessions

KEY = {"key": "anna:submitter"}
PAGE = "https://papers.example"
TOLD = {
    "X-Forwarded-For": "203.0.113.5",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "papers.example",
}
router = guarded_router()


@router.get("/whence", openapi_extra=needs("documents:own:read"))
async def whence(request: Request, _caller: CurrentCaller) -> str:
    return address_of(request)


def behind(*, peer: str, proxies: str = "10.1.0.0/16") -> httpx.AsyncClient:
    app = build_app(
        "Test",
        [router, session.router],
        authenticator=SpeakingKeys(),
        state={"sessions": InMemorySessions()},
    )
    believing = Forwarded(app, networks_named(proxies))
    transport = httpx.ASGITransport(believing, client=(peer, 4711))
    # As a proxy asks that passes on no name: under ours, and in the clear.
    return httpx.AsyncClient(transport=transport, base_url="http://10.1.0.2:8080")


async def _signs_in(
    http: httpx.AsyncClient, told: dict[str, str], origin: str = PAGE
) -> httpx.Response:
    return await http.post("/v1/session", json=KEY, headers={"Origin": origin, **told})


async def test_somebody_signs_in_through_our_proxy_with_a_cookie_for_tls_only() -> None:
    async with behind(peer="10.1.0.7") as http:
        answer = await _signs_in(http, TOLD)

    assert answer.status_code == 201
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{HOST_COOKIE}=")
    assert "Secure" in _words(cookie)


async def test_the_same_headers_of_a_stranger_open_nothing() -> None:
    async with behind(peer="198.51.100.9") as http:
        answer = await _signs_in(http, TOLD)

    assert answer.status_code == 403
    assert answer.json()["type"].endswith("forged-request")


async def test_a_page_that_came_without_tls_is_not_ours_where_tls_is_spoken() -> None:
    async with behind(peer="10.1.0.7") as http:
        answer = await _signs_in(http, TOLD, origin="http://papers.example")

    assert answer.status_code == 403


async def test_a_proxy_that_says_it_was_asked_in_the_clear_takes_no_key() -> None:
    plain = {**TOLD, "X-Forwarded-Proto": "http"}
    async with behind(peer="10.1.0.7") as http:
        answer = await _signs_in(http, plain, origin="http://papers.example")

    assert answer.status_code == 403
    assert answer.json()["type"].endswith("insecure-sign-in")


async def test_a_default_port_is_no_other_name() -> None:
    told = {**TOLD, "X-Forwarded-Host": "papers.example:443"}
    async with behind(peer="10.1.0.7") as http:
        assert (await _signs_in(http, told)).status_code == 201


async def test_on_the_machine_itself_tls_binds_the_cookie_too() -> None:
    told = {**TOLD, "X-Forwarded-Host": "localhost:8443"}
    async with behind(peer="10.1.0.7") as http:
        answer = await _signs_in(http, told, origin="https://localhost:8443")

    assert answer.status_code == 201
    assert not answer.headers["set-cookie"].startswith(LOOPBACK_COOKIE)


async def test_a_browser_that_came_over_tls_comes_no_other_way_again() -> None:
    async with behind(peer="10.1.0.7") as http:
        over_tls = await http.get("/v1/me", headers=TOLD)
        plain = await http.get("/v1/me", headers=TOLD | {"X-Forwarded-Proto": "http"})
        here = await http.get("/v1/me", headers=TOLD | {"X-Forwarded-Host": "localhost:8443"})

    assert over_tls.headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in plain.headers
    assert "strict-transport-security" not in here.headers


async def test_whose_request_it_is_cannot_be_made_up() -> None:
    key = {"Authorization": "Bearer anna:submitter"}
    found = []
    for peer in ("10.1.0.7", "198.51.100.9"):
        async with behind(peer=peer) as http:
            found.append((await http.get("/whence", headers=TOLD | key)).json())

    assert found == ["203.0.113.5", "198.51.100.9"]


def _words(cookie: str) -> Sequence[str]:
    return cookie.split("; ")
