"""The whole way of a document, from an upload over HTTP to a result that a person approved."""

import io
import json
from decimal import Decimal
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

import pyarrow.parquet

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import CURRENCY, INVOICE_NUMBER, TOTAL, invoice
from tests.system.records import Records
from tests.system.stack import Stack

STEPS = {
    "document.accepted",
    "document.started",
    "document.extracted",
    "document.stored",
    "review.opened",
}


def only(found: Any) -> Any:  # noqa: ANN401 -- whatever the one thing is
    [one] = found
    return one


async def test_every_step_is_told(client: Client) -> None:
    document_id = await client.hand_in(invoice())
    ended = await client.ends(document_id)

    async def all_told() -> bool:
        return set(await client.events(document_id)) >= STEPS

    await eventually(all_told)
    assert (ended["status"], ended["progress"]) == ("completed", 100)
    assert ended["started_at"] <= ended["completed_at"]
    assert ended["summary"]["invoice_number"] == INVOICE_NUMBER


async def test_json_parquet_and_the_api_give_the_same_result(
    client: Client, records: Records
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)

    result = await client.get("ingest", f"/v1/documents/{document_id}/result")
    await eventually(lambda: records.files(document_id, "parquet"))
    table = pyarrow.parquet.read_table(io.BytesIO(only(records.files(document_id, "parquet"))))
    row = only(table.to_pylist())

    assert json.loads(only(records.files(document_id, "json"))) == result
    fields = {name: field["value"] for name, field in result["fields"].items()}
    assert (fields["invoice_number"], fields["total"]) == (INVOICE_NUMBER, TOTAL)
    assert fields["currency"] == CURRENCY
    assert row["document_id"] == str(document_id)
    assert (row["version"], row["invoice_number"]) == (1, INVOICE_NUMBER)
    assert (row["total"], row["currency"]) == (Decimal(TOTAL), CURRENCY)


async def test_an_approval_makes_the_reviewed_version_current(
    client: Client, records: Records
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    item = await client.review_item(document_id)

    approved = await client.approve(document_id)

    assert item.json()["status"] == "pending"
    assert approved.status_code == HTTPStatus.OK, approved.text

    async def is_finalised() -> bool:
        document = await client.document(document_id)
        return (document["result_version"], document["review"]) == (2, "approved")

    await eventually(is_finalised)
    result = await client.get("ingest", f"/v1/documents/{document_id}/result")
    assert (result["version"], result["verdict"]) == (2, "approved")

    def is_current() -> bool:
        return bool(json.loads(only(records.files(document_id, "json")))["version"] == 2)

    await eventually(is_current)
    assert (await client.document(document_id))["status"] == "completed"


async def test_the_same_bytes_again_are_a_duplicate_and_not_read_again(
    client: Client, records: Records
) -> None:
    content = invoice()
    first = await client.hand_in(content)
    await client.ends(first)
    calls = await client.engine_calls()

    second = await client.hand_in(content)
    ended = await client.ends(second)

    assert second != first
    assert (ended["status"], ended["duplicate"]) == ("duplicate", True)
    assert ended["original_id"] == str(first)
    assert ended["summary"] == (await client.document(first))["summary"]
    assert await client.engine_calls() == calls
    item = (await client.review_item(second)).json()
    assert (item["document_id"], item["duplicate"]) == (str(second), True)
    # An analyst must not count an invoice twice.
    assert not records.files(second, "parquet")


async def test_an_urgent_upload_is_urgent_everywhere(client: Client) -> None:
    answer = await client.upload(invoice(), x_priority="urgent")
    document_id = UUID(answer.json()["document_id"])

    assert answer.status_code == HTTPStatus.ACCEPTED
    assert (await client.ends(document_id))["priority"] == "urgent"
    assert (await client.review_item(document_id)).json()["priority"] == 5


async def test_an_upload_repeated_under_its_key_is_the_same_document(client: Client) -> None:
    content, key = invoice(), str(uuid4())
    first = await client.upload(content, idempotency_key=key)
    again = await client.upload(content, idempotency_key=key)

    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"

    other = await client.upload(invoice(), idempotency_key=key)

    assert other.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert other.json()["type"] == "/problems/idempotency-mismatch"


async def test_nobody_gets_in_without_a_key(client: Client, stack: Stack) -> None:
    for service in ("ingest", "review", "monitor"):
        path = {"ingest": "/v1/documents", "review": "/v1/items"}.get(
            service, "/ops/v1/overview"
        )
        answer = await client.http.get(stack.address(f"{service}_api") + path)

        assert answer.status_code == HTTPStatus.UNAUTHORIZED
        assert answer.headers["Content-Type"] == "application/problem+json"
