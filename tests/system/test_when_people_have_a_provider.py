"""People sign in with an identity provider, in a real browser: they have no key at all.

The provider is another site for the browser, as it is for everybody, so its return reaches us
without the cookies that only our own pages bring along.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.eventually import eventually
from tests.openid_provider import CLIENT_ID, SECRET, OpenIdProvider, openid_provider
from tests.system.browser import DESKTOP, PHONE, visit_as
from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.reviewing import Reviewer
from tests.system.stack import Stack

SIGNS_PEOPLE_IN = ("ingest", "review", "monitor")
LABEL = "Nordwind"


@pytest.fixture(scope="module")
async def idp(stack: Stack) -> AsyncIterator[OpenIdProvider]:
    home = stack.address("ingest_api")
    # Its name makes it another site than ours, which is called by its number.
    with openid_provider(f"{home}/v1/sign-in/return", host="localhost") as running:
        async with _told(stack, running):
            yield running


@asynccontextmanager
async def _told(stack: Stack, idp: OpenIdProvider) -> AsyncIterator[None]:
    secret = stack.state.root / "client-secret"
    secret.write_text(SECRET)
    with pytest.MonkeyPatch.context() as surroundings:
        for name, text in {
            "OIDC_ISSUER": idp.issuer,
            "OIDC_AUDIENCE": "paperline",
            "OIDC_ROLES": '{"invoices-desk": "reviewer", "invoices-in": "submitter"}',
            "OIDC_CLIENT_ID": CLIENT_ID,
            "OIDC_CLIENT_SECRET_FILE": str(secret),
            "OIDC_REDIRECT_URL": idp.redirect_url,
            "OIDC_LABEL": LABEL,
        }.items():
            surroundings.setenv(f"PAPERLINE_{name}", text)
        try:
            await asyncio.gather(*map(stack.start, SIGNS_PEOPLE_IN))
            yield
        finally:
            surroundings.undo()
            await asyncio.gather(*map(stack.start, SIGNS_PEOPLE_IN))


@contextmanager
def saying(idp: OpenIdProvider, claims: Mapping[str, Any]) -> Iterator[None]:
    idp.claims_say = dict(claims)
    try:
        yield
    finally:
        idp.claims_say = {}


@pytest.fixture
async def visit(browser: Browser, stack: Stack, idp: OpenIdProvider) -> AsyncIterator[Reviewer]:
    assert idp.issuer
    async with visit_as(Reviewer, browser, stack, screens=stack.screens) as begun:
        yield begun


async def sign_in(visit: Reviewer, name: str = "anna", place: str = "") -> None:
    """From the desk to the provider and, if all goes well, back."""
    await visit.open_desk(place)
    await visit.page.get_by_role("link", name="Sign in").click()
    await visit.page.get_by_role("button", name=f"Sign in with {LABEL}").click()
    await visit.page.get_by_role("link", name=f"Continue as {name}").click()


async def test_a_person_signs_in_reviews_and_is_on_record(
    client: Client, visit: Reviewer, nothing_waits: None
) -> None:
    document_id = await client.to_review(invoice(), filename="vouched.pdf")

    await sign_in(visit, place=f"#item/{document_id}")

    await visit.reads("vouched.pdf", "In review")
    await expect(visit.page.locator("#owner")).to_have_text("Anna Petersen")
    # Whatever others handed in that looks alike, this needs nothing else to be checked.
    await visit.page.get_by_role("button", name="Reject…").click()
    await visit.page.get_by_label("In words").fill("It is a picture of a cat.")
    await visit.page.get_by_role("button", name="Reject", exact=True).click()
    await expect(visit.page.locator(".toast.good")).to_contain_text("vouched.pdf rejected.")
    item = await client.get("review", f"/v1/items/{document_id}")
    assert (item["status"], item["decided_by"]) == ("rejected", "anna-1")
    told = await client.get("review", f"/v1/items/{document_id}/audit")
    assert ("anna-1", "item_rejected") in {
        (one["actor"], one["action"]) for one in told["entries"]
    }
    [known] = (await client.get("ingest", "/v1/audit?actor=anna-1"))["items"]
    assert (known["action"], known["after"]) == (
        "signed_in", {"name": "Anna Petersen", "roles": ["reviewer"], "from": "127.0.0.1"},
    )  # fmt: skip
    assert (await client.get("review", "/v1/audit/verify"))["intact"] is True


async def test_signing_out_at_the_desk_ends_it_at_every_service(
    stack: Stack, visit: Reviewer
) -> None:
    await sign_in(visit)
    await expect(visit.page.get_by_role("heading", name="Queue")).to_be_visible()
    addresses = [stack.address(f"{name}_api") for name in SIGNS_PEOPLE_IN]
    cookies = await visit.page.context.cookies(addresses[0])

    async def answers() -> set[int]:
        asked = [await visit.page.context.request.get(f"{one}/v1/me") for one in addresses]
        return {one.status for one in asked}

    assert [(one["name"], one["sameSite"], one["httpOnly"]) for one in cookies] == [
        ("paperline_session", "Strict", True)
    ]
    assert await answers() == {HTTPStatus.OK}
    await visit.page.get_by_role("button", name="Sign out").click()
    await expect(visit.page.get_by_role("link", name="Sign in")).to_be_visible()
    # Also for whoever kept the cookie.
    await visit.page.context.add_cookies(cookies)  # type: ignore[arg-type] # of the same kind

    async def is_over() -> bool:
        return await answers() == {HTTPStatus.UNAUTHORIZED}

    await eventually(is_over, within_s=5, every_s=0.2)


REFUSED: dict[str, tuple[Mapping[str, Any], str]] = {
    "of another attempt": ({"nonce": "A" * 43}, "could not be verified"),
    "for somebody else": ({"aud": "somebody-else"}, "could not be verified"),
    "expired": ({"iat": 1, "exp": 2}, "could not be verified"),
    "without a role": ({"roles": []}, "ask whoever runs Paperline for a role"),
}


@pytest.mark.parametrize(("claims", "words"), REFUSED.values(), ids=REFUSED)
async def test_who_is_not_believed_reads_why_in_plain_words(
    visit: Reviewer, idp: OpenIdProvider, claims: Mapping[str, Any], words: str
) -> None:
    with saying(idp, claims):
        await sign_in(visit)

    await expect(visit.page.locator("#refusal")).to_contain_text(words)
    await expect(visit.page.get_by_role("button", name="Sign out")).to_be_hidden()


async def test_a_return_is_worth_something_once_and_here_alone(
    visit: Reviewer, stack: Stack, idp: OpenIdProvider
) -> None:
    returns: list[str] = []
    visit.page.on("request", lambda one: returns.append(one.url))
    await sign_in(visit, "ingo")
    await expect(visit.page.locator("#notice")).to_contain_text("may not review")
    [back] = [one for one in returns if one.startswith(idp.redirect_url)]
    await visit.page.get_by_role("button", name="Sign out").click()
    await expect(visit.page.get_by_role("link", name="Sign in")).to_be_visible()

    for address in (back, f"{idp.redirect_url}?code=x&state=x"):
        await visit.page.goto(address)
        await expect(visit.page.locator("#refusal")).to_contain_text(
            "begun in another browser or window"
        )

    await visit.page.get_by_role("button", name=f"Sign in with {LABEL}").click()
    await visit.page.get_by_role("link", name="Cancel").click()
    await expect(visit.page.locator("#refusal")).to_have_text("The sign-in was cancelled.")
    answer = await visit.page.context.request.get(stack.address("ingest_api") + "/v1/me")
    assert answer.status == HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=lambda one: str(one["width"]))
async def test_the_page_shows_both_ways_in(
    browser: Browser, stack: Stack, idp: OpenIdProvider, window: dict[str, int]
) -> None:
    assert idp.issuer
    async with visit_as(
        Reviewer, browser, stack, screens=stack.screens, window=window
    ) as visit:
        await visit.open()
        button = visit.page.get_by_role("button", name=f"Sign in with {LABEL}")
        await expect(button).to_be_focused()
        await visit.look(f"sign-in-provider-{window['width']}")
        await button.click()
        await visit.page.get_by_role("link", name="Cancel").click()
        await expect(visit.page.locator("#refusal")).to_be_visible()
        await visit.look(f"sign-in-refused-{window['width']}")

        await visit.page.get_by_label("API key").fill(stack.key)
        await visit.page.get_by_role("button", name="Sign in", exact=True).click()

        await expect(visit.page.get_by_role("heading", name="Files")).to_be_visible()
