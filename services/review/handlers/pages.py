"""Show the pages of a document: their sizes, their pictures, the words on them.

What was drawn once is kept in the object store, because drawing costs a hundred times what
reading does. It is kept only while an item has the content: whoever keeps and whoever erases
take turns, so that nothing of a deleted document is left by somebody who was just drawing it.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID

from pydantic import ValidationError

from services.review.domain.pages import (
    ItemPages,
    NoSuchPage,
    NotShown,
    PageWords,
    PlacedWord,
    pages_of,
    picture_key,
    text_key,
)
from services.review.handlers.claiming import get_item
from services.review.handlers.opening import read_extraction
from services.review.ports import Ports
from shared.blobs.keys import content_key
from shared.contracts.words import RecognisedWordsV1
from shared.errors import Rejected, Retryable
from shared.observability.metrics import PAGE_SECONDS, PAGES_SHOWN

Make = Callable[[bytes], Awaitable[bytes | None]]

MISSING = "source_missing"
# Of a page: finer than anybody can point at.
DECIMALS = 5


async def show_pages(document_id: UUID, use: Ports) -> ItemPages:
    """Raises NoSuchItem, or NotShown for a file that cannot be opened."""
    known = await use.pages.records.find_pages(document_id)
    if known is None:
        item = await get_item(document_id, use)
        known = pages_of(await read_extraction(item.extraction_key, use))
        await _keep(known, use)
    if known.pages is None:
        known = await _measured(known, use)
    return known


async def find_pages(document_id: UUID, use: Ports) -> ItemPages | None:
    """None of a file that cannot be opened now: its fields are shown all the same."""
    try:
        return await show_pages(document_id, use)
    except (NotShown, Rejected, Retryable):
        return None


async def show_picture(document_id: UUID, number: int, width: int, use: Ports) -> bytes:
    """A PNG. Raises NoSuchItem, NoSuchPage, or NotShown."""
    known = await show_pages(document_id, use)
    known.page(number)

    async def draw(content: bytes) -> bytes | None:
        return await use.pages.painter.draw(content, known.media_type, number, width)

    return await _drawn(known, picture_key(known.sha256, number, width), draw, use)


async def show_words(document_id: UUID, number: int, use: Ports) -> PageWords:
    """In the file's own order. A scan's are those that were recognised when it was read."""
    known = await show_pages(document_id, use)
    page = known.page(number)
    if page.source == "ocr" and known.words_key is not None:
        words = await _recognised(known.words_key, number, use)
        if words is not None:
            return PageWords(words, "ocr")

    async def read(content: bytes) -> bytes | None:
        found = await use.pages.painter.read_words(content, known.media_type, number)
        return None if found is None else _packed(found)

    raw = await _drawn(known, text_key(known.sha256, number), read, use)
    words = _unpacked(raw)
    return PageWords(words, "pdf_text" if words else None)


async def _measured(known: ItemPages, use: Ports) -> ItemPages:
    key = f"sizes {known.sha256}"
    async with use.pages.turns.one_of(key):
        found = await use.pages.records.find_pages(known.document_id)
        if found is not None and found.pages is not None:
            return found
        async with _told_as_shown(key, use), use.pages.turns.room():
            content = await _content(known, use)
            pages = await use.pages.painter.measure(content, known.media_type)
    measured = replace(known, pages=pages)
    await _keep(measured, use)
    return measured


async def _keep(known: ItemPages, use: Ports) -> None:
    async with use.ledger.unit() as unit:
        await use.pages.records.keep_pages(unit, [known])


async def _drawn(known: ItemPages, key: str, make: Make, use: Ports) -> bytes:
    kept = await _kept(known, key, use)
    if kept is not None:
        return kept
    async with use.pages.turns.one_of(key):
        # Somebody may have made it while we waited.
        kept = await _kept(known, key, use)
        if kept is not None:
            return kept
        async with _told_as_shown(key, use), use.pages.turns.room():
            with PAGE_SECONDS.time():
                made = await make(await _content(known, use))
        if made is None:
            raise NoSuchPage(key)
        await _keep_drawn(known, key, made, use)
    PAGES_SHOWN.labels("drawn").inc()
    return made


async def _kept(known: ItemPages, key: str, use: Ports) -> bytes | None:
    try:
        found = await use.blobs.read(key)
    except Rejected as error:
        if error.reason != MISSING:
            raise
        return None
    await use.pages.records.note_used(known.sha256)
    PAGES_SHOWN.labels("kept").inc()
    return found


async def _keep_drawn(known: ItemPages, key: str, made: bytes, use: Ports) -> None:
    await use.blobs.put(key, made)
    async with use.ledger.unit() as unit:
        await use.pages.records.lock_contents(unit, [known.sha256])
        is_wanted = await use.pages.records.note_drawn(unit, known.sha256, len(made))
    if not is_wanted:
        # Erased while we drew. Whoever erased has committed, so nobody else will look here.
        await use.blobs.delete(key)


@asynccontextmanager
async def _told_as_shown(key: str, use: Ports) -> AsyncIterator[None]:
    """A refusal is the file's, and stays the same: so it is remembered."""
    try:
        use.pages.turns.check(key)
        yield
    except Rejected as error:
        if error.reason != MISSING:
            use.pages.turns.remember(key, error)
        PAGES_SHOWN.labels("refused").inc()
        raise NotShown(error.reason, error.detail) from error


async def _content(known: ItemPages, use: Ports) -> bytes:
    limit = use.pages.limits.content_bytes_max
    return await use.blobs.read(content_key(known.sha256), limit_bytes=limit)


async def _recognised(key: str, number: int, use: Ports) -> Sequence[PlacedWord] | None:
    """None when they are lost: the page is shown all the same."""
    try:
        raw = await use.blobs.read(key, limit_bytes=use.pages.limits.words_bytes_max)
        kept = RecognisedWordsV1.model_validate_json(raw)
    except (Rejected, ValidationError):
        return None
    return [PlacedWord(one.text, one.bbox) for one in kept.words if one.page == number]


def _packed(words: Sequence[PlacedWord]) -> bytes:
    rows = [(one.text, *(round(edge, DECIMALS) for edge in one.bbox)) for one in words]
    return json.dumps(rows, ensure_ascii=False).encode("utf-8", "replace")


def _unpacked(raw: bytes) -> Sequence[PlacedWord]:
    return [
        PlacedWord(text, (left, top, right, bottom))
        for text, left, top, right, bottom in json.loads(raw)
    ]
