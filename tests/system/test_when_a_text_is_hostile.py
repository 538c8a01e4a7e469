"""Documents that try to become programs at the review desk."""

import re
from secrets import token_hex
from urllib.parse import quote

import pytest
from playwright.async_api import expect

from tests.system.client import Client
from tests.system.payloads import PAYLOADS, e_invoice
from tests.system.reviewing import Reviewer

pytestmark = pytest.mark.usefixtures("nothing_waits")


async def test_a_text_is_text_wherever_it_comes_from(client: Client, anna: Reviewer) -> None:
    assert len(PAYLOADS) == 40
    documents = {
        payload: await client.hand_in(
            e_invoice(payload, f"X-{token_hex(3)}-{place}"), filename=quote(f"{payload}.xml")
        )
        for place, payload in enumerate(PAYLOADS)
    }
    for document_id in documents.values():
        await client.ends(document_id)
        await client.review_item(document_id)

    await anna.open_desk("#queue")
    await expect(anna.page.locator("tbody tr")).to_have_count(len(documents))
    for payload, document_id in documents.items():
        await anna.open_item(document_id)
        await expect(anna.entry("invoice_number")).to_be_visible()
        shown = payload.replace("\u200b", "")
        await expect(anna.entry("seller.name")).to_have_value(re.compile(re.escape(shown)))
        await expect(anna.entry("lines.0.description")).to_have_value(
            re.compile(re.escape(shown))
        )

    await anna.look("hostile-texts-1280")
    planted = "main :is(script, iframe, object, embed, base, meta, style, video, marquee)"
    assert await anna.page.locator(planted).count() == 0
