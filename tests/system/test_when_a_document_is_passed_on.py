"""Every other way out of a person's hands than approving, with the keyboard alone."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import Browser, Route, expect

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import (
    INVOICE,
    OTHER_INVOICE,
    SAMPLES,
    invoice,
    several,
    unsure_invoice,
)
from tests.system.reviewing import Reviewer, reviewer_of
from tests.system.stack import Stack

pytestmark = pytest.mark.usefixtures("nothing_waits")

WITH_XML = SAMPLES / "de-quellgrund-getraenke.pdf"
PUT_OFF = ("postponed_until", "opened_at")
WHY = "Because it has to be so."


@pytest.fixture
async def lena(browser: Browser, stack: Stack) -> AsyncIterator[Reviewer]:
    """A lead at the desk, before the queue."""
    async with reviewer_of(browser, stack, f"lena-{token_hex(3)}", role="lead") as visit:
        yield visit


async def item_of(client: Client, document_id: UUID) -> dict[str, Any]:
    found: dict[str, Any] = (await client.review_item(document_id)).json()
    return found


async def in_hand(client: Client, reviewer: Reviewer, content: bytes, filename: str) -> UUID:
    """Open before them, and behind it another that is the next."""
    document_id = await client.to_review(content, filename=filename)
    await client.to_review(invoice(), filename="next.pdf")
    await reviewer.open_item(document_id)
    await reviewer.reads(filename, "In review")
    return document_id


async def test_what_is_put_off_comes_back_by_itself(client: Client, anna: Reviewer) -> None:
    document_id = await in_hand(client, anna, invoice(), "later.pdf")

    await anna.chooses("Postpone…")
    await expect(anna.dialog("Postpone")).to_be_visible()
    await anna.press("ArrowDown")
    await anna.look("dialog-postpone-1280")
    await anna.answers(WHY, then="Postpone")

    await anna.reads("next.pdf", "In review")
    item = await item_of(client, document_id)
    assert (item["status"], item["claimed_by"]) == ("pending", None)
    until, opened = (datetime.fromisoformat(item[one]) for one in PUT_OFF)
    # Tomorrow morning, wherever the browser is.
    assert timedelta() < until - opened < timedelta(hours=34)


async def test_another_time_is_typed(client: Client, anna: Reviewer) -> None:
    document_id = await in_hand(client, anna, invoice(), "much-later.pdf")

    await anna.chooses("Postpone…")
    await anna.reaches("Another time")
    # As an American keyboard user types it into Chromium's own field.
    await anna.type("01022027")
    await anna.press("Tab")
    await anna.type("0930AM")
    await anna.answers(WHY, then="Postpone")

    await anna.reads("next.pdf")
    put_off = (await item_of(client, document_id))["postponed_until"]
    assert str(put_off).startswith("2027-01-0")


async def test_what_is_too_much_for_one_goes_to_those_of_a_higher_level(
    client: Client, anna: Reviewer
) -> None:
    document_id = await in_hand(client, anna, invoice(), "hard.pdf")

    await anna.chooses("Escalate…", of="More")
    await expect(anna.dialog("Ask somebody with more experience")).to_be_visible()
    await anna.press("ArrowDown")
    await anna.look("dialog-escalate-1280")
    await anna.answers(WHY, then="Escalate")

    await anna.reads("next.pdf", "In review")
    item = await item_of(client, document_id)
    assert (item["level"], item["claimed_by"], item["status"]) == (3, None, "pending")


async def test_a_duplicate_names_the_other_one(client: Client, anna: Reviewer) -> None:
    content, mark = unsure_invoice(), token_hex(3)
    original = await client.to_review(content, filename=f"{mark}-original.pdf")
    again = content + b"% scanned again"
    document_id = await in_hand(client, anna, again, "again.pdf")

    await anna.chooses("Mark as a duplicate…", of="More")
    await expect(anna.dialog("Mark as a duplicate")).to_be_visible()
    await anna.type(mark)
    await anna.look("dialog-duplicate-1280")
    await anna.answers(WHY, then="It is a duplicate")

    # The original was there before the other.
    await anna.reads(f"{mark}-original.pdf", "In review")
    item = await item_of(client, document_id)
    assert (item["status"], item["reason_code"]) == ("rejected", "duplicate")
    assert item["duplicate_of"] == str(original)


async def test_what_was_read_badly_is_read_by_another_engine(
    client: Client, anna: Reviewer
) -> None:
    document_id = await in_hand(client, anna, invoice(WITH_XML), "xml.pdf")
    assert (await item_of(client, document_id))["engine"] == "einvoice"

    await anna.chooses("Have it read again…", of="More")
    await expect(anna.dialog("Have it read again")).to_be_visible()
    await anna.type("Our own")
    await anna.look("dialog-reextract-1280")
    await anna.answers(WHY, then="Read again")

    await anna.reads("next.pdf", "In review")

    async def is_back() -> bool:
        item = await item_of(client, document_id)
        return (item["result_version"], item["reextract_asked_by"]) == (2, None)

    await eventually(is_back, within_s=60, every_s=0.1)
    item = await item_of(client, document_id)
    assert (item["engine"], item["status"]) == ("offline", "pending")


async def test_a_pile_becomes_documents(client: Client, anna: Reviewer) -> None:
    document_id = await in_hand(client, anna, several(INVOICE, OTHER_INVOICE), "pile.pdf")

    await anna.chooses("Split…", of="More")
    dialog = anna.dialog("Split into several documents")
    await expect(dialog).to_contain_text("It has 2 pages.")
    await anna.type("1-3")
    await anna.answers(WHY, then="Split")
    wrong = "Write pages such as 1-2; 3, each once."
    await expect(dialog.get_by_role("alert")).to_have_text(wrong)
    await anna.look("dialog-split-1280")
    await anna.press("ControlOrMeta+a")
    await anna.type("1; 2")
    await anna.reaches("Split")
    await anna.press("Enter")

    await anna.reads("next.pdf", "In review")
    item = await item_of(client, document_id)
    assert (item["status"], item["reason_code"]) == ("rejected", "split")
    assert len(item["children"]) == 2
    children = {UUID(one) for one in item["children"]}
    client.promised |= children
    for child in children:
        await client.review_item(child)


async def test_what_was_approved_is_opened_again_and_decided_anew(
    client: Client, lena: Reviewer
) -> None:
    document_id = await client.to_review(invoice(), filename="hasty.pdf")
    assert (await client.approve(document_id)).is_success
    await client.to_review(invoice(), filename="next.pdf")
    await lena.open_item(document_id)
    await lena.reads("hasty.pdf", "Approved")
    await lena.look("desk-decided-1280")

    await lena.chooses("Reopen…")
    await expect(lena.dialog("Open it again")).to_be_visible()
    await lena.look("dialog-reopen-1280")
    await lena.answers(WHY, then="Reopen")

    await lena.reads("hasty.pdf", "In review")
    item = await item_of(client, document_id)
    assert (item["status"], item["claimed_by"], item["revision"]) == ("in_review", lena.name, 1)
    await lena.press("Control+Enter")
    # The one that came after it is the same invoice, so a reason is asked for.
    dialog = lena.dialog("Approve all the same?")
    await expect(dialog).to_contain_text("Probable duplicate of")
    await lena.answers("It is another copy.", then="Approve all the same")
    await lena.reads("next.pdf", "In review")
    item = await item_of(client, document_id)
    assert (item["status"], item["decided_by"], item["revision"]) == ("approved", lena.name, 2)


async def test_a_dialog_that_is_closed_changes_nothing(client: Client, anna: Reviewer) -> None:
    document_id = await in_hand(client, anna, invoice(), "kept.pdf")
    before = await item_of(client, document_id)

    for name, of in (("Postpone…", None), ("Escalate…", "More"), ("Split…", "More")):
        if name == "Split…":
            # Of a file with one page there is nothing to split.
            await expect(anna.page.get_by_role("button", name=name)).to_have_count(0)
            continue
        await anna.chooses(name, of=of)
        await expect(anna.page.get_by_role("dialog")).to_be_visible()
        await anna.press("Escape")
        await expect(anna.page.get_by_role("dialog")).to_have_count(0)

    await anna.reads("kept.pdf", "In review")
    after = await item_of(client, document_id)
    assert (after["version"], after["claimed_by"]) == (before["version"], anna.name)


async def test_whoever_closes_a_question_can_ask_the_next_at_once(
    client: Client, anna: Reviewer
) -> None:
    await in_hand(client, anna, invoice(), "at-once.pdf")
    await anna.chooses("Postpone…")
    await expect(anna.dialog("Postpone")).to_be_visible()

    # Before the browser does anything else.
    await anna.page.evaluate(
        """async () => {
            document.querySelector("dialog button[type=button]").click();
            for (let turn = 0; turn < 20; turn += 1) await null;
            document.querySelector("[data-act=reject]").click();
        }"""
    )

    await expect(anna.dialog("Reject this document")).to_be_visible()


async def test_what_is_about_to_be_pressed_stays_when_a_change_is_kept(
    client: Client, anna: Reviewer
) -> None:
    await in_hand(client, anna, invoice(), "kept-late.pdf")
    is_released = asyncio.Event()

    async def late(route: Route) -> None:
        if route.request.method == "PATCH":
            await is_released.wait()
        await route.continue_()

    await anna.page.route("**/v1/items/**", late)
    await anna.entry("seller.name").fill("Larchfield Maps")
    await anna.chooses("More")
    await anna.reaches("Escalate…")

    is_released.set()
    await anna.is_saved()

    await anna.press("Enter")
    await expect(anna.page.get_by_role("dialog")).to_be_visible()
