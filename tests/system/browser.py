"""A person at a page: a real browser, and everything in it that must not happen, written down.

Whatever the page's own policy stopped, whatever a script threw and whatever asked the person
something out of turn is kept, and a visit ends by looking at it.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    FilePayload,
    Locator,
    Page,
    async_playwright,
    expect,
)

from tests.system.stack import Stack

Scheme = Literal["light", "dark"]
DESKTOP = {"width": 1280, "height": 800}
TABLET = {"width": 768, "height": 1024}
PHONE = {"width": 375, "height": 700}
SERIOUS = ("serious", "critical")
RULES: dict[str, object] = {"resultTypes": ["violations"]}
# What the scheme has to do with. All other rules read the same elements in the next one.
OF_COLOURS: dict[str, object] = RULES | {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
}
PATIENCE_MS = 15_000
# Of every expectation: other tiers run beside, and a page is as slow as that makes it.
expect.set_options(timeout=PATIENCE_MS)
# Chromium says so of every answer from 400 on, also where the page expects it.
EXPECTED = "Failed to load resource"
TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`against the policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


# Without slots: the driver keeps a mark at whoever listens to it.
@dataclass
class Visit:
    page: Page
    stack: Stack
    screens: Path
    trouble: list[str] = field(default_factory=list)

    async def begin(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.trouble.append(f"threw: {error}"))
        self.page.on("dialog", self._dialog)
        await self.page.add_init_script(TELL_VIOLATIONS)

    async def open(self) -> None:
        await self.page.goto(self.stack.address("ingest_api") + "/")

    async def sign_in(self) -> None:
        await self.page.get_by_label("API key").fill(self.stack.key)
        await self.page.get_by_role("button", name="Sign in").click()
        await expect(self.page.get_by_role("heading", name="Files")).to_be_visible()

    async def choose(self, files: Mapping[str, bytes]) -> None:
        chosen = [
            FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
            for name, content in files.items()
        ]
        await self.page.get_by_label("Choose files").set_input_files(chosen)

    def row(self, name: str) -> Locator:
        named = self.page.locator(".name").get_by_text(name, exact=True)
        return self.page.get_by_role("listitem").filter(has=named)

    async def shows(self, name: str, badge: str) -> None:
        await expect(self.row(name).locator(".badge")).to_have_text(badge, timeout=PATIENCE_MS)

    async def look(self, name: str, schemes: Sequence[Scheme] = ("light", "dark")) -> None:
        """In each colour scheme: keep a picture, and find nothing that keeps people out."""
        for nth, scheme in enumerate(schemes):
            await self.page.emulate_media(color_scheme=scheme)
            picture = self.screens / f"{name}-{scheme}.png"
            await self.page.screenshot(path=picture, full_page=True)
            rules = OF_COLOURS if nth else RULES
            assert await self._barriers(rules) == [], f"{name}, {scheme}"
        await self.page.emulate_media(color_scheme="light")
        assert not await self._is_too_wide(), name

    async def _barriers(self, rules: dict[str, object]) -> list[str]:
        found = await Axe().run(self.page, options=rules)
        return [
            f"{one['id']}: {one['help']} {[node['target'] for node in one['nodes']]}"
            for one in found.response["violations"]
            if one["impact"] in SERIOUS
        ]

    async def _is_too_wide(self) -> bool:
        width = "document.documentElement"
        return bool(await self.page.evaluate(f"{width}.scrollWidth > {width}.clientWidth"))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED):
            self.trouble.append(f"said: {message.text}")

    async def _dialog(self, dialog: Dialog) -> None:
        self.trouble.append(f"asked: {dialog.message}")
        await dialog.dismiss()


V = TypeVar("V", bound=Visit)


@asynccontextmanager
async def browser_of(program: Path, *, as_root: bool) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        # Chromium's own sandbox refuses to work for root.
        arguments = ["--no-sandbox"] if as_root else []
        browser = await playwright.chromium.launch(executable_path=program, args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def visit_as(
    kind: type[V],
    browser: Browser,
    stack: Stack,
    *,
    screens: Path,
    window: dict[str, int] = DESKTOP,
) -> AsyncIterator[V]:
    screens.mkdir(parents=True, exist_ok=True)
    context = await browser.new_context(viewport=window)  # type: ignore[arg-type]
    try:
        visit = kind(await context.new_page(), stack, screens)
        await visit.begin()
        yield visit
        assert visit.trouble == []
    finally:
        await context.close()


@asynccontextmanager
async def visit_of(
    browser: Browser, stack: Stack, *, screens: Path, window: dict[str, int] = DESKTOP
) -> AsyncIterator[Visit]:
    async with visit_as(Visit, browser, stack, screens=screens, window=window) as visit:
        yield visit
