"""Reviewers who want the same document: one holds it, and nothing is overwritten unseen."""

import pytest
from playwright.async_api import Browser, expect

from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.reviewing import Reviewer, reviewer_of
from tests.system.stack import Stack

pytestmark = pytest.mark.usefixtures("nothing_waits")


async def test_two_people_do_not_review_the_same_document(
    browser: Browser, stack: Stack, client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(invoice(), filename="shared.pdf")
    async with reviewer_of(browser, stack, "lena", role="lead") as lena:
        await anna.open_item(document_id)
        await anna.reads("shared.pdf", "In review")

        await lena.open_item(document_id)

        await lena.reads("shared.pdf")
        await expect(lena.page.locator(".banner")).to_contain_text("is reviewing this document")
        await expect(lena.page.get_by_role("button", name="Approve")).to_be_hidden()
        await lena.look("desk-held-1280")
        await lena.page.get_by_role("button", name="Take over…").click()
        await lena.page.get_by_label("Reason").fill("Anna is at lunch.")
        await lena.page.get_by_role("button", name="Take over", exact=True).click()
        await expect(lena.page.get_by_role("button", name="Approve")).to_be_visible()
