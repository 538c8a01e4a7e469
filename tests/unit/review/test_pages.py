"""Pages of a document at the desk: drawn once, kept with their content, gone with it."""

import asyncio
from hashlib import sha256
from uuid import UUID, uuid4

import pytest

from services.review.domain.items import NoSuchItem
from services.review.domain.pages import (
    NoSuchPage,
    NotShown,
    Page,
    PlacedWord,
    Width,
    pages_of,
)
from services.review.domain.wishes import Wish
from services.review.handlers.ahead import draw_wish
from services.review.handlers.claiming import claim_item
from services.review.handlers.opening import open_items
from services.review.handlers.pages import show_pages, show_picture, show_words
from shared.blobs.keys import content_key
from shared.contracts.extraction import ExtractionV1, PageSize
from shared.contracts.words import RecognisedWord, RecognisedWordsV1
from shared.errors import Rejected, Retryable
from tests import builders
from tests.fakes.pages import PNG
from tests.unit.review.world import World

CONTENT = b"%PDF-1.7 two pages"
DIGEST = sha256(CONTENT).hexdigest()
MEASURED = (PageSize(number=1, width=595, height=842, source="pdf_text"),)


def read(**given: object) -> ExtractionV1:
    return builders.extraction(**{"sha256": DIGEST, "pages": MEASURED, **given})


async def shown(world: World, content: bytes = CONTENT, **given: object) -> UUID:
    """The document of an open item whose content lies in the store."""
    extraction = read(sha256=sha256(content).hexdigest(), **given)
    world.blobs.objects[content_key(extraction.sha256)] = content
    body = builders.open_review(
        document_id=extraction.document_id, extraction_key=world.store(extraction)
    )
    await open_items([builders.job(body)], world.ports)
    return extraction.document_id


def drawn(world: World) -> list[str]:
    return sorted(key for key in world.blobs.objects if key.startswith("pages/"))


async def test_what_the_reading_measured_is_not_measured_again(world: World) -> None:
    document_id = await shown(world)

    known = await show_pages(document_id, world.ports)

    assert known.pages == [Page(1, 595, 842, "pdf_text")]
    assert world.painter.asked == []


async def test_pages_that_the_reading_did_not_measure_are_measured_once(world: World) -> None:
    document_id = await shown(world, pages=(), page_count=2)

    first = await show_pages(document_id, world.ports)
    await show_pages(document_id, world.ports)

    assert [one.number for one in first.pages or ()] == [1, 2]
    assert world.painter.asked == ["measure"]


async def test_an_item_from_before_pages_were_kept_has_them_all_the_same(world: World) -> None:
    document_id = await shown(world)
    world.page_records.pages.clear()

    known = await show_pages(document_id, world.ports)

    assert len(known.pages or ()) == 1
    assert document_id in world.page_records.pages


def test_an_invoice_that_is_only_data_has_no_pages() -> None:
    assert pages_of(read(media_type="application/xml", page_count=0, pages=())).pages == ()


async def test_a_page_is_drawn_once_and_then_kept_for_every_document_with_its_content(
    world: World,
) -> None:
    one, other = await shown(world), await shown(world)

    first = await show_picture(one, 1, Width.READING, world.ports)
    second = await show_picture(other, 1, Width.READING, world.ports)

    assert first == second == PNG + b"1 1280"
    assert world.painter.asked == ["draw 1 1280"]
    assert drawn(world) == [f"pages/{DIGEST[:2]}/{DIGEST}/1/1-1280.png"]


async def test_many_who_ask_at_once_have_one_picture_drawn(world: World) -> None:
    document_id = await shown(world)
    asked = asyncio.Event()

    async def until_all_have_asked() -> None:
        await asked.wait()

    world.painter.meanwhile = until_all_have_asked
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(show_picture(document_id, 1, Width.SMALL, world.ports))
            for _ in range(20)
        ]
        await asyncio.sleep(0)
        asked.set()

    assert {task.result() for task in tasks} == {PNG + b"1 640"}
    assert world.painter.asked == ["draw 1 640"]


async def test_a_page_that_is_not_there_is_not_asked_for(world: World) -> None:
    document_id = await shown(world)

    with pytest.raises(NoSuchPage):
        await show_picture(document_id, 2, Width.READING, world.ports)
    with pytest.raises(NoSuchItem):
        await show_picture(uuid4(), 1, Width.READING, world.ports)

    assert world.painter.asked == []


