"""A person at the review desk: signed in at ingest's page as themselves, with a keyboard.

Keys are pressed through here, so that a test can say how many a decision took.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Browser, Locator, expect

from tests.system.browser import DESKTOP, PATIENCE_MS, Visit, visit_as
from tests.system.keys import issued_key
from tests.system.stack import Stack

# Who reviews is a list that grows with each test, and each of it is a stop.
STEPS_MAX = 300
# By what name a person who hears the page knows where they are.
FOCUSED = """
() => {
  const here = document.activeElement;
  return (here.labels?.[0]?.innerText ?? here.ariaLabel ?? here.innerText ?? "").trim();
}
"""
# Where an unsure invoice is in doubt, from the top of the page.
AMOUNT_DUE, VAT_ID, IBAN = "amount_due", "seller.vat_id", "payment.accounts.0.iban"


@dataclass
class Reviewer(Visit):
    pressed: int = 0
    name: str = ""

    async def open_desk(self, place: str = "") -> None:
        await self.page.goto(f"{self.stack.address('review_api')}/{place}")

    async def sign_in_as(self, key: str, place: str = "") -> None:
        await self.open_desk(place)
        link = self.page.get_by_role("link", name="Sign in")
        # Where the page was open before, its way back is made anew.
        way_back = re.escape(place.replace("#item", "#review"))
        await expect(link).to_have_attribute("href", re.compile(f"{way_back}$"))
        await link.click()
        await self.page.get_by_label("API key").fill(key)
        await self.page.get_by_role("button", name="Sign in").click()
        await expect(self.page.get_by_role("button", name="Sign out")).to_be_visible()

    async def open_item(self, document_id: object) -> None:
        await self.open_desk(f"#item/{document_id}")

    async def reads(self, name: str, badge: str | None = None) -> None:
        """This document is open before them."""
        await expect(self.title).to_have_text(name, timeout=PATIENCE_MS)
        if badge is not None:
            await expect(self.page.locator(".chips")).to_contain_text(badge)

    async def sees_page(self) -> None:
        """The picture has come, so that it is on a picture of the desk."""
        shown = self.page.locator(".page img").first
        await expect(shown).to_have_js_property("complete", True, timeout=PATIENCE_MS)
        assert await shown.evaluate("(picture) => picture.naturalWidth") > 0

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)
            self.pressed += 1

    async def reaches(self, name: str) -> None:
        """With Tab alone, whatever stands on the way."""
        for _ in range(STEPS_MAX):
            if str(await self.page.evaluate(FOCUSED)).startswith(name):
                return
            await self.press("Tab")
        raise AssertionError(f"Tab does not lead to {name!r}")

    async def chooses(self, name: str, *, of: str | None = None) -> None:
        """A button, or with `of` one that its menu holds."""
        if of is not None:
            await self.reaches(of)
            await self.press("Enter")
        await self.reaches(name)
        await self.press("Enter")

    async def answers(self, words: str, *, then: str) -> None:
        """Why, in the dialog that is open, and its last word."""
        await self.reaches("Reason")
        await self.type(words)
        await self.reaches(then)
        await self.press("Enter")

    def dialog(self, title: str) -> Locator:
        return self.page.get_by_role("dialog", name=title)

    async def type(self, text: str) -> None:
        await self.page.keyboard.type(text)
        self.pressed += len(text)

    @property
    def title(self) -> Locator:
        return self.page.locator(".item-title")

    @property
    def doubtful(self) -> Locator:
        return self.page.locator(".doubtful")

    def entry(self, path: str) -> Locator:
        return self.page.locator(f'input[data-path="{path}"]')

    def field(self, path: str) -> Locator:
        return self.page.locator(f'[data-field="{path}"]')

    async def is_saved(self) -> None:
        await expect(self.page.locator(".saving")).to_have_text("Saved")


@asynccontextmanager
async def reviewer_of(
    browser: Browser,
    stack: Stack,
    name: str,
    *,
    role: str = "reviewer",
    window: dict[str, int] = DESKTOP,
) -> AsyncIterator[Reviewer]:
    """Somebody of this name, signed in and before the queue."""
    key = await issued_key(stack, name, role)
    async with visit_as(
        Reviewer, browser, stack, screens=stack.screens, window=window
    ) as visit:
        visit.name = name
        await visit.sign_in_as(key)
        await expect(visit.page.get_by_role("heading", name="Queue")).to_be_visible()
        assert re.fullmatch(r"http://[\w.:]+/(#queue)?", visit.page.url)
        yield visit
