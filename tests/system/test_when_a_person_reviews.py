"""The review desk in a real browser: from signing in to a document that is decided."""

from collections.abc import Sequence
from http import HTTPStatus
from secrets import token_hex

import pytest
from playwright.async_api import Browser, expect

from tests.eventually import eventually
from tests.system.browser import DESKTOP, PATIENCE_MS, TABLET
from tests.system.client import Client
from tests.system.invoices import RIGHT_VAT_ID, invoice, unsure_invoice
from tests.system.keys import issued_key
from tests.system.records import Records
from tests.system.reviewing import VAT_ID, Reviewer, reviewer_of
from tests.system.stack import Stack

END_SESSIONS = """
UPDATE access.sessions SET ended_at = now()
 WHERE key_id IN (SELECT key_id FROM access.api_keys WHERE owner_id = $1) RETURNING 1
"""
# Whether the browser has it without asking anybody.
KEPT = """
async (address) => {
  const only = { cache: "only-if-cached", mode: "same-origin" };
  return fetch(address, only).then((answer) => answer.ok, () => false);
}
"""
pytestmark = pytest.mark.usefixtures("nothing_waits")


async def test_who_is_not_signed_in_signs_in_once_and_comes_back(
    browser: Browser, stack: Stack, client: Client
) -> None:
    document_id = await client.to_review(invoice(), filename="wanted.pdf")
    key = await issued_key(stack, "ingrid", "reviewer")
    async with reviewer_of(browser, stack, "ingrid") as visit:
        await visit.page.get_by_role("button", name="Sign out").click()
        await expect(visit.page.get_by_role("link", name="Sign in")).to_be_visible()
        await visit.look("desk-sign-in-1280")

        await visit.sign_in_as(key, f"#item/{document_id}")

        await visit.reads("wanted.pdf")


async def test_whoever_has_signed_out_leaves_nothing_of_a_document_behind(
    browser: Browser, stack: Stack, client: Client
) -> None:
    document_id = await client.to_review(invoice(), filename="left.pdf")
    async with reviewer_of(browser, stack, "ines") as visit:
        page = visit.page
        await visit.open_item(document_id)
        await visit.reads("left.pdf")
        await visit.sees_page()
        picture = await page.locator(".page img").first.get_attribute("src")
        assert await page.evaluate(KEPT, picture)

        async with page.expect_response(
            lambda answer: answer.request.method == "DELETE" and answer.ok
        ) as signed_out:
            await page.get_by_role("button", name="Sign out").click()

        await expect(page.get_by_role("link", name="Sign in")).to_be_visible()
        assert (await (await signed_out.value).all_headers())["clear-site-data"]
        assert not await page.evaluate(KEPT, picture)
        # The way back, inside the page and from another one, leads to the same door.
        await page.go_back()
        await _shows_no_document(visit)
        await visit.open()
        await page.go_back()
        await _shows_no_document(visit)


async def _shows_no_document(visit: Reviewer) -> None:
    await expect(visit.page.get_by_role("link", name="Sign in")).to_be_visible()
    await expect(visit.title).to_have_count(0)
    assert "left.pdf" not in await visit.page.content()


async def test_whoever_is_signed_out_while_typing_goes_on_where_they_were(
    browser: Browser, stack: Stack, client: Client, records: Records
) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="interrupted.pdf")
    name = f"ina-{token_hex(3)}"
    key = await issued_key(stack, name, "reviewer")
    async with reviewer_of(browser, stack, name) as visit:
        await visit.open_item(document_id)
        await visit.reads("interrupted.pdf", "3 to check")
        await visit.entry(VAT_ID).fill(RIGHT_VAT_ID)
        await records.rows(END_SESSIONS, name)
        await eventually(lambda: is_signed_out(visit), within_s=10, every_s=0.2)

        await visit.press("Enter")

        waiting = visit.page.get_by_role("heading", name="You were signed out")
        await expect(waiting).to_be_visible()
        await visit.look("desk-signed-out-1280")
        await signs_in_elsewhere(visit, key)
        await visit.page.get_by_role("button", name="Go on").click()
        await visit.reads("interrupted.pdf", "In review")
        await expect(visit.entry(VAT_ID)).to_have_value(RIGHT_VAT_ID)
        await visit.entry(VAT_ID).focus()
        await visit.press("Enter")
        await visit.is_saved()
    item = await client.get("review", f"/v1/items/{document_id}")
    assert RIGHT_VAT_ID in [one["value"] for one in item["fields"] if one["path"] == VAT_ID]


