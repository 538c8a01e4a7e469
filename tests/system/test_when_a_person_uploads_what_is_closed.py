"""Archives and locked files at the upload page: both are opened where they arrive."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.locked import LOCKED, PASSWORD
from tests.system.browser import Visit, visit_of
from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.stack import Stack
from tests.zips import packed


@pytest.fixture
async def visit(browser: Browser, stack: Stack, client: Client) -> AsyncIterator[Visit]:
    async with visit_of(browser, stack, screens=stack.screens) as begun:
        await begun.open()
        await begun.sign_in()
        yield begun
    await client.note_all()


async def test_an_archive_is_followed_file_by_file(visit: Visit) -> None:
    await visit.choose(
        {"post.zip": packed(("a.pdf", invoice()), ("notes.txt", b"none of ours"))}
    )

    await visit.shows("post.zip", "Unpacked")
    await visit.shows("a.pdf", "Completed")
    await visit.shows("notes.txt", "Refused")
    await expect(visit.row("post.zip").locator(".detail")).to_have_text("1 document, 1 refused")


async def test_a_locked_file_is_opened_with_its_password(visit: Visit) -> None:
    await visit.page.get_by_text("Locked PDFs").click()
    password = visit.page.get_by_label("Password of the PDFs you choose next")
    await password.fill("not this one")

    await visit.choose({"locked.pdf": LOCKED})
    await visit.shows("locked.pdf", "Refused")
    await visit.look("locked")
    await password.fill(PASSWORD)
    await visit.page.get_by_role("button", name="Try locked.pdf again").click()

    await expect(visit.row("locked.pdf").locator(".badge")).not_to_have_text("Refused")
    await visit.shows("locked.pdf", "Completed")
