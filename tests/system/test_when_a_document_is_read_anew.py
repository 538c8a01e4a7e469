"""A document that has a result is read again by force: a new version, the same one item."""

import json
from http import HTTPStatus
from typing import Any
from uuid import UUID

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import TOTAL, invoice
from tests.system.records import Records
from tests.system.stack import Stack

SAID = "SELECT entry ->> 'action' AS action FROM review.audit_log WHERE resource = $1"
VERSIONS = (
    "SELECT version, verdict FROM storage.stored_results WHERE document_id = $1"
    " ORDER BY version"
)


async def approved(client: Client) -> UUID:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    await client.review_item(document_id)
    assert (await client.approve(document_id)).status_code == HTTPStatus.OK
    await eventually(lambda: has_version(client, document_id, 2))
    return document_id


async def has_version(client: Client, document_id: UUID, version: int) -> bool:
    document = await client.document(document_id)
    return bool(document["result_version"] == version)


async def reprocess(client: Client, document_id: UUID, body: object = None) -> Any:  # noqa: ANN401 -- an answer
    return await client.post("ingest", f"/v1/documents/{document_id}/reprocess", json=body)


async def test_a_new_version_is_stored_and_the_one_item_is_open_again(
    client: Client, records: Records
) -> None:
    document_id = await approved(client)
    calls = await client.engine_calls()

    refused = await reprocess(client, document_id)
    accepted = await reprocess(client, document_id, {"force": True})
    await eventually(lambda: has_version(client, document_id, 3))
    ended = await client.ends(document_id)

    assert refused.status_code == HTTPStatus.CONFLICT
    assert accepted.status_code == HTTPStatus.ACCEPTED, accepted.text
    assert (ended["status"], ended["run"], ended["duplicate"]) == ("completed", 1, False)
    assert await client.engine_calls() == calls + 1
    result = await client.get("ingest", f"/v1/documents/{document_id}/result")
    assert (result["version"], result["verdict"]) == (3, None)
    assert result["fields"]["total"]["value"] == TOTAL
    rows = await records.rows(VERSIONS, document_id)
    assert [tuple(row) for row in rows] == [(1, None), (2, "approved"), (3, None)]

    def is_current() -> bool:
        [current] = records.files(document_id, "json")
        return bool(json.loads(current)["version"] == 3)

    async def is_open_again() -> bool:
        item = (await client.review_item(document_id)).json()
        return (item["status"], item["result_version"]) == ("pending", 3)

    await eventually(is_current)
    await eventually(is_open_again)
    said = await records.rows(SAID, f"review-item/{document_id}")
    assert [row["action"] for row in said].count("item_reread") == 1


async def test_what_a_person_decides_then_is_current(client: Client) -> None:
    document_id = await approved(client)
    await reprocess(client, document_id, {"force": True})
    await eventually(lambda: has_version(client, document_id, 3))

    async def is_approved() -> bool:
        return bool((await client.approve(document_id)).status_code == HTTPStatus.OK)

    # The item is opened again by a message, shortly after.
    async def shows_it() -> bool:
        item = (await client.review_item(document_id)).json()
        return bool(item["result_version"] == 3)

    await eventually(shows_it)
    assert await is_approved()

    await eventually(lambda: has_version(client, document_id, 4))
    result = await client.get("ingest", f"/v1/documents/{document_id}/result")
    assert (result["version"], result["verdict"]) == (4, "approved")


async def test_a_deleted_document_is_erased_everywhere(
    client: Client, stack: Stack, records: Records
) -> None:
    document_id = await approved(client)
    await reprocess(client, document_id, {"force": True})
    await eventually(lambda: has_version(client, document_id, 3))
    [row] = await records.rows(
        "SELECT content_key FROM ingest.documents WHERE document_id = $1", document_id
    )
    extractions = await records.rows(
        "SELECT extraction_key FROM storage.stored_results WHERE document_id = $1", document_id
    )
    kept = [row["content_key"], *(one["extraction_key"] for one in extractions)]
    await eventually(records.is_quiet)
    assert all((stack.blobs / key).exists() for key in kept)

    path = f"/v1/documents/{document_id}"
    answer = await client.delete("ingest", path)

    assert answer.status_code == HTTPStatus.NO_CONTENT

    async def is_erased() -> bool:
        [tombstone] = await records.rows(
            "SELECT stage FROM ingest.documents WHERE document_id = $1", document_id
        )
        return bool(tombstone["stage"] == "done")

    await eventually(is_erased, within_s=20)
    assert not [key for key in kept if (stack.blobs / key).exists()]
    assert not [one for one in stack.blobs.glob(f"data/**/*{document_id}*") if one.is_file()]
    assert not list(stack.blobs.glob(f"data/versions/{document_id}/*"))
    # What was promised to this client is gone because it wanted so.
    client.promised.discard(document_id)
