"""A browser that signed in may do what its key may; what another site makes it send may not."""

from collections.abc import AsyncIterator

import httpx
import pytest

from shared.web import session
from shared.web.app import build_app
from shared.web.cookies import HOST_COOKIE, LOOPBACK_COOKIE, csrf_word
from shared.web.guard import CurrentCaller, guarded_router, needs
from tests.fakes.keys import SpeakingKeys, key_of
from tests.fakes.sessions import InMemorySessions

router = guarded_router()
OWN = {"Origin": "http://127.0.0.1:8000"}
KEY = {"key": "anna:submitter"}


@router.get("/notes", openapi_extra=needs("documents:own:read"))
@router.post("/notes", openapi_extra=needs("documents:own:create"))
async def notes(caller: CurrentCaller) -> str:
    return caller.owner_id


@router.delete("/notes", openapi_extra=needs("documents:all:delete"))
async def clear() -> None: ...


class Browser:
    def __init__(self, address: str = "http://127.0.0.1:8000") -> None:
        self.sessions = InMemorySessions()
        app = build_app(
            "Test",
            [router, session.router],
            authenticator=SpeakingKeys(),
            state={"sessions": self.sessions},
        )
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=address)

    async def sign_in(self, origin: str = OWN["Origin"]) -> httpx.Response:
        return await self.http.post("/v1/session", json=KEY, headers={"Origin": origin})

    async def signed_in(self) -> dict[str, str]:
        """The headers that a page of ours adds to what changes something."""
        answer = await self.sign_in()
        assert answer.status_code == 201
        return {**OWN, "X-CSRF": answer.json()["csrf"]}


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    browser = Browser()
    async with browser.http:
        yield browser


async def test_a_key_is_exchanged_for_a_cookie_no_script_can_read(browser: Browser) -> None:
    answer = await browser.sign_in()

    [token] = browser.sessions.alive
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"{LOOPBACK_COOKIE}={token.lower()}")
    assert {"httponly", "samesite=strict", "path=/"} <= {*cookie.split("; ")}
    assert "domain" not in cookie
    assert token not in answer.text
    assert "anna:submitter" not in answer.text
    assert answer.json()["owner_id"] == "anna"


async def test_beyond_the_own_machine_the_cookie_is_bound_to_host_and_tls() -> None:
    browser = Browser("https://papers.example")

    answer = await browser.sign_in("https://papers.example")

    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{HOST_COOKIE}=")
    assert {"Secure", "HttpOnly", "Path=/"} <= {*cookie.split("; ")}
    [token] = browser.sessions.alive
    planted = {"Cookie": f"{LOOPBACK_COOKIE}={token}"}
    browser.http.cookies.clear()
    assert (await browser.http.get("/notes", headers=planted)).status_code == 401


async def test_a_session_opens_what_its_key_opens(browser: Browser) -> None:
    proof = await browser.signed_in()

    assert (await browser.http.get("/notes")).json() == "anna"
    assert (await browser.http.post("/notes", headers=proof)).json() == "anna"
    assert (await browser.http.delete("/notes", headers=proof)).status_code == 403
    seen = (await browser.http.get("/v1/session")).json()
    assert (seen["owner_id"], seen["csrf"]) == ("anna", proof["X-CSRF"])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": OWN["Origin"]},
        {"X-CSRF": "right"},
        {"Origin": OWN["Origin"], "X-CSRF": "wrong"},
        {"Origin": OWN["Origin"], "X-CSRF": ""},
        {"Origin": "http://127.0.0.1:9999", "X-CSRF": "right"},
        {"Origin": "https://evil.example", "X-CSRF": "right"},
        {"Origin": "null", "X-CSRF": "right"},
        {"Origin": "file://127.0.0.1:8000", "X-CSRF": "right"},
    ],
    ids=str,
)
async def test_a_forged_request_changes_nothing(
    browser: Browser, headers: dict[str, str]
) -> None:
    proof = await browser.signed_in()
    if headers.get("X-CSRF") == "right":
        headers = {**headers, "X-CSRF": proof["X-CSRF"]}

    for method, path in (("POST", "/notes"), ("DELETE", "/v1/session")):
        answer = await browser.http.request(method, path, headers=headers)

        assert answer.status_code == 403
        assert answer.json()["type"] == "/problems/forged-request"
    assert len(browser.sessions.alive) == 1


async def test_the_word_of_one_session_is_not_that_of_another(browser: Browser) -> None:
    await browser.signed_in()

    foreign = {**OWN, "X-CSRF": csrf_word("session-2-of-anna")}

    assert (await browser.http.post("/notes", headers=foreign)).status_code == 403


async def test_a_key_in_the_header_decides_alone(browser: Browser) -> None:
    await browser.signed_in()

    with_key = await browser.http.post("/notes", headers=key_of("otto", "submitter"))
    with_wrong = await browser.http.get("/notes", headers={"Authorization": "Bearer nobody"})
    seen = await browser.http.get("/v1/session", headers=key_of("otto", "submitter"))

    assert with_key.json() == "otto"
    assert with_wrong.status_code == 401
    assert (seen.json()["owner_id"], seen.json()["csrf"]) == ("otto", None)


async def test_an_ended_session_opens_nothing(browser: Browser) -> None:
    proof = await browser.signed_in()
    cookie = dict(browser.http.cookies)

    answer = await browser.http.delete("/v1/session", headers=proof)

    assert answer.status_code == 204
    assert not browser.http.cookies
    # Nor is anything of what was looked at left for whoever sits down next.
    assert answer.headers["clear-site-data"] == '"cache", "storage"'
    assert answer.headers["cache-control"] == "no-store"
    browser.http.cookies.update(cookie)
    assert (await browser.http.get("/notes")).status_code == 401


async def test_a_program_that_signs_nobody_out_clears_no_browser(browser: Browser) -> None:
    await browser.signed_in()

    answer = await browser.http.delete("/v1/session", headers=key_of("otto", "operator"))

    assert answer.status_code == 204
    assert not {"clear-site-data", "set-cookie"} & set(answer.headers)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
async def test_another_site_signs_nobody_in(browser: Browser, origin: str) -> None:
    answer = await browser.sign_in(origin)

    assert answer.status_code == 403
    assert not browser.sessions.alive


async def test_nobody_signs_in_over_an_open_line() -> None:
    browser = Browser("http://papers.example")
    async with browser.http:
        answer = await browser.sign_in("http://papers.example")

    assert answer.status_code == 403
    assert answer.json()["type"] == "/problems/insecure-sign-in"
    assert not browser.sessions.alive


# The last one opens, as a token of a provider would, and is still no key.
@pytest.mark.parametrize("key", ["nobody", "", "x" * 201, "a.b.c:submitter"])
async def test_a_wrong_key_signs_nobody_in(browser: Browser, key: str) -> None:
    answer = await browser.http.post("/v1/session", json={"key": key}, headers=OWN)

    assert answer.status_code in (401, 422)
    assert "set-cookie" not in answer.headers
    assert not browser.sessions.alive


async def test_without_sign_ins_a_cookie_is_nothing() -> None:
    app = build_app("Test", [router], authenticator=SpeakingKeys(), state={})
    http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1")
    async with http:
        answer = await http.get("/notes", headers={"Cookie": f"{LOOPBACK_COOKIE}=x"})

    assert answer.status_code == 401
