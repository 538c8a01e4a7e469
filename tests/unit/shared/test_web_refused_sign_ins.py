"""Whatever a sign-in may come back with that nobody is let in for, and what they are told."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import pytest

from shared.web.attempts import LASTS_S
from tests.identity_provider import FOREIGN_KEY
from tests.openid_provider import (
    CLIENT_ID,
    SECRET,
    Code,
    OpenIdProvider,
    openid_provider,
)
from tests.unit.shared.sign_in_door import HOME, RETURN, Browser, refused

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


Bend = Callable[[str], str]
RETURNS: dict[str, tuple[Bend, str]] = {
    "no state": (lambda back: back.replace("state=", "x="), "state"),
    "another state": (lambda back: back.replace("state=", "state=A"), "state"),
    "a state that is no text": (lambda back: back.replace("state=", "state=%FF"), "state"),
    "of another provider": (lambda back: back.replace("iss=", "iss=https://evil."), "provider"),
    "no code": (lambda back: back.replace("code=", "x="), "provider"),
    "a code that was made up": (lambda back: back.replace("code=", "code=A"), "code"),
    "an endless code": (lambda back: back.replace("code=", "code=" + "A" * 5000), "provider"),
    "cancelled": (lambda back: back.replace("code=", "error=access_denied&x="), "denied"),
    "trouble there": (lambda back: back.replace("code=", "error=server_error&x="), "provider"),
}  # fmt: skip


@pytest.mark.parametrize(("bend", "word"), RETURNS.values(), ids=RETURNS)
async def test_what_does_not_fit_signs_nobody_in(
    browser: Browser, bend: Bend, word: str
) -> None:
    await refused(browser, bend(await browser.vouched()), word)


CLAIMS: dict[str, tuple[Mapping[str, Any], str]] = {
    "of another attempt": ({"nonce": "A" * 43}, "token"),
    "of no attempt": ({"nonce": None}, "token"),
    "a nonce that is no text": ({"nonce": 7}, "token"),
    "made for somebody else": ({"aud": "somebody-else"}, "token"),
    "made for the API": ({"aud": "paperline"}, "token"),
    "for several, and for whom?": ({"aud": [CLIENT_ID, "other"]}, "token"),
    "for several, and not for us": ({"aud": [CLIENT_ID, "other"], "azp": "other"}, "token"),
    "for another party": ({"azp": "other"}, "token"),
    "of another issuer": ({"iss": "https://evil.example"}, "token"),
    "expired": ({"iat": 1, "exp": 2}, "token"),
    "not yet": ({"iat": 1 << 40, "exp": (1 << 40) + 1}, "token"),
    "of nobody": ({"sub": None}, "token"),
    "of somebody without a name": ({"sub": " "}, "token"),
    "without a role": ({"roles": []}, "roles"),
    "with our word and not theirs": ({"roles": ["reviewer", "admin"]}, "roles"),
}


@pytest.mark.parametrize(("claims", "word"), CLAIMS.values(), ids=CLAIMS)
async def test_what_is_not_believed_signs_nobody_in(
    browser: Browser, claims: Mapping[str, Any], word: str
) -> None:
    browser.idp.claims_say = dict(claims)

    await refused(browser, await browser.vouched(), word)


async def test_a_token_for_several_that_names_us_is_believed(browser: Browser) -> None:
    browser.idp.claims_say = {"aud": [CLIENT_ID, "other"], "azp": CLIENT_ID}

    assert (await browser.sign_in()).headers["location"] == "/#"


async def test_a_token_that_somebody_else_signed_signs_nobody_in(browser: Browser) -> None:
    browser.idp.signs_with = FOREIGN_KEY

    await refused(browser, await browser.vouched(), "token")


async def test_a_return_is_worth_something_once(browser: Browser) -> None:
    back = await browser.vouched()
    cookies = dict(browser.http.cookies)
    await browser.http.get(back)
    again = await browser.http.get(back)
    # As one who kept the cookie would have it.
    browser.http.cookies.set(ATTEMPT, cookies[ATTEMPT])
    kept = await browser.http.get(back)

    assert again.headers["location"] == "/#refused/state/"
    assert kept.headers["location"] == "/#refused/code/"
    assert len(browser.sessions.alive) == 1


async def test_a_return_that_somebody_made_up_ends_nothing(browser: Browser) -> None:
    back = await browser.vouched()

    await refused(browser, f"{RETURN}?code=x&state=x", "state")

    assert (await browser.http.get(back)).headers["location"] == "/#"


async def test_a_return_is_worth_nothing_in_another_browser(browser: Browser) -> None:
    back = await browser.vouched()
    async with browser.another() as other:
        answer = await other.get(back)

    assert answer.headers["location"] == "/#refused/state/"
    assert not browser.sessions.alive
    # And ends nothing that is under way.
    assert (await browser.http.get(back)).headers["location"] == "/#"


async def test_a_code_of_another_attempt_is_worth_nothing(browser: Browser) -> None:
    """Somebody else's code, put into the return of the victim: PKCE."""
    theirs = (await browser.vouched("ingo")).partition("code=")[2].partition("&")[0]
    back = await browser.vouched()
    own = back.partition("code=")[2].partition("&")[0]

    await refused(browser, back.replace(own, theirs), "code")


async def test_after_ten_minutes_one_begins_anew(browser: Browser) -> None:
    back = await browser.vouched()
    browser.clock.advance(LASTS_S)

    await refused(browser, back, "state")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
async def test_another_site_begins_nothing(browser: Browser, origin: str) -> None:
    answer = await browser.http.post("/v1/sign-in", json={}, headers={"Origin": origin})

    assert answer.json()["type"] == "/problems/forged-request"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("home", "problem"),
    [("http://papers.example", "insecure-sign-in"), ("http://localhost:8080", "other-address")],
)
async def test_the_page_has_to_be_where_people_come_back_to(
    idp: OpenIdProvider, home: str, problem: str
) -> None:
    browser = Browser(idp, home=home)
    async with browser.http:
        answer = await browser.leave()

    assert (answer.status_code, answer.json()["type"]) == (403, f"/problems/{problem}")
    if problem == "other-address":
        assert answer.json()["detail"] == f"Open this page at {HOME}/ to sign in."


async def test_no_secret_is_written_down(
    browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "shared")
    tokens: list[str] = []
    made = browser.idp.id_token

    def kept(code: Code) -> str:
        tokens.append(made(code))
        return tokens[-1]

    browser.idp.id_token = kept  # type: ignore[method-assign] # a test listens in
    await browser.sign_in()
    browser.idp.claims_say = {"nonce": "A" * 43}
    back = await browser.vouched()
    await refusal(browser, back)
    await refusal(browser, await browser.vouched())
    await refusal(browser, (await browser.vouched()).replace("code=", "code=A"))

    sent = [form for form, _ in browser.idp.exchanged]
    written = "\n".join(f"{one.getMessage()} {vars(one)}" for one in caplog.records)
    assert "sign_in_not_believed" in written
    assert "code_refused" in written
    secrets = [SECRET, *tokens, *browser.sessions.alive]
    secrets += [form[name] for form in sent for name in ("code", "code_verifier")]
    assert [one for one in secrets if one in written] == []


async def refusal(browser: Browser, back: str) -> None:
    answer = await browser.http.get(back)
    assert answer.headers["location"].startswith("/#refused/")
