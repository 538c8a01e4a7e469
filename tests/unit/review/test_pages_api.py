"""Pages over HTTP: what a browser may keep, and how a file that cannot be shown is told."""

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest

from services.review.api import build
from services.review.domain.wishes import Wish
from shared.blobs.keys import content_key
from shared.contracts.extraction import PageSize
from shared.errors import Rejected, Retryable
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.fakes.pages import PNG
from tests.unit.review.test_pages import DIGEST, shown
from tests.unit.review.world import World

ANNA = key_of("anna", "reviewer")


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://review", headers=ANNA
    ) as client:
        yield client


async def test_an_item_names_its_pages_and_where_they_are(
    world: World, client: httpx.AsyncClient
) -> None:
    home = f"/v1/items/{await shown(world)}"

    item = (await client.get(home)).json()
    listed = (await client.get(item["links"]["pages"])).json()

    page = {"number": 1, "width": 595, "height": 842, "source": "pdf_text"}
    where = {"image": f"{home}/pages/1.png", "words": f"{home}/pages/1/words"}
    assert item["pages"] == listed["pages"] == [{**page, **where}]
    assert listed["widths"] == [640, 1280, 2560]


async def test_an_item_whose_pages_nobody_measured_lists_them_all_the_same(
    world: World, client: httpx.AsyncClient
) -> None:
    document_id = await shown(world, pages=(), page_count=2)

    item = await client.get(f"/v1/items/{document_id}")

    assert [one["number"] for one in item.json()["pages"]] == [1, 2]


async def test_an_invoice_that_is_only_data_lists_no_pages(
    world: World, client: httpx.AsyncClient
) -> None:
    document_id = await shown(world, media_type="application/xml", pages=(), page_count=0)

    listed = await client.get(f"/v1/items/{document_id}/pages")
    picture = await client.get(f"/v1/items/{document_id}/pages/1.png")

    assert (listed.status_code, listed.json()["pages"]) == (200, [])
    assert picture.status_code == 404


async def test_a_picture_is_private_lasting_and_nothing_but_a_picture(
    world: World, client: httpx.AsyncClient
) -> None:
    page = f"/v1/items/{await shown(world)}/pages/1.png?width=640"

    answer = await client.get(page)

    assert answer.content == PNG + b"1 640"
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"] == "private, max-age=3600, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")


async def test_a_browser_that_has_a_picture_is_not_sent_it_again(
    world: World, client: httpx.AsyncClient
) -> None:
    page = f"/v1/items/{await shown(world)}/pages/1.png"
    tag = (await client.get(page)).headers["etag"]
    world.painter.asked.clear()
    world.blobs.objects.clear()

    again = await client.get(page, headers={"If-None-Match": tag})
    wider = await client.get(f"{page}?width=2560", headers={"If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")
    assert wider.status_code == 404, "another width is another picture"


async def test_words_are_answered_with_their_places(
    world: World, client: httpx.AsyncClient
) -> None:
    answer = await client.get(f"/v1/items/{await shown(world)}/pages/1/words")

    assert answer.json()["source"] == "pdf_text"
    assert answer.json()["words"][0] == {"text": "Total", "bbox": [0.1, 0.2, 0.2, 0.21]}


@pytest.mark.parametrize(
    "path", ["pages/0.png", "pages/x.png", "pages/1.png?width=1281", "pages/0/words"]
)
async def test_what_is_no_page_and_no_width_is_refused(
    world: World, client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(f"/v1/items/{await shown(world)}/{path}")

    assert answer.status_code == 422


@pytest.mark.parametrize("path", ["pages", "pages/1.png", "pages/1/words"])
async def test_an_item_that_is_not_there_has_no_pages(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(f"/v1/items/{uuid4()}/{path}")

    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/no-such-item")


@pytest.mark.parametrize("path", ["pages/2.png", "pages/2/words"])
async def test_a_page_that_is_not_there_is_said_to_be_none(
    world: World, client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(f"/v1/items/{await shown(world)}/{path}")

    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/no-such-page")


@pytest.mark.parametrize(
    "reason",
    [
        *("encrypted", "unreadable", "too_large", "parser_crashed", "parser_timeout"),
        *("unsupported_format", "never_heard_of"),
    ],
)
@pytest.mark.parametrize("path", ["pages/1.png", "pages/1/words"])
async def test_a_file_that_cannot_be_shown_is_never_our_failure(
    world: World, client: httpx.AsyncClient, path: str, reason: str
) -> None:
    world.painter.refusal = Rejected(reason, "a secret of the parser")

    answer = await client.get(f"/v1/items/{await shown(world)}/{path}")

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == f"/problems/page-{reason.replace('_', '-')}"
    assert "secret" not in answer.text


async def test_a_file_that_cannot_be_measured_is_told_as_well(
    world: World, client: httpx.AsyncClient
) -> None:
    world.painter.refusal = Rejected("encrypted")
    document_id = await shown(world, pages=(), page_count=0)

    pages = await client.get(f"/v1/items/{document_id}/pages")
    item = await client.get(f"/v1/items/{document_id}")

    assert (pages.status_code, pages.json()["type"]) == (422, "/problems/page-encrypted")
    assert (item.status_code, item.json()["pages"]) == (200, [])


async def test_bytes_that_are_gone_are_a_404(world: World, client: httpx.AsyncClient) -> None:
    document_id = await shown(world)
    del world.blobs.objects[content_key(DIGEST)]

    answer = await client.get(f"/v1/items/{document_id}/pages/1.png")

    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/page-source-missing")


async def test_a_painter_that_is_away_is_asked_again_later(
    world: World, client: httpx.AsyncClient
) -> None:
    async def busy() -> None:
        raise Retryable("too many pages are being drawn", after_s=2)

    world.painter.meanwhile = busy

    answer = await client.get(f"/v1/items/{await shown(world)}/pages/1.png")

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_claiming_wishes_for_the_first_page(
    world: World, client: httpx.AsyncClient
) -> None:
    scanned = (PageSize(number=1, width=10, height=10, source="ocr"),)
    document_id = await shown(world, pages=scanned)

    await client.post(f"/v1/items/{document_id}/claim")

    assert await world.ports.pages.wishes.next() == Wish(document_id, "anna")
