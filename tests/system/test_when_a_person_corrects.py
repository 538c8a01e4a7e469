"""Values that need a look: corrected with a keyboard, taken back, kept over a reload."""

import pytest
from playwright.async_api import expect

from tests.system.client import Client
from tests.system.invoices import RIGHT_IBAN, RIGHT_VAT_ID, invoice, unsure_invoice
from tests.system.reviewing import AMOUNT_DUE, IBAN, VAT_ID, Reviewer

# A network that takes its time: what is changed is on its way, and then it is there.
NOTHING_ARRIVES = """
() => {
  const send = window.fetch;
  window.fetch = (path, options = {}) =>
    options.method === "PATCH" ? new Promise(() => {}) : send(path, options);
}
"""
IT_ARRIVES = """
async ([id, value]) => {
  const api = await import("/page/api.js");
  const { version } = await api.show(id);
  await api.change(id, [{ op: "set", path: "buyer.name", value }], version);
}
"""

pytestmark = pytest.mark.usefixtures("nothing_waits")


async def test_a_document_is_corrected_by_keyboard_and_the_next_one_opens(
    client: Client, anna: Reviewer
) -> None:
    await client.to_review(invoice(), filename="certain.pdf")
    document_id = await client.to_review(unsure_invoice(), filename="unsure.pdf")
    await anna.page.reload()
    await anna.page.get_by_role("button", name="Start reviewing").focus()

    await anna.press("Enter")
    await anna.reads("unsure.pdf", "3 to check")
    await expect(anna.entry(AMOUNT_DUE)).to_be_focused()
    await anna.sees_page()
    await anna.look("desk-1280")
    await anna.press("Enter")
    await expect(anna.entry(VAT_ID)).to_be_focused()
    await anna.type(f"{RIGHT_VAT_ID[:2]} {RIGHT_VAT_ID[2:]}")
    await anna.press("Enter")
    await expect(anna.entry(IBAN)).to_be_focused()
    await anna.type(RIGHT_IBAN)
    await anna.press("Enter")

    await anna.reads("certain.pdf")
    item = await client.get("review", f"/v1/items/{document_id}")
    values = {one["path"]: one["value"] for one in item["fields"]}
    assert item["status"] == "corrected"
    assert (values[VAT_ID], values[IBAN]) == (RIGHT_VAT_ID, RIGHT_IBAN)


async def test_three_doubts_take_at_most_twelve_keys(client: Client, anna: Reviewer) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="three.pdf")
    await anna.open_item(document_id)
    await anna.reads("three.pdf", "3 to check")
    anna.pressed = 0

    await anna.press("Enter")
    # The candidates that are a misread character away: held together with Alt is two keys.
    for path in (VAT_ID, IBAN):
        await expect(anna.entry(path)).to_be_focused()
        await anna.press("Alt+1", "Enter")
        anna.pressed += 1

    await expect(anna.page.locator(".toast.good")).to_contain_text("three.pdf approved.")
    assert (await client.get("review", f"/v1/items/{document_id}"))["status"] == "corrected"
    assert anna.pressed <= 12


async def test_a_decision_and_an_edit_are_taken_back(client: Client, anna: Reviewer) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="undone.pdf")
    await anna.open_item(document_id)
    await anna.reads("undone.pdf", "3 to check")
    before = await anna.entry(VAT_ID).input_value()
    await anna.entry(VAT_ID).fill(RIGHT_VAT_ID)
    await anna.press("ArrowDown")
    await anna.is_saved()
    await anna.press("Control+z")
    await expect(anna.entry(VAT_ID)).to_have_value(before)

    await anna.page.get_by_role("button", name="Reject…").click()
    await anna.page.get_by_label("In words").fill("It is a picture of a cat.")
    await anna.page.get_by_role("button", name="Reject", exact=True).click()
    await anna.page.get_by_role("button", name="Undo").click()

    await anna.reads("undone.pdf", "In review")
    assert (await client.get("review", f"/v1/items/{document_id}"))["status"] == "in_review"


async def test_what_was_typed_survives_a_reload(client: Client, anna: Reviewer) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="draft.pdf")
    await anna.open_item(document_id)
    await anna.reads("draft.pdf", "3 to check")
    await anna.entry("buyer.name").focus()
    await anna.page.keyboard.press("ControlOrMeta+a")
    await anna.type("Tischlerei Amselgrund & Töchter")

    await anna.page.reload()

    await anna.reads("draft.pdf", "In review")
    await expect(anna.entry("buyer.name")).to_have_value("Tischlerei Amselgrund & Töchter")
    kept = "[localStorage.length, sessionStorage.length]"
    assert await anna.page.evaluate(kept) == [0, 0]


async def test_what_was_typed_is_waited_for_when_the_page_that_sent_it_is_gone(
    client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="late.pdf")
    await anna.open_item(document_id)
    await anna.reads("late.pdf", "3 to check")
    await anna.page.evaluate(NOTHING_ARRIVES)
    await anna.entry("buyer.name").focus()
    await anna.page.keyboard.press("ControlOrMeta+a")
    await anna.type("Tischlerei Amselgrund & Töchter")

    await anna.page.reload()
    await expect(anna.page.get_by_text("What you typed last is being kept")).to_be_visible()
    await anna.page.evaluate(IT_ARRIVES, [str(document_id), "Tischlerei Amselgrund & Töchter"])

    await anna.reads("late.pdf", "In review")
    await expect(anna.entry("buyer.name")).to_have_value("Tischlerei Amselgrund & Töchter")


async def test_what_was_typed_and_does_not_arrive_is_said_to_be_missing(
    client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="lost.pdf")
    await anna.open_item(document_id)
    await anna.reads("lost.pdf", "3 to check")
    before = await anna.entry("buyer.name").input_value()
    await anna.page.evaluate(NOTHING_ARRIVES)
    await anna.entry("buyer.name").focus()
    await anna.type("!")

    await anna.page.reload()

    await anna.reads("lost.pdf", "In review")
    await expect(anna.page.get_by_text("did not arrive")).to_be_visible()
    await expect(anna.entry("buyer.name")).to_have_value(before)
