"""A document changed in two places: both values are shown, nothing is overwritten."""

from secrets import token_hex
from uuid import UUID

import pytest
from playwright.async_api import Browser, expect

from tests.system.browser import DESKTOP, TABLET
from tests.system.client import Client
from tests.system.invoices import RIGHT_VAT_ID, unsure_invoice
from tests.system.keys import issued_key
from tests.system.reviewing import VAT_ID, Reviewer, reviewer_of
from tests.system.stack import Stack

pytestmark = pytest.mark.usefixtures("nothing_waits")


@pytest.mark.parametrize("window", [DESKTOP, TABLET], ids=lambda one: str(one["width"]))
async def test_who_changes_what_another_has_changed_sees_both(
    window: dict[str, int], browser: Browser, stack: Stack, client: Client
) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="contested.pdf")
    name = f"berta-{token_hex(3)}"
    key = await issued_key(stack, name, "reviewer")
    async with reviewer_of(browser, stack, name, window=window) as berta:
        await berta.open_item(document_id)
        await berta.reads("contested.pdf", "3 to check")
        await berta.sees_page()
        await berta.look(f"desk-{window['width']}")

        # The same person in another place: somebody else could not, as long as it is held.
        await change(stack, client, key, document_id, {"buyer.name": "Elsewhere AG"})
        await berta.entry("buyer.name").fill("Here & Now GmbH")
        await berta.press("ArrowDown")

        dialog = berta.page.get_by_role("dialog", name="Changed by two people")
        await expect(dialog).to_contain_text("Elsewhere AG")
        await expect(dialog).to_contain_text("Here & Now GmbH")
        await berta.look(f"conflict-{window['width']}")
        await berta.press("ArrowRight")
        await dialog.get_by_role("button", name="Keep what I picked").click()
        await expect(berta.entry("buyer.name")).to_have_value("Elsewhere AG")

        await change(stack, client, key, document_id, {"seller.name": "Joined AG"})
        await berta.entry("buyer.name").fill("Both GmbH")
        await berta.press("ArrowDown")
        await expect(berta.entry("seller.name")).to_have_value("Joined AG")
        await expect(berta.entry("buyer.name")).to_have_value("Both GmbH")
        await expect(dialog).to_be_hidden()


async def test_a_hold_that_ended_is_told_and_nothing_is_overwritten(
    client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="lost.pdf")
    await anna.open_item(document_id)
    await anna.reads("lost.pdf", "3 to check")
    taken = f"/v1/items/{document_id}/takeover"
    await client.post("review", taken, json={"reason": "She has gone home."})

    await anna.entry(VAT_ID).fill(RIGHT_VAT_ID)
    await anna.press("Enter")

    banner = anna.page.locator(".banner")
    await expect(banner).to_contain_text("local is reviewing this document now")
    await expect(anna.page.get_by_role("button", name="Approve")).to_be_hidden()
    await expect(anna.entry(VAT_ID)).not_to_be_editable()
    await anna.look("desk-lost-1280")
    item = await client.get("review", f"/v1/items/{document_id}")
    assert RIGHT_VAT_ID not in [one["value"] for one in item["fields"]]


async def change(
    stack: Stack, client: Client, key: str, document_id: UUID, values: dict[str, str]
) -> None:
    """As a program with somebody's key does it."""
    home = f"{stack.address('review_api')}/v1/items/{document_id}"
    login = {"Authorization": f"Bearer {key}"}
    seen = await client.http.get(home, headers=login)
    changes = [{"op": "set", "path": path, "value": value} for path, value in values.items()]
    kept = await client.http.patch(
        f"{home}/fields",
        json={"changes": changes},
        headers={**login, "If-Match": seen.headers["ETag"]},
    )
    assert kept.is_success, kept.text
