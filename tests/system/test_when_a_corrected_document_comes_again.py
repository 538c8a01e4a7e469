"""What a person said of a content stays, whoever reads the same bytes after them."""

from hashlib import sha256
from http import HTTPStatus
from typing import Any
from uuid import UUID

from tests.eventually import eventually
from tests.gemini_double.invoices import made_up
from tests.gemini_double.server import GeminiDouble
from tests.system.client import Client
from tests.system.invoices import SAMPLES, invoice

# Its XML says what its page shows, so two engines read it, each in its own way.
WITH_XML = SAMPLES / "de-quellgrund-getraenke.pdf"
PATH, RIGHT = "seller.name", "Quellgrund Brunnen & Söhne GmbH"
SOURCES = ("einvoice_xml", "pdf_text")


async def seller(client: Client, document_id: UUID) -> dict[str, Any]:
    item = (await client.review_item(document_id)).json()
    [field] = [one for one in item["fields"] if one["path"] == PATH]
    return {"engine": item["engine"], **field}


async def test_the_persons_value_stays_and_the_machines_is_a_candidate(client: Client) -> None:
    content = invoice(WITH_XML)
    first = await client.to_review(content, filename="corrected.pdf")
    read = await seller(client, first)
    assert (read["engine"], read["source"], read["locked"]) == ("einvoice", SOURCES[0], False)

    corrected = await client.correct(first, PATH, RIGHT)
    assert corrected.status_code == HTTPStatus.OK, corrected.text
    approved = await client.approve(first)
    assert approved.json()["status"] == "corrected"

    again = await client.to_review(content, filename="again.pdf")
    await require_kept(client, again, engine="einvoice", source=SOURCES[0])

    path = f"/v1/documents/{first}/reprocess"
    other = await client.post("ingest", path, json={"force": True, "engine": "offline"})
    assert other.status_code == HTTPStatus.ACCEPTED, other.text

    async def is_read() -> bool:
        item = (await client.review_item(first)).json()
        return (item["engine"], item["status"]) == ("offline", "pending")

    await eventually(is_read, within_s=60, every_s=0.1)
    await require_kept(client, first, engine="offline", source=SOURCES[1])
    assert (await client.ends(first))["engine"] == "offline"


async def test_a_model_that_a_person_asks_reads_beside_what_the_person_said(
    client: Client, gemini: GeminiDouble
) -> None:
    content = invoice(WITH_XML)
    digest = sha256(content).hexdigest()
    # Nothing that stands on the page: whatever is kept of it has come from there.
    said = {one["path"]: one["value"] for one in made_up(digest)["fields"]}
    gemini.answers[digest] = made_up(digest)
    document_id = await client.to_review(content, filename="read-by-gemini.pdf")
    assert gemini.ledger.count == 0
    corrected = await client.correct(document_id, PATH, RIGHT)

    asked = await client.post(
        "review",
        f"/v1/items/{document_id}/reextract",
        json={"reason": "Let another have a look.", "engine": "gemini"},
        headers={"If-Match": corrected.headers["ETag"]},
    )

    assert asked.status_code == HTTPStatus.OK, asked.text

    async def is_read() -> bool:
        item = (await client.review_item(document_id)).json()
        return (item["engine"], item["result_version"]) == ("gemini", 2)

    await eventually(is_read, within_s=60, every_s=0.1)
    assert gemini.ledger.by_content == {digest: 1}
    item = (await client.review_item(document_id)).json()
    fields = {one["path"]: one for one in item["fields"]}
    assert (fields[PATH]["value"], fields[PATH]["locked_by"]) == (RIGHT, "local")
    for path in (PATH, "total"):
        heard = [(one["value"], one["source"]) for one in fields[path]["candidates"]]
        assert (said[path], "gemini") in heard


async def require_kept(client: Client, document_id: UUID, *, engine: str, source: str) -> None:
    found = await seller(client, document_id)
    assert (found["engine"], found["value"]) == (engine, RIGHT)
    assert (found["locked"], found["locked_by"]) == (True, "local")
    assert (found["corrected_by"], found["status"]) == ("local", "corrected")
    assert found["machine_value"] not in (None, RIGHT)
    best = found["candidates"][0]
    assert (best["value"], best["source"]) == (found["machine_value"], source)
