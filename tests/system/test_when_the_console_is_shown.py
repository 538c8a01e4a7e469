"""The pages of the operators' console: for every eye, on a phone, and with texts that try to be
programs."""

import re
from secrets import token_hex
from urllib.parse import quote
from uuid import uuid4

import pytest
from playwright.async_api import Browser, expect

from shared.bus.headers import DEAD_EXCEPTION, DEAD_FINGERPRINT, DEAD_MESSAGE, DEAD_REASON
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from shared.topology.queues import EXTRACT
from tests import builders
from tests.eventually import eventually
from tests.fakes.clock import NOON
from tests.system.browser import DESKTOP, PATIENCE_MS, PHONE, Scheme
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.operating import Operator, locked, operator_of
from tests.system.payloads import PAYLOADS
from tests.system.stack import Stack
from tests.system.tap import publish_letter


async def test_a_text_is_text_in_names_reasons_and_messages(
    client: Client, stack: Stack, olga: Operator
) -> None:
    prefix, fingerprint = f"x{token_hex(3)}", token_hex(8)
    # Of a path only the last name is kept.
    names = [one for one in PAYLOADS if not re.search(r"[/\\]", one)]
    for name in names:
        await client.hand_in(invoice(ENCRYPTED), filename=quote(f"{prefix} {name}.pdf"))
    for payload in PAYLOADS:
        order = builders.extract_document(document_id=uuid4())
        raw = encode(order, job_id=new_id(), created_at=NOON, traceparent=None)
        headers = {
            DEAD_REASON: payload,
            DEAD_MESSAGE: payload,
            DEAD_EXCEPTION: payload,
            DEAD_FINGERPRINT: fingerprint,
        }
        await publish_letter(stack, EXTRACT.name, raw.decode(), headers)

    async def all_are_known() -> bool:
        found = await client.get("monitor", f"/ops/v1/documents?find={prefix}")
        return len(found["documents"]) == len(names)

    await eventually(all_are_known, within_s=30, every_s=0.2)
    await olga.goes_to("documents", "Documents")
    await olga.page.get_by_label("Find a document").fill(prefix)
    await expect(olga.page.locator("[data-document]")).to_have_count(len(names))
    await olga.open_console(f"#group/{fingerprint}")
    await expect(olga.page.locator("#group-letters")).to_have_text(
        str(len(PAYLOADS)), timeout=PATIENCE_MS
    )
    await olga.page.get_by_role("button", name="Show more letters").click()
    letters = olga.page.locator("[data-letter]")
    await expect(letters).to_have_count(len(PAYLOADS))
    shown = await letters.all_inner_texts()
    await olga.look("console-hostile-1280", schemes=("light",))
    await olga.goes_to("failures", "Failures")

    planted = "main :is(script, iframe, object, embed, base, meta, style, video, marquee)"
    assert await olga.page.locator(planted).count() == 0
    for payload in PAYLOADS[:10]:
        assert any(payload in text for text in shown), payload


@pytest.mark.parametrize(
    ("window", "schemes"),
    [(DESKTOP, ("light", "dark")), (PHONE, ("light",))],
    ids=lambda one: str(one["width"]) if isinstance(one, dict) else "",
)
async def test_every_page_keeps_nobody_out_and_fits_a_phone(
    window: dict[str, int],
    schemes: tuple[Scheme, ...],
    browser: Browser,
    stack: Stack,
    client: Client,
) -> None:
    document_id = await locked(client, f"a-name-that-is-rather-long-{'x' * 60}.pdf")
    [letter] = await client.letters(document_id)
    places = {
        "overview": "overview",
        "failures": "failures",
        "group": f"group/{letter['fingerprint']}",
        "letter": f"letter/{letter['letter_id']}",
        "operations": "operations",
        "queues": "queues",
        "document": f"document/{document_id}",
        "proof": "proof",
        "audit": "audit",
    }
    async with operator_of(browser, stack, "admin", window=window) as visit:
        for name, place in places.items():
            await visit.open_console(f"#{place}")
            filled = visit.page.locator("main :is(.card, .rows, .all-well)").first
            await expect(filled).to_be_visible(timeout=PATIENCE_MS)
            await visit.look(f"console-{name}-{window['width']}", schemes=schemes)
