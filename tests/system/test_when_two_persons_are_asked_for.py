"""Where two persons are asked for: whoever was the first sees why, and another one approves."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from secrets import token_hex

import pytest
from playwright.async_api import expect

from deploy.local.state import REPOSITORY
from tests.system.client import Client
from tests.system.invoices import RIGHT_VAT_ID, unsure_invoice
from tests.system.keys import issued_key
from tests.system.reviewing import VAT_ID, Reviewer
from tests.system.stack import Stack

CONFIG = REPOSITORY / "deploy" / "configs" / "extraction_module_schema.yaml"
OFF, ON = "four_eyes: {enabled: false,", "four_eyes: {enabled: true,"
WHY = "It is another test's invoice."


@pytest.fixture
async def two_persons(stack: Stack, tmp_path: Path, nothing_waits: None) -> AsyncIterator[None]:
    text = CONFIG.read_text()
    assert OFF in text
    asked = tmp_path / "extraction.yaml"
    asked.write_text(text.replace(OFF, ON))
    async with stack.armed("review", "", PAPERLINE_EXTRACTION_CONFIG=str(asked)):
        yield


@pytest.mark.usefixtures("two_persons")
@pytest.mark.slow
async def test_neither_who_handed_it_in_nor_who_corrected_it_approves_it(
    stack: Stack, client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(unsure_invoice(), filename="two.pdf")
    home = f"/v1/items/{document_id}"

    refused = await client.approve(document_id)
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/needs-another")
    assert "you handed it in" in (await client.get("review", home))["needs_another"]
    assert (await client.post("review", f"{home}/release")).is_success

    await anna.open_item(document_id)
    await anna.reads("two.pdf", "In review")
    approving = anna.page.get_by_role("button", name="Approve")
    await expect(approving).not_to_have_attribute("aria-disabled", "true")
    await anna.entry(VAT_ID).fill(RIGHT_VAT_ID)
    await anna.press("Enter")
    await anna.is_saved()
    await expect(approving).to_have_attribute("aria-disabled", "true")
    await expect(approving).to_have_accessible_description(
        "Somebody else has to approve it, because you changed a value of it."
    )
    await anna.look("desk-needs-another-1280")
    await anna.press("Control+Enter")
    await expect(anna.page.locator(".toast")).to_contain_text("you changed a value of it")
    assert (await client.get("review", home))["status"] == "in_review"
    await anna.open_desk("#queue")
    await expect(anna.page.get_by_role("heading", name="Queue")).to_be_visible()

    approved = await approved_by_another(stack, client, home)

    assert (approved["status"], approved["decided_by"][:5]) == ("corrected", "boris")


async def approved_by_another(stack: Stack, client: Client, home: str) -> dict[str, str]:
    name = f"boris-{token_hex(3)}"
    key = await issued_key(stack, name, "reviewer")
    headers = {"Authorization": f"Bearer {key}"}
    address = stack.address("review_api") + home
    seen = await client.http.post(f"{address}/claim", headers=headers)
    assert seen.status_code == HTTPStatus.OK, seen.text
    assert seen.json()["needs_another"] is None
    headers["If-Match"] = seen.headers["ETag"]
    answer = await client.http.post(
        f"{address}/approve", headers=headers, json={"override": WHY}
    )
    assert answer.status_code == HTTPStatus.OK, answer.text
    found: dict[str, str] = answer.json()
    return found