async def test_a_page_that_the_file_has_not_after_all_is_no_page(world: World) -> None:
    document_id = await shown(world)
    world.painter.page_count = 0

    with pytest.raises(NoSuchPage):
        await show_picture(document_id, 1, Width.READING, world.ports)


async def test_a_file_that_cannot_be_shown_is_tried_once_and_refused_for_a_while(
    world: World,
) -> None:
    document_id = await shown(world)
    world.painter.refusal = Rejected("parser_timeout", "it took too long")

    for _ in range(3):
        with pytest.raises(NotShown) as refused:
            await show_picture(document_id, 1, Width.READING, world.ports)
        assert refused.value.reason == "parser_timeout"

    assert world.painter.asked == ["draw 1 1280"]
    assert drawn(world) == []


async def test_bytes_that_are_lost_are_looked_for_again(world: World) -> None:
    document_id = await shown(world)
    del world.blobs.objects[content_key(DIGEST)]

    with pytest.raises(NotShown):
        await show_picture(document_id, 1, Width.READING, world.ports)
    world.blobs.objects[content_key(DIGEST)] = CONTENT

    assert await show_picture(document_id, 1, Width.READING, world.ports)


async def test_words_of_a_text_layer_are_read_once(world: World) -> None:
    document_id = await shown(world)

    first = await show_words(document_id, 1, world.ports)
    second = await show_words(document_id, 1, world.ports)

    assert first == second
    assert first.source == "pdf_text"
    assert first.words[0] == PlacedWord("Total", (0.1, 0.2, 0.2, 0.21))
    assert world.painter.asked == ["words 1"]


async def test_words_of_a_scan_are_those_that_were_recognised_on_that_page(
    world: World,
) -> None:
    found = [
        RecognisedWord(text=text, page=page, bbox=(0, 0, 0.5, 0.5))
        for page, text in ((1, "here"), (2, "elsewhere"))
    ]
    world.blobs.objects["words/of/it.json"] = RecognisedWordsV1(words=tuple(found)).to_bytes()
    scanned = (PageSize(number=1, width=595, height=842, source="ocr"),)
    document_id = await shown(world, pages=scanned, words_key="words/of/it.json")

    words = await show_words(document_id, 1, world.ports)

    assert ([one.text for one in words.words], words.source) == (["here"], "ocr")
    assert world.painter.asked == []


@pytest.mark.parametrize("kept", [None, b"{", b"[]"])
async def test_recognised_words_that_are_lost_cost_the_page_nothing_else(
    world: World, kept: bytes | None
) -> None:
    if kept is not None:
        world.blobs.objects["words/of/it.json"] = kept
    scanned = (PageSize(number=1, width=595, height=842, source="ocr"),)
    document_id = await shown(
        world, media_type="image/png", pages=scanned, words_key="words/of/it.json"
    )

    words = await show_words(document_id, 1, world.ports)

    assert (words.words, words.source) == ([], None)


async def test_a_wish_has_the_first_page_drawn_before_anybody_looks(world: World) -> None:
    document_id = await shown(world)
    world.ports.pages.wishes.make(Wish(document_id))

    await draw_wish(world.ports)
    world.painter.asked.clear()
    await show_picture(document_id, 1, Width.READING, world.ports)
    await show_words(document_id, 1, world.ports)

    assert world.painter.asked == []


async def test_with_what_is_claimed_what_comes_next_is_drawn(world: World) -> None:
    claimed, following = [await shown(world, content) for content in (b"this", b"that")]
    await claim_item(claimed, "anna", world.ports)
    world.ports.pages.wishes.make(Wish(claimed, "anna"))

    await draw_wish(world.ports)
    world.painter.asked.clear()
    await show_picture(following, 1, Width.READING, world.ports)

    assert world.painter.asked == []


@pytest.mark.parametrize("error", [Rejected("too_large"), Retryable("busy")])
async def test_a_wish_that_cannot_be_met_is_forgotten(world: World, error: Exception) -> None:
    document_id = await shown(world)

    async def fail() -> None:
        raise error

    world.painter.meanwhile = fail
    for wished in (uuid4(), document_id):
        world.ports.pages.wishes.make(Wish(wished, "anna"))
        await draw_wish(world.ports)

    assert drawn(world) == []
