"""The upload page in a real browser, from a pasted key to the review of what was read."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import (
    Browser,
    FileChooser,
    FilePayload,
    Page,
    Response,
    Route,
    expect,
)

from tests.eventually import eventually
from tests.system.browser import DESKTOP, PATIENCE_MS, PHONE, Visit, visit_of
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, INVOICE_NUMBER, SAMPLES, invoice
from tests.system.stack import Stack

GERMAN = SAMPLES / "de-nordwind-werkzeuge.pdf"
# A name, and how it is shown.
HOSTILE = {
    **{
        name: name
        for name in (
            "<img src=x onerror=alert(1)>.pdf",
            "<script>alert(2)</script>.pdf",
            '"><svg onload=alert(3)>.pdf',
            "{{constructor.constructor('alert(4)')()}}.pdf",
            "javascript:alert(5).pdf",
            "a" * 180 + ".pdf",
        )
    },
    # The writing is not turned round, or this would end in .png.
    "\u202egnp.exe": "gnp.exe",
}


@pytest.fixture
async def visit(browser: Browser, stack: Stack, client: Client) -> AsyncIterator[Visit]:
    async with visit_of(browser, stack, screens=stack.screens) as begun:
        yield begun
    await client.note_all()


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=lambda one: str(one["width"]))
async def test_files_are_followed_to_their_results(
    window: dict[str, int], browser: Browser, stack: Stack, client: Client
) -> None:
    files = {
        "books.pdf": invoice(),
        "werkzeuge.pdf": invoice(GERMAN),
        "protected.pdf": invoice(ENCRYPTED),
        "a-page.html": b"<!doctype html>",
        "empty.pdf": b"",
    }
    width = window["width"]
    opened = visit_of(browser, stack, screens=stack.screens, window=window)
    async with opened as visit:
        await visit.open()
        await expect(visit.page.get_by_label("API key")).to_be_focused()
        await visit.look(f"sign-in-{width}")
        await visit.sign_in()
        await visit.look(f"signed-in-{width}")

        await visit.choose(files)

        await visit.shows("books.pdf", "Completed")
        await visit.shows("werkzeuge.pdf", "Completed")
        await visit.shows("protected.pdf", "Failed")
        await visit.shows("a-page.html", "Refused")
        await visit.shows("empty.pdf", "Refused")
        await expect(visit.page.locator("#summary")).to_have_text(
            "5 of 5 finished, 3 not successful"
        )
        await expect(visit.row("protected.pdf").locator(".detail")).to_contain_text("encrypted")
        review = visit.row("books.pdf").get_by_role("link", name="Review of books.pdf")
        await expect(review).to_be_visible(timeout=PATIENCE_MS)
        await visit.look(f"finished-{width}")

        result = visit.row("books.pdf").get_by_role("link", name="Result of books.pdf")
        read = await _opened(visit.page, result.click)
        assert INVOICE_NUMBER in await read.inner_text("body")
        looked_at = await _opened(visit.page, review.click)
        document_id = read.url.split("/")[-2]
        assert looked_at.url == f"{stack.address('review_api')}/#item/{document_id}"
        # The sign-in of this page opens that one.
        await expect(looked_at.get_by_role("heading", name="books.pdf")).to_be_visible()
    await client.note_all()


async def test_the_way_of_a_file_is_seen_while_it_is_read(visit: Visit, stack: Stack) -> None:
    row = visit.row("held.pdf")
    bar = row.get_by_role("progressbar", name="Progress of held.pdf")

    async def is_read_after_a_thaw() -> bool:
        # Again and again: a signal that comes before the reading is held releases nothing.
        stack.thaw("extractor")
        return await row.locator(".badge").inner_text() == "Completed"

    async with stack.armed("extractor", "extractor.engine_answered:hold"):
        await visit.open()
        await visit.sign_in()
        await visit.choose({"held.pdf": invoice()})

        await visit.shows("held.pdf", "Processing")
        await expect(row.locator(".detail")).to_have_text("Reading the document")
        sent, read = 33, 100
        assert sent < await bar.evaluate("bar => bar.value") < read
        await visit.look("under-way")
        await eventually(is_read_after_a_thaw, within_s=30, every_s=0.2)
    await expect(bar).to_be_hidden()


async def test_a_stream_alone_carries_the_progress(visit: Visit) -> None:
    streams: list[str] = []

    def note(answer: Response) -> None:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            streams.append(answer.url)

    visit.page.on("response", note)
    # No timer of the page goes off any more, so nothing is asked now and then.
    await visit.page.clock.install()
    await visit.open()
    await visit.sign_in()
    await visit.page.clock.pause_at("2100-01-01")

    await visit.choose({"streamed.pdf": invoice()})

    await visit.shows("streamed.pdf", "Completed")
    assert len(streams) == 1


async def test_without_streams_the_page_asks_again(visit: Visit) -> None:
    blocked: list[str] = []

    async def block(route: Route) -> None:
        blocked.append(route.request.url)
        await route.abort()

    await visit.page.route("**/events", block)
    await visit.open()
    await visit.sign_in()

    await visit.choose({"asked.pdf": invoice()})

    await visit.shows("asked.pdf", "Completed")
    assert len(blocked) == 1


async def test_the_keyboard_is_enough(visit: Visit) -> None:
    page, keys = visit.page, visit.page.keyboard
    # From the beginning: asked for with the key that opens it, it may come too late.
    choosers: asyncio.Queue[FileChooser] = asyncio.Queue()
    page.on("filechooser", choosers.put_nowait)
    await visit.open()
    await expect(page.get_by_label("API key")).to_be_focused()
    await keys.type("not a key")
    await keys.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
    await visit.look("wrong-key")
    await keys.press("ControlOrMeta+a")
    await keys.type(visit.stack.key)
    await keys.press("Enter")
    await expect(page.get_by_role("heading", name="Upload documents")).to_be_focused()

    await _tab_to(page, "files")
    await visit.look("focus")
    await keys.press("Enter")
    file = FilePayload(name="keys.pdf", mimeType="application/pdf", buffer=invoice())
    async with asyncio.timeout(PATIENCE_MS / 1000):
        await (await choosers.get()).set_files(file)
    await visit.shows("keys.pdf", "Completed")
    await _tab_to(page, "Result of keys.pdf")
    read = await _opened(page, lambda: keys.press("Enter"))
    assert INVOICE_NUMBER in await read.inner_text("body")
    await page.bring_to_front()
    await _tab_to(page, "clear")
    await keys.press("Space")
    await expect(page.locator("#summary")).to_have_text("Nothing uploaded yet.")
    await _tab_to(page, "sign-out")
    await keys.press("Enter")
    await expect(page.get_by_label("API key")).to_be_focused()


async def test_a_name_is_text_whatever_it_says(visit: Visit) -> None:
    await visit.open()
    await visit.sign_in()

    await visit.choose({name: invoice() for name in HOSTILE})

    for shown in HOSTILE.values():
        await visit.shows(shown, "Completed")
    assert await visit.page.locator("#rows :is(img, script, svg)").count() == 0
    await visit.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    await visit.look("hostile-names")


async def test_whoever_has_used_up_the_day_is_told_so_and_not_kept_waiting(
    visit: Visit,
) -> None:
    told = "This key may hand in 5 documents a day."

    async def refuse(route: Route) -> None:
        # Until midnight.
        headers = {"Retry-After": "40000", "Content-Type": "application/problem+json"}
        await route.fulfill(status=429, headers=headers, body=f'{{"detail": "{told}"}}')

    await visit.page.route("**/v1/documents", refuse)
    await visit.open()
    await visit.sign_in()

    await visit.choose({"late.pdf": invoice()})

    await visit.shows("late.pdf", "Refused")
    await expect(visit.row("late.pdf").locator(".detail")).to_have_text(told)
    await visit.page.unroute("**/v1/documents")
    await visit.row("late.pdf").get_by_role("button", name="Try late.pdf again").click()
    await visit.shows("late.pdf", "Completed")


async def test_a_session_that_ended_is_begun_anew_and_nothing_is_lost(visit: Visit) -> None:
    await visit.open()
    await visit.sign_in()
    await visit.page.context.clear_cookies()

    await visit.choose({"later.pdf": invoice()})
    await expect(visit.page.get_by_role("alert").first).to_contain_text("session has ended")
    await visit.sign_in()

    await visit.shows("later.pdf", "Completed")


async def test_the_api_is_described_on_a_page(visit: Visit) -> None:
    await visit.open()
    await visit.sign_in()

    link = visit.page.get_by_role("link", name="For programs: the API")
    visit.page = await _opened(visit.page, link.click)
    await visit.page.set_viewport_size(PHONE)  # type: ignore[arg-type]

    upload = visit.page.get_by_role("heading", name="POST /v1/documents", exact=True)
    await expect(upload).to_be_visible()
    await visit.look("docs", schemes=["dark"])


async def _opened(page: Page, act: object) -> Page:
    """The page that opens in a tab of its own."""
    async with page.context.expect_page() as opened:
        await act()  # type: ignore[operator]
    found = await opened.value
    await found.wait_for_load_state()
    return found


async def _tab_to(page: Page, wanted: str) -> None:
    """Wanted by its id or its name; a person gives up after a few dozen."""
    for _ in range(40):
        await page.keyboard.press("Tab")
        told = "document.activeElement"
        names = await page.evaluate(f"[{told}.id, {told}.getAttribute('aria-label')]")
        if wanted in names:
            return
    raise AssertionError(f"no way to {wanted} with the keyboard")
