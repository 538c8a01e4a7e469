"""The pages that describe APIs and messages: for known readers, by keyboard, on a phone."""

from collections.abc import Sequence
from http import HTTPStatus

import pytest
from playwright.async_api import Browser, Page, expect

from tests.house.repository import SERVICES_WITH_AN_API
from tests.system.browser import PHONE, Scheme, Visit, visit_of
from tests.system.client import Client
from tests.system.stack import Stack

PLACES = ("/docs", "/docs/messages", "/openapi.json", "/asyncapi.json")


@pytest.mark.parametrize("service", SERVICES_WITH_AN_API)
async def test_only_who_is_known_reads_them(service: str, client: Client, stack: Stack) -> None:
    for place in PLACES:
        stranger = await client.http.get(stack.address(f"{service}_api") + place)
        known = await client.ask(service, place)

        assert stranger.status_code == HTTPStatus.UNAUTHORIZED, place
        assert known.status_code == HTTPStatus.OK, place
    # Of one system all tell the same.
    assert known.json() == (await client.get("ingest", "/asyncapi.json"))


async def test_the_messages_keep_nobody_out_and_fit_a_phone(
    browser: Browser, stack: Stack
) -> None:
    async with visit_of(browser, stack, screens=stack.screens, window=PHONE) as visit:
        await visit.open()
        await visit.sign_in()
        await _look(visit, "ingest", "/docs/messages", "messages-phone", ["light"])


# Long pages, each element of which is looked at.
@pytest.mark.slow
@pytest.mark.parametrize("service", SERVICES_WITH_AN_API)
async def test_a_description_keeps_nobody_out(
    service: str, browser: Browser, stack: Stack
) -> None:
    async with visit_of(browser, stack, screens=stack.screens) as visit:
        await visit.open()
        await visit.sign_in()
        await _look(visit, service, "/docs", f"docs-{service}", ["light", "dark"])
        await _look(visit, service, "/docs/messages", f"messages-{service}", ["dark"])


async def _look(
    visit: Visit, service: str, place: str, name: str, schemes: Sequence[Scheme]
) -> None:
    await visit.page.goto(visit.stack.address(f"{service}_api") + place)
    await expect(visit.page.get_by_role("heading", level=1)).to_be_visible()
    await visit.look(name, schemes=schemes)


async def test_the_keyboard_leads_past_the_list_and_to_a_message(
    browser: Browser, stack: Stack
) -> None:
    async with visit_of(browser, stack, screens=stack.screens) as visit:
        await visit.open()
        await visit.sign_in()
        await visit.page.goto(stack.address("ingest_api") + "/docs/messages")

        await visit.page.keyboard.press("Tab")
        skip = visit.page.get_by_role("link", name="Past the list")
        await expect(skip).to_be_focused()
        await expect(skip).to_be_in_viewport()
        await visit.page.keyboard.press("Enter")
        assert await _focused_id(visit.page) == "all"

        await visit.page.get_by_role("link", name="document.extract").first.focus()
        await visit.page.keyboard.press("Enter")
        there = visit.page.get_by_role("heading", name="document.extract 1.", exact=False)
        await expect(there.first).to_be_in_viewport()


async def _focused_id(page: Page) -> str:
    return str(await page.evaluate("document.activeElement.id"))
