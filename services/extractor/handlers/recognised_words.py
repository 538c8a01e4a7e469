"""Keep the words that were recognised on scanned pages, for whoever shows them to a person.

Recognising costs seconds, so nobody is to do it twice. Each document has its own copy, under a
key that begins with its id: so they go with the document, and nobody has to count who else
looks at them. Kept before the answer that names them; written twice is written once.
"""

from collections.abc import Iterable
from hashlib import sha256
from uuid import UUID

from services.extractor.domain.reading import Reading
from services.extractor.handlers.leasing import LOST
from services.extractor.handlers.long_documents import thought_about
from services.extractor.ports import Ports
from shared.contracts.extraction import ExtractionV1
from shared.contracts.words import (
    RecognisedWord,
    RecognisedWordsV1,
    words_key,
    words_prefix,
)
from shared.errors import Rejected


async def keep_words(document_id: UUID, reading: Reading, use: Ports) -> str | None:
    """Where they lie; None of a document without scanned pages."""
    if not any(page.source == "ocr" for page in reading.pages):
        return None
    raw = await thought_about(reading.is_long, _told, reading)
    return await _put(document_id, raw, use)


async def keep_copy(document_id: UUID, kept: ExtractionV1, use: Ports) -> str | None:
    """For another document with the same content. Lost words are no reason to read anew."""
    if kept.words_key is None:
        return None
    try:
        raw = await use.blobs.read(kept.words_key)
    except Rejected as error:
        if error.reason not in LOST:
            raise
        return None
    return await _put(document_id, raw, use)


async def forget_words(document_ids: Iterable[UUID], use: Ports) -> None:
    for document_id in document_ids:
        async for key in use.blobs.list(words_prefix(document_id)):
            await use.blobs.delete(key)


async def _put(document_id: UUID, raw: bytes, use: Ports) -> str:
    key = words_key(document_id, sha256(raw).hexdigest())
    await use.blobs.put(key, raw)
    return key


def _told(reading: Reading) -> bytes:
    scanned = {page.number for page in reading.pages if page.source == "ocr"}
    words = tuple(
        RecognisedWord(
            text=one.text,
            page=one.page,
            bbox=(one.left, one.top, one.right, one.bottom),
            confidence=one.sure,
        )
        for one in reading.words
        if one.page in scanned
    )
    return RecognisedWordsV1(words=words).to_bytes()
