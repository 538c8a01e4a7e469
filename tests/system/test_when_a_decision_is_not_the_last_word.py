"""A decision is taken back, or a document is given back to be read anew."""

from http import HTTPStatus
from secrets import token_hex

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import INVOICE, invoice


async def test_a_decision_that_is_taken_back_moves_the_review_track_and_no_result(
    client: Client,
) -> None:
    document_id = await client.hand_in(INVOICE.read_bytes() + token_hex(8).encode())
    await client.ends(document_id)
    await client.review_item(document_id)
    approved = await client.approve(document_id)

    async def shows(review: str, version: int) -> bool:
        document = await client.document(document_id)
        return (document["review"], document["result_version"]) == (review, version)

    await eventually(lambda: shows("approved", 2), within_s=20, every_s=0.1)
    reopened = await client.post(
        "review",
        f"/v1/items/{document_id}/reopen",
        json={"reason": "The supplier is another."},
        headers={"If-Match": approved.headers["ETag"]},
    )
    assert reopened.status_code == HTTPStatus.OK, reopened.text
    await eventually(lambda: shows("pending", 2), within_s=20, every_s=0.1)
    result = await client.get("ingest", f"/v1/documents/{document_id}/result")
    assert (result["version"], result["verdict"]) == (2, "approved")

    approved = await client.approve(document_id)
    assert approved.status_code == HTTPStatus.OK
    await eventually(lambda: shows("approved", 3), within_s=20, every_s=0.1)
    assert (await client.events(document_id)).count("review.reopened") == 1

    undone = await client.post(
        "review",
        f"/v1/items/{document_id}/reopen",
        json={"undo": True},
        headers={"If-Match": approved.headers["ETag"]},
    )
    assert undone.status_code == HTTPStatus.OK, undone.text
    rejected = await client.post(
        "review",
        f"/v1/items/{document_id}/reject",
        json={"reason_code": "suspicious", "reason": "Nobody ordered it."},
        headers={"If-Match": undone.headers["ETag"]},
    )
    assert rejected.status_code == HTTPStatus.OK, rejected.text
    await eventually(lambda: shows("rejected", 4), within_s=20, every_s=0.1)
    result = await client.get("ingest", f"/v1/documents/{document_id}/result")
    assert (result["version"], result["verdict"]) == (4, "rejected")


async def test_what_is_given_back_is_read_anew_and_comes_back(client: Client) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    item = await client.review_item(document_id)
    calls = await client.engine_calls()

    asked = await client.post(
        "review",
        f"/v1/items/{document_id}/reextract",
        json={"reason": "Half of the lines are missing."},
        headers={"If-Match": item.headers["ETag"]},
    )

    assert asked.status_code == HTTPStatus.OK, asked.text
    assert asked.json()["reextract_asked_at"] is not None
    assert "reextract" not in asked.json()["actions"]

    async def is_back() -> bool:
        shown = (await client.review_item(document_id)).json()
        return (shown["result_version"], shown["reextract_asked_at"]) == (2, None)

    await eventually(is_back, within_s=60, every_s=0.1)
    assert await client.engine_calls() == calls + 1
    assert (await client.approve(document_id)).status_code == HTTPStatus.OK