async def signs_in_elsewhere(visit: Reviewer, key: str) -> None:
    async with visit.page.context.expect_page() as opened:
        await visit.press("Enter")
    other = await opened.value
    await other.get_by_label("API key").fill(key)
    await other.get_by_role("button", name="Sign in", exact=True).click()
    await expect(other.get_by_role("heading", name="Queue")).to_be_visible()
    await other.close()


async def is_signed_out(visit: Reviewer) -> bool:
    answer = await visit.page.context.request.get(f"{visit.stack.address('review_api')}/v1/me")
    return answer.status == HTTPStatus.UNAUTHORIZED


async def test_who_leaves_gives_the_document_back(
    stack: Stack, client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(invoice(), filename="left.pdf")
    await anna.open_item(document_id)
    await anna.reads("left.pdf", "In review")

    await anna.page.get_by_role("link", name="Queue").click()
    row = anna.page.get_by_role("row").filter(has_text="left.pdf")

    await expect(row).to_contain_text("Waiting", timeout=PATIENCE_MS)


async def test_a_queue_before_an_empty_chair_asks_for_nothing(anna: Reviewer) -> None:
    """Or nobody would ever be signed out for not being there."""
    asked: list[str] = []
    anna.page.on("request", lambda one: asked.append(one.url))
    await anna.page.clock.install()
    await anna.page.reload()
    await expect(anna.page.locator(".empty")).to_be_visible()
    await anna.page.mouse.move(300, 600)

    await anna.page.clock.run_for(60_000)
    assert asked_for_the_list(asked)
    await anna.page.clock.run_for(5 * 60_000)
    asked.clear()
    await anna.page.clock.run_for(10 * 60_000)
    assert asked == []
    async with anna.page.expect_request("**/v1/items?*"):
        await anna.page.mouse.move(400, 600)
        await anna.page.clock.run_for(30_000)


def asked_for_the_list(asked: Sequence[str]) -> bool:
    return any("/v1/items?" in one for one in asked)


@pytest.mark.parametrize("window", [DESKTOP, TABLET], ids=lambda one: str(one["width"]))
async def test_the_queue_says_why_and_by_when(
    window: dict[str, int], browser: Browser, stack: Stack, client: Client
) -> None:
    await client.to_review(invoice(), filename="first.pdf")
    await client.to_review(
        invoice(), filename="<b>second</b> with a name that is a good deal too long for it.pdf"
    )
    async with reviewer_of(browser, stack, "quentin", window=window) as visit:
        rows = visit.page.locator("tbody tr")
        await expect(rows).to_have_count(2)
        await expect(rows.first).to_contain_text("Due in")

        await visit.look(f"queue-{window['width']}")

        await visit.page.get_by_role("link", name="Late").click()
        await expect(visit.page.locator(".empty")).to_have_text("Nothing here.")
        await visit.page.get_by_role("link", name="All").click()
        # Its list has a search of its own: before it is there, the other one would be filled.
        await expect(rows).to_have_count(2)
        await visit.page.get_by_label("Search").fill("first")
        await expect(rows).to_have_count(1)


async def test_the_figures_say_how_the_work_goes(client: Client, anna: Reviewer) -> None:
    document_id = await client.to_review(invoice(), filename="counted.pdf")
    await client.reject(document_id)

    await anna.page.get_by_role("link", name="Figures").click()

    await expect(anna.page.get_by_role("heading", name="By reviewer")).to_be_visible()
    await expect(anna.page.get_by_role("row").filter(has_text="local")).to_be_visible()
    await anna.look("figures-1280")


async def test_help_opens_with_a_key_but_not_while_words_are_typed(
    client: Client, anna: Reviewer
) -> None:
    keys = anna.page.get_by_role("dialog", name="Keys")
    await anna.page.get_by_label("Search").focus()
    await anna.type("why?")
    await expect(anna.page.get_by_label("Search")).to_have_value("why?")
    await expect(keys).to_be_hidden()

    await anna.page.get_by_role("heading", name="Queue").focus()
    await anna.press("?")

    await expect(keys).to_be_visible()
    await anna.look("help-1280")
    await anna.press("Escape")
    await expect(keys).to_be_hidden()
