"""The provider behind a sign-in: how it is asked, and what becomes of odd answers."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import pytest

from shared.errors import Retryable
from shared.web.jwks import FRESH_S
from shared.web.openid import EXCHANGES_MAX, OpenId
from tests.eventually import eventually
from tests.openid_provider import (
    OpenIdProvider,
    openid_provider,
)
from tests.unit.shared.sign_in_door import RETURN, Browser, refused

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


@pytest.fixture
async def impatient(idp: OpenIdProvider) -> AsyncIterator[Browser]:
    browser = Browser(idp, patience_s=1.0)
    async with browser.http:
        yield browser


@pytest.mark.parametrize("ways", [None, ["client_secret_basic"], ["client_secret_post"]])
async def test_the_secret_is_shown_to_the_provider_as_it_wants_it(
    browser: Browser, ways: list[str] | None
) -> None:
    if ways is not None:
        browser.idp.description["token_endpoint_auth_methods_supported"] = ways

    await browser.sign_in()

    assert len(browser.sessions.alive) == 1
    [(form, headers)] = browser.idp.exchanged
    assert ("client_secret" in form) == (ways == ["client_secret_post"])
    assert ("Authorization" in headers) != ("client_secret" in form)


async def test_a_client_without_a_secret_shows_none(idp: OpenIdProvider) -> None:
    idp.secret = None
    browser = Browser(idp)
    async with browser.http:
        await browser.sign_in()

    [(form, headers)] = idp.exchanged
    assert ("client_secret" in form, "Authorization" in headers) == (False, False)
    assert len(browser.sessions.alive) == 1


async def test_a_wrong_secret_is_ours_to_put_right(idp: OpenIdProvider) -> None:
    browser = Browser(idp, secret="an old one")
    async with browser.http:
        await refused(browser, await browser.vouched(), "setup")


ANSWERS: dict[str, Mapping[str, Any]] = {
    "no JSON": {"says": b"<html>"},
    "no object": {"says": b"[]"},
    "no token": {"says": b"{}"},
    "two tokens": {"says": b'{"id_token": "one", "id_token": "another"}'},
    "a token that is no text": {"says": b'{"id_token": 7}'},
    "without end": {"says": b'{"id_token": "' + b"x" * (1 << 18) + b'"}'},
    "too deep": {"says": b"[" * 100_000},
    "elsewhere": {"status": 302, "headers": {"Location": "http://127.0.0.1:9/token"}},
    "out of order": {"status": 500},
}


@pytest.mark.parametrize("differing", ANSWERS.values(), ids=ANSWERS)
async def test_a_provider_in_trouble_signs_nobody_in(
    browser: Browser, differing: Mapping[str, Any]
) -> None:
    back = await browser.vouched()
    for name, value in differing.items():
        setattr(browser.idp, name, value)

    await refused(browser, back, "away")


async def test_a_provider_that_says_nothing_is_waited_for_no_longer_than_agreed(
    impatient: Browser,
) -> None:
    back = await impatient.vouched()
    impatient.idp.says = b"{}"
    impatient.idp.may_answer.clear()
    try:
        await refused(impatient, back, "away")
    finally:
        impatient.idp.may_answer.set()


async def test_a_provider_that_goes_on_and_on_is_not_listened_to_for_longer_either(
    impatient: Browser,
) -> None:
    back = await impatient.vouched()
    impatient.idp.says, impatient.idp.drips = b'{"id_token": "and so on"}', True

    async with asyncio.timeout(3):
        await refused(impatient, back, "away")


DESCRIPTIONS: dict[str, Mapping[str, object]] = {
    "of somebody else": {"issuer": "https://evil.example"},
    "without a page": {"authorization_endpoint": None},
    "codes over an open line": {"token_endpoint": "http://id.example/token"},
    "people over an open line": {"authorization_endpoint": "http://id.example/"},
    "a script": {"authorization_endpoint": "javascript:alert(1)"},
}


@pytest.mark.parametrize("differing", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
async def test_nobody_is_sent_where_the_provider_is_not(
    browser: Browser, differing: Mapping[str, object]
) -> None:
    browser.idp.description |= differing

    answer = await browser.leave()

    assert (answer.status_code, answer.json()["retryable"]) == (503, True)
    assert answer.json()["type"] == "/problems/identity-provider-away"
    assert "set-cookie" not in answer.headers


async def test_who_must_name_itself_and_does_not_is_not_believed(browser: Browser) -> None:
    browser.idp.description["authorization_response_iss_parameter_supported"] = True

    await refused(browser, (await browser.vouched()).replace("iss=", "x="), "provider")


async def test_what_the_provider_said_of_itself_is_kept_while_it_is_away(
    idp: OpenIdProvider,
) -> None:
    now_s = [1_000.0]
    openid = OpenId(idp.provider(timeout_s=1.0), idp.client(), lambda: now_s[0])
    known = await openid.endpoints()
    idp.status = 500
    now_s[0] += 3600

    assert await openid.endpoints() == known
    assert len(idp.asked) == 2


async def test_who_waits_for_a_silent_provider_waits_once_and_together(
    idp: OpenIdProvider,
) -> None:
    idp.may_answer.clear()
    # Each question takes longer than the pause before the next one.
    openid = OpenId(idp.provider(timeout_s=1), idp.client(), lambda: 60.0 * len(idp.asked))
    try:
        answers = await asyncio.gather(
            *(openid.endpoints() for _ in range(5)), return_exceptions=True
        )
    finally:
        idp.may_answer.set()

    assert [type(one) for one in answers] == [Retryable] * 5
    assert len(idp.asked) == 1


async def test_who_comes_while_the_provider_is_asked_again_goes_by_what_is_known(
    idp: OpenIdProvider,
) -> None:
    now_s = [1_000.0]
    openid = OpenId(idp.provider(timeout_s=5), idp.client(), lambda: now_s[0])
    known = await openid.endpoints()
    now_s[0] += FRESH_S
    idp.may_answer.clear()
    asking = asyncio.create_task(openid.endpoints())
    try:
        await eventually(lambda: len(idp.asked) == 2)
        async with asyncio.timeout(1):
            assert await openid.endpoints() == known
    finally:
        idp.may_answer.set()
    assert await asking == known


@pytest.mark.parametrize(
    ("status", "error", "word"),
    [
        (400, "invalid_grant", "code"),
        (403, "invalid_grant", "code"),
        (401, "invalid_client", "setup"),
        (400, "invalid_request", "setup"),
        (429, "invalid_grant", "away"),
        (403, None, "away"),
    ],
)
async def test_why_a_code_opens_nothing_is_told_apart(
    browser: Browser, status: int, error: str | None, word: str
) -> None:
    back = await browser.vouched()
    browser.idp.status, browser.idp.says = status, json.dumps({"error": error}).encode()

    await refused(browser, back, word)


async def test_so_many_codes_are_exchanged_at_a_time_and_no_more(
    browser: Browser,
) -> None:
    openid = OpenId(browser.idp.provider(), browser.idp.client())
    openid._exchanges = EXCHANGES_MAX
    state = browser.app._app.state  # type: ignore[attr-defined] # behind the gate
    object.__setattr__(state.sign_ins, "openid", openid)

    await refused(browser, await browser.vouched(), "away")
