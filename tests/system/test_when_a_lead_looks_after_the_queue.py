"""Whose a document is, who is there, what became of it, and what would need nobody."""

from collections.abc import AsyncIterator
from secrets import token_hex
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import Browser, expect

from tests.eventually import eventually
from tests.system.browser import DESKTOP, TABLET
from tests.system.client import Client
from tests.system.invoices import RIGHT_VAT_ID, invoice, unsure_invoice
from tests.system.reviewing import VAT_ID, Reviewer, reviewer_of
from tests.system.stack import Stack

pytestmark = pytest.mark.usefixtures("nothing_waits")

WINDOWS = pytest.mark.parametrize(
    "window", [DESKTOP, TABLET], ids=lambda one: str(one["width"])
)


@pytest.fixture
async def lena(browser: Browser, stack: Stack) -> AsyncIterator[Reviewer]:
    """A lead at the desk, before the queue."""
    async with reviewer_of(browser, stack, f"lena-{token_hex(3)}", role="lead") as visit:
        yield visit


async def known(client: Client, name: str) -> dict[str, Any]:
    found = (await client.get("review", "/v1/reviewers"))["reviewers"]
    [one] = [one for one in found if one["name"] == name]
    return dict(one)


async def is_free(client: Client, document_id: UUID) -> bool:
    item = (await client.review_item(document_id)).json()
    return item["claimed_by"] is None


async def test_a_document_is_given_to_a_person_from_the_queue_and_from_the_desk(
    client: Client, anna: Reviewer, lena: Reviewer
) -> None:
    first = await client.to_review(invoice(), filename="for-anna.pdf")
    # Whoever has asked for work once is known.
    await anna.open_item(first)
    await anna.reads("for-anna.pdf", "In review")
    await anna.page.get_by_role("link", name="Queue").click()
    await lena.page.reload()
    await expect(lena.page.get_by_role("link", name="for-anna.pdf")).to_be_visible()

    await lena.chooses("Give for-anna.pdf to somebody")
    await expect(lena.dialog("Give it to somebody")).to_be_visible()
    await lena.type(anna.name)
    await lena.look("dialog-give-1280")
    await lena.chooses("Give")

    await expect(lena.page.locator(".holder", has_text=anna.name)).to_be_visible()
    item = (await client.review_item(first)).json()
    assert (item["assigned_to"], item["status"]) == (anna.name, "pending")
    await lena.look("queue-given-1280")
    second = await client.to_review(invoice(), filename="also-for-anna.pdf")
    await client.to_review(invoice(), filename="next.pdf")
    await lena.open_item(second)
    await lena.reads("also-for-anna.pdf", "In review")
    await lena.chooses("Give to somebody…", of="More")
    await expect(lena.dialog("Give it to somebody")).to_be_visible()
    await lena.type(anna.name)
    await lena.chooses("Give")
    await lena.reads("next.pdf", "In review")
    item = (await client.review_item(second)).json()
    assert (item["assigned_to"], item["claimed_by"]) == (anna.name, None)


async def test_what_needs_a_level_is_offered_to_nobody_below_it(
    client: Client, anna: Reviewer, lena: Reviewer
) -> None:
    document_id = await client.to_review(invoice(), filename="difficult.pdf")
    await anna.open_item(document_id)
    await anna.reads("difficult.pdf", "In review")
    await anna.page.get_by_role("link", name="Queue").click()
    # What somebody still holds is hers to pass on.
    await eventually(lambda: is_free(client, document_id))
    asked, home = {"level": 2, "reason": "Above us."}, f"/v1/items/{document_id}"
    assert (await client.post("review", f"{home}/escalate", json=asked)).is_success
    await lena.page.reload()
    whom = lena.dialog("Give it to somebody")
    given = whom.locator("option", has_text=anna.name)

    await lena.chooses("Give difficult.pdf to somebody")
    await expect(whom).to_contain_text("It needs somebody of level 2.")
    await expect(given).to_have_count(0)
    await lena.press("Escape")
    path = f"/v1/reviewers/{anna.name}"
    assert (await client.put("review", path, json={"level": 2})).is_success
    await lena.chooses("Give difficult.pdf to somebody")

    await expect(given).to_have_count(1)


