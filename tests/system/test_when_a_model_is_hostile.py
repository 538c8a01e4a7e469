"""A model whose answers are attacks: what it says is text at the desk, in exports and logs."""

import csv
import io
import json
from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import pytest
from playwright.async_api import expect

from tests.gemini_double.invoices import read
from tests.gemini_double.server import GeminiDouble
from tests.system.client import Client
from tests.system.invoices import SAMPLES, invoice
from tests.system.logs import length_of, lines_since
from tests.system.payloads import FORMULAS, LINES_OF_A_LOG, PAYLOADS, STATEMENTS
from tests.system.reviewing import Reviewer
from tests.system.stack import SERVICES, Stack

pytestmark = pytest.mark.usefixtures("nothing_waits")
SAMPLE = SAMPLES / "en-glenmoor-energy.pdf"
ATTACKS = (*PAYLOADS, *FORMULAS, *STATEMENTS, *LINES_OF_A_LOG)


def attacking(content: bytes) -> dict[str, Any]:
    """The honest answer, whose rows are attacks: one has an amount, so that they add up."""
    answer = read(content, ("application/pdf",), sha256(content).hexdigest())
    [net] = [one["value"] for one in answer["fields"] if one["path"] == "subtotal"]
    answer["lines"] = [
        {
            "page": "1",
            "quote": attack,
            "code": attack,
            "description": attack,
            "net_amount": "0.00" if place else net,
        }
        for place, attack in enumerate(ATTACKS)
    ]
    answer["instructions"] = [*FORMULAS[:2], *LINES_OF_A_LOG]
    return answer


async def test_what_it_says_is_text_at_the_desk_in_exports_and_in_logs(
    client: Client, stack: Stack, gemini: GeminiDouble, anna: Reviewer
) -> None:
    logs = [stack.state.logs / f"{name}.log" for name in SERVICES]
    before = [length_of(one) for one in logs]
    content = invoice(SAMPLE)
    gemini.answers[sha256(content).hexdigest()] = attacking(content)

    document_id = await client.to_review(content, filename="hostile-model.pdf")

    assert gemini.ledger.count == 1
    said = await descriptions(client, document_id)
    assert len(said) == len(ATTACKS)
    await anna.open_item(document_id)
    await expect(anna.entry("lines.0.description")).to_have_value(said[0])
    planted = "main :is(script, iframe, object, embed, base, meta, style, video, marquee)"
    assert await anna.page.locator(planted).count() == 0
    await require_text_in_files(client, document_id, said)
    for log, length in zip(logs, before, strict=True):
        for line in lines_since(log, length):
            assert line.isascii()
            assert line.isprintable()
            assert json.loads(line)["event"] != "forged_by_a_model"
    # Nothing of it was a statement.
    assert (await client.document(document_id))["status"] == "completed"


async def descriptions(client: Client, document_id: UUID) -> list[str]:
    item = (await client.review_item(document_id)).json()
    fields = {one["path"]: one["value"] for one in item["fields"]}
    return [fields[f"lines.{place}.description"] for place in range(len(ATTACKS))]


async def require_text_in_files(client: Client, document_id: UUID, said: Sequence[str]) -> None:
    """Every row is there, and none of its cells is a formula."""
    asked = "/v1/exports?rows=lines&format="
    file = await client.ask("storage", f"{asked}csv")
    assert file.status_code == HTTPStatus.OK, file.text
    rows = [
        row
        for row in csv.DictReader(io.StringIO(file.text, newline=""))
        if row["document_id"] == str(document_id)
    ]
    assert len(rows) == len(said)
    told = [row["description"] for row in rows]
    assert not [one for one in told if one.startswith(("=", "+", "-", "@", "\uff1d"))]
    assert {f"'{one}" for one in FORMULAS} <= {*told}
    book = await client.ask("storage", f"{asked}xlsx")
    with ZipFile(io.BytesIO(book.content)) as parts:
        sheets = [one for one in parts.namelist() if one.startswith("xl/worksheets/")]
        assert sheets
        assert not [one for one in sheets if b"<f>" in parts.read(one)]
