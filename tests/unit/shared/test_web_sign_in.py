"""Signing in with an identity provider: there, back, and where one goes on."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from shared.access.keys import Caller
from shared.addresses import networks_named
from shared.web.attempts import LASTS_S
from shared.web.cookies import LOOPBACK_COOKIE, csrf_word
from shared.web.forwarded import Forwarded
from tests.fakes.keys import SpeakingKeys
from tests.openid_provider import (
    PEOPLE,
    OpenIdProvider,
    openid_provider,
)
from tests.unit.shared.sign_in_door import ITEM, OWN, RETURN, Browser

ATTEMPT = "paperline_sign_in"


@pytest.fixture
def idp() -> Iterator[OpenIdProvider]:
    with openid_provider(RETURN) as running:
        yield running


@pytest.fixture
async def browser(idp: OpenIdProvider) -> AsyncIterator[Browser]:
    browser = Browser(idp)
    async with browser.http:
        yield browser


async def test_a_person_comes_back_signed_in(browser: Browser) -> None:
    answer = await browser.sign_in()

    assert (answer.status_code, answer.headers["location"]) == (303, "/#")
    me = (await browser.me()).json()
    assert (me["owner_id"], me["name"], me["roles"]) == (
        "anna-1",
        "Anna Petersen",
        ["reviewer"],
    )
    assert me["key_id"].startswith("oidc-")
    assert browser.noted == [("anna-1", "Anna Petersen", ["reviewer"])]
    # Not for a day: then the provider is asked again whether she is still one of theirs.
    assert browser.sessions.lifetimes_s == [3600]
    seen = (await browser.http.get("/v1/session")).json()
    assert (seen["owner_id"], seen["name"]) == ("anna-1", "Anna Petersen")
    proof = {**OWN, "X-CSRF": seen["csrf"]}
    assert (await browser.http.post("/items", headers=proof)).json() == "anna-1"
    assert (await browser.http.post("/items", headers=OWN)).status_code == 403


async def test_a_sign_in_and_a_token_are_the_same_person(browser: Browser) -> None:
    await browser.sign_in()
    signed_in = (await browser.me()).json()
    browser.http.cookies.clear()

    token = browser.idp.token(**PEOPLE["anna"])
    shown = await browser.http.get("/v1/me", headers={"Authorization": f"Bearer {token}"})

    assert shown.json() == signed_in


async def test_both_cookies_are_for_no_script_and_one_of_them_is_short_lived(
    browser: Browser,
) -> None:
    begun = (await browser.leave()).headers["set-cookie"]
    [ended, dropped] = (await browser.sign_in()).headers.get_list("set-cookie")

    assert begun.startswith(f"{ATTEMPT}=")
    assert {"HttpOnly", f"Max-Age={LASTS_S}", "Path=/", "SameSite=lax"} <= {*begun.split("; ")}
    [token] = browser.sessions.alive
    assert ended.startswith(f"{LOOPBACK_COOKIE}={token}; ")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= {*ended.split("; ")}
    assert dropped.startswith(f'{ATTEMPT}=""; ')
    assert "Max-Age=0" in dropped


@pytest.mark.parametrize(
    ("proxies", "address"), [("", "127.0.0.1"), ("127.0.0.0/8", "203.0.113.5")]
)
async def test_from_where_somebody_signed_in_is_no_matter_of_a_header(
    browser: Browser, proxies: str, address: str
) -> None:
    behind = httpx.ASGITransport(Forwarded(browser.app, networks_named(proxies)))
    told = {"X-Forwarded-For": "203.0.113.5"}
    async with httpx.AsyncClient(transport=behind, base_url=browser.home, headers=told) as http:
        browser.http, before = http, browser.http
        await browser.sign_in()
        browser.http = before

    assert browser.addresses == [address]


async def test_beyond_the_own_machine_the_way_back_is_bound_to_host_and_tls() -> None:
    with openid_provider("https://papers.example/v1/sign-in/return") as idp:
        browser = Browser(idp, home="https://papers.example")
        async with browser.http:
            begun = (await browser.leave()).headers["set-cookie"]
            answer = await browser.sign_in()

    assert begun.startswith(f"__Host-{ATTEMPT}=")
    assert "Secure" in begun.split("; ")
    assert answer.headers["set-cookie"].startswith(f"__Host-{LOOPBACK_COOKIE}=")


async def test_the_provider_learns_nothing_that_proves_who_left(browser: Browser) -> None:
    first, second = await browser.left(), await browser.left()

    cookie = browser.http.cookies[ATTEMPT]
    secret = cookie.partition(".")[0]
    assert not {*first.values()} & {cookie, secret}
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name]) == 43
        assert first[name] != second[name]
        assert first[name] not in cookie
    assert len({first["state"], first["nonce"], first["code_challenge"]}) == 3


@pytest.mark.parametrize(
    "place",
    ["", "review", f"review/{ITEM}", "console", "console/queues", f"console/document/{ITEM}"],
)  # fmt: skip
async def test_one_goes_on_where_one_wanted_to(browser: Browser, place: str) -> None:
    answer = await browser.sign_in(place=place)

    assert answer.headers["location"] == f"/#{place}"


@pytest.mark.parametrize(
    "place",
    ["https://evil.example", "//evil.example", "/", "review/", "review/..", "\n", "review\n",
     f"review/{ITEM}/x", f"REVIEW/{ITEM}", "javascript:alert(1)", "review?x", "x" * 5000,
     "console/", "console//evil.example", "console/a/b/c", f"console/document/{ITEM}/x"],
)  # fmt: skip
async def test_nobody_is_led_elsewhere(browser: Browser, place: str) -> None:
    answer = await browser.leave(place)

    assert answer.status_code == 422
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("place", ["//evil.example", "review:x", "https:::evil.example"])
async def test_a_cookie_that_was_written_by_hand_leads_nowhere_either(
    browser: Browser, place: str
) -> None:
    back = await browser.vouched()
    secret, ends_at, _ = browser.http.cookies[ATTEMPT].split(".")
    browser.http.cookies.clear()
    browser.http.cookies.set(ATTEMPT, f"{secret}.{ends_at}.{place}")

    answer = await browser.http.get(back)

    assert answer.headers["location"] == "/#refused/state/"


async def test_another_place_than_one_left_for_is_another_attempt(browser: Browser) -> None:
    back = await browser.vouched()
    cookie = browser.http.cookies[ATTEMPT]
    browser.http.cookies.clear()
    browser.http.cookies.set(ATTEMPT, f"{cookie}review")

    answer = await browser.http.get(back)

    assert answer.headers["location"] == "/#refused/state/review"
    assert not browser.sessions.alive


async def test_signing_in_anew_ends_what_was_open_in_this_browser(browser: Browser) -> None:
    otto = await SpeakingKeys().authenticate("otto:reviewer")
    assert otto is not None
    browser.http.cookies.set(LOOPBACK_COOKIE, await browser.sessions.create(otto))

    await browser.sign_in()

    assert [one.owner_id for one in browser.sessions.alive.values()] == ["anna-1"]


async def test_another_role_ends_the_sessions_of_the_one_before(browser: Browser) -> None:
    await browser.sign_in()
    [before] = browser.sessions.alive
    browser.idp.people["anna"] = PEOPLE["anna"] | {"roles": ["invoices-in"]}
    browser.http.cookies.clear()

    await browser.sign_in()

    [after] = browser.sessions.alive.values()
    assert before not in browser.sessions.alive
    assert isinstance(after, Caller)
    assert after.roles == {"submitter"}


async def test_signing_out_ends_it(browser: Browser) -> None:
    await browser.sign_in()
    [token] = browser.sessions.alive

    proof = {**OWN, "X-CSRF": csrf_word(token)}
    answer = await browser.http.delete("/v1/session", headers=proof)

    assert (answer.status_code, browser.sessions.alive) == (204, {})


async def test_without_a_provider_there_is_no_way_there_and_none_back(
    browser: Browser,
) -> None:
    browser.app._app.state.sign_ins = None  # type: ignore[attr-defined] # behind the gate

    assert (await browser.leave()).status_code == 404
    assert (await browser.http.get("/v1/sign-in/return")).status_code == 404


async def test_where_keys_are_for_programs_nobody_signs_in_with_one(browser: Browser) -> None:
    browser.app._app.state.key_sign_in = False  # type: ignore[attr-defined] # behind the gate

    answer = await browser.http.post("/v1/session", json={"key": "rita:reviewer"}, headers=OWN)
    with_key = await browser.http.get(
        "/items", headers={"Authorization": "Bearer rita:reviewer"}
    )

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/no-key-sign-in")
    assert with_key.json() == "rita"
