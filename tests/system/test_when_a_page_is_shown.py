"""Pages at the review desk of the whole stack: drawn by the service, pointed at by a person."""

import io
from http import HTTPStatus
from pathlib import Path
from uuid import UUID

import pytest
from PIL import Image

from deploy.local.demo import SAMPLES
from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.stack import Stack

OCR_WITHIN_S = 120.0
FILES = {
    "de-nordwind-werkzeuge.pdf": ("pdf_text", "Nordwind"),
    "de-malerei-sonnhalde.jpg": ("ocr", "Sonnhalde"),
    "en-marram-timber.tif": ("ocr", "Marram"),
}


async def shown(client: Client, content: bytes, filename: str) -> UUID:
    document_id = await client.hand_in(content, filename=filename)
    await client.ends(document_id, within_s=OCR_WITHIN_S)
    await client.review_item(document_id)
    return document_id


def kept_of(stack: Stack, sha256: str, document_id: UUID) -> list[Path]:
    """What was drawn and recognised, as files."""
    drawn = stack.blobs / "pages" / sha256[:2] / sha256
    words = stack.blobs / "words" / str(document_id)
    return [one for home in (drawn, words) for one in home.rglob("*") if one.is_file()]


@pytest.mark.parametrize("filename", FILES)
async def test_every_page_has_a_picture_and_the_words_that_are_on_it(
    client: Client, filename: str
) -> None:
    source, name = FILES[filename]
    document_id = await shown(client, (SAMPLES / filename).read_bytes(), filename)

    pages = (await client.get("review", f"/v1/items/{document_id}"))["pages"]

    found = ""
    for page in pages:
        picture = await client.ask("review", page["image"])
        words = await client.get("review", page["words"])
        image = Image.open(io.BytesIO(picture.content), formats=["PNG"])
        assert image.width / image.height == pytest.approx(
            page["width"] / page["height"], rel=0.01
        )
        assert words["source"] == page["source"] == source
        assert all(0 <= edge <= 1 for word in words["words"] for edge in word["bbox"])
        found += " ".join(word["text"] for word in words["words"])
    assert name in found


async def test_an_invoice_that_is_only_data_is_shown_by_its_fields(client: Client) -> None:
    [sample] = SAMPLES.glob("*.xml")
    document_id = await shown(client, sample.read_bytes(), sample.name)

    item = await client.get("review", f"/v1/items/{document_id}")

    assert (item["pages"], bool(item["fields"])) == ([], True)


async def test_what_was_drawn_and_recognised_goes_with_the_document(
    client: Client, stack: Stack
) -> None:
    # Other bytes than anybody else's, or they would have drawn it as well.
    content = (SAMPLES / "en-marram-timber.tif").read_bytes() + b"\0" * 7
    document_id = await shown(client, content, "mine.tif")
    item = await client.get("review", f"/v1/items/{document_id}")
    for page in item["pages"]:
        await client.ask("review", page["image"])
    sha256 = (await client.document(document_id))["sha256"]
    kept = kept_of(stack, sha256, document_id)
    assert {one.suffix for one in kept} == {".png", ".json"}

    deleted = await client.delete("ingest", f"/v1/documents/{document_id}")

    assert deleted.status_code == HTTPStatus.NO_CONTENT, deleted.text
    # What was promised to this client is gone because it wanted so.
    client.promised.discard(document_id)
    await eventually(lambda: not kept_of(stack, sha256, document_id), within_s=30)

    async def is_gone() -> bool:
        answer = await client.ask("review", item["pages"][0]["image"])
        return answer.status_code == HTTPStatus.NOT_FOUND

    # Review hears of it by itself, before or after the files are gone.
    await eventually(is_gone, within_s=30)


async def test_a_page_is_answered_by_a_process_that_never_opened_the_file(
    client: Client, stack: Stack
) -> None:
    document_id = await shown(client, invoice(), "invoice.pdf")
    item = await client.get("review", f"/v1/items/{document_id}")
    await client.ask("review", item["pages"][0]["image"])

    assert stack.has_loaded("review", "libssl")
    assert not stack.has_loaded("review", "pdfium")