@WINDOWS
async def test_who_goes_away_says_so_and_a_lead_says_who_may_what(
    window: dict[str, int], browser: Browser, stack: Stack, client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(invoice(), filename="begun.pdf")
    await anna.open_item(document_id)
    await anna.reads("begun.pdf", "In review")
    await anna.page.get_by_role("link", name="People").click()

    await anna.chooses("I am away")
    await expect(anna.page.get_by_role("button", name="I am back")).to_be_focused()
    assert not (await known(client, anna.name))["active"]
    await anna.press("Enter")
    await expect(anna.page.get_by_role("button", name="I am away")).to_be_visible()
    assert (await known(client, anna.name))["active"]
    await expect(anna.page.get_by_label(f"Level of {anna.name}")).to_have_count(0)

    async with reviewer_of(
        browser, stack, f"lena-{token_hex(3)}", role="lead", window=window
    ) as lena:
        await lena.page.get_by_role("link", name="People").click()
        await lena.reaches(f"Level of {anna.name}")
        await lena.press("3")
        await expect(lena.page.locator("#said")).to_have_text(f"{anna.name} is of level 3 now.")
        await lena.look(f"people-{window['width']}")
    assert (await known(client, anna.name))["level"] == 3


@WINDOWS
async def test_the_history_of_a_document_says_who_did_what(
    window: dict[str, int], browser: Browser, stack: Stack, client: Client
) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="storied.pdf")
    asked = {"level": 2, "reason": "The account is <b>new</b>."}
    assert (await client.correct(document_id, VAT_ID, RIGHT_VAT_ID)).is_success
    home = f"/v1/items/{document_id}"
    assert (await client.post("review", f"{home}/escalate", json=asked)).is_success
    name = f"lena-{token_hex(3)}"
    async with reviewer_of(browser, stack, name, role="lead", window=window) as lena:
        await lena.open_item(document_id)
        await lena.reads("storied.pdf", "In review")

        await lena.chooses("History…", of="More")

        dialog = lena.dialog("What became of storied.pdf")
        entries = dialog.get_by_role("listitem").filter(has=lena.page.locator(".trail-deed"))
        await expect(entries).to_have_count(4)
        await expect(entries.nth(0)).to_contain_text(f"{name} took it")
        await expect(entries.nth(1)).to_contain_text("local passed it on")
        await expect(entries.nth(1)).to_contain_text("“The account is <b>new</b>.”")
        await expect(entries.nth(2)).to_contain_text("local corrected")
        await expect(entries.nth(2)).to_contain_text(f"→ {RIGHT_VAT_ID}")
        await lena.look(f"history-{window['width']}")
        await lena.press("Escape")
        await expect(dialog).to_have_count(0)
        await lena.reads("storied.pdf", "In review")


@WINDOWS
async def test_what_would_need_nobody_is_asked_without_changing_anything(
    window: dict[str, int], browser: Browser, stack: Stack, client: Client
) -> None:
    for content in (invoice(), unsure_invoice(), unsure_invoice()):
        document_id = await client.to_review(content, filename="judged.pdf")
        item = await client.review_item(document_id)
        override, seen = {"override": "Known."}, {"If-Match": item.headers["ETag"]}
        path = f"/v1/items/{document_id}/approve"
        assert (await client.post("review", path, json=override, headers=seen)).is_success
    name = f"lena-{token_hex(3)}"
    async with reviewer_of(browser, stack, name, role="lead", window=window) as lena:
        await lena.page.get_by_role("link", name="Automatic").click()
        threshold, what_if = (
            lena.page.get_by_label("If every field"),
            lena.page.locator("#what-if"),
        )
        await expect(what_if).to_contain_text("would have needed nobody")
        before = await what_if.text_content()
        asked = await threshold.input_value()

        await lena.reaches("If every field")
        await lena.press("Home")

        await expect(what_if).not_to_have_text(str(before))
        await expect(lena.page.locator(".threshold")).to_have_text("50 %")
        assert asked != "0.5"
        await expect(lena.page.locator(".curve circle").first).to_be_visible()
        await expect(
            lena.page.get_by_role("heading", name="What held them back")
        ).to_be_visible()
        await lena.look(f"automatic-{window['width']}")
    now = await client.get("review", "/v1/straight-through")
    assert now["threshold"] == float(asked)
