"""Words of scanned pages are kept for each document, and go with it."""

from dataclasses import replace
from uuid import UUID

import pytest

from services.extractor.domain.reading import Page
from services.extractor.handlers import withdraw_documents
from shared.contracts.words import RecognisedWordsV1, words_prefix
from shared.errors import Withdrawn
from shared.pages.words import Word
from tests import builders
from tests.unit.extractor.world import World, order

SCANNED, PRINTED = Page(1, 595, 842, "ocr"), Page(2, 595, 842, "pdf_text")
HERE = Word("Gesamt", 1, 0.1, 0.2, 0.3, 0.25, 0.9)
PRINTED_WORD = Word("Seite", 2, 0.1, 0.2, 0.3, 0.25)


@pytest.fixture
def world() -> World:
    world = World()
    world.engine.answer = replace(
        world.engine.answer,
        page_count=2,
        pages=(SCANNED, PRINTED),
        words=(HERE, PRINTED_WORD),
    )
    return world


def kept(world: World, document_id: UUID) -> list[str]:
    return [key for key in world.blobs.objects if key.startswith(words_prefix(document_id))]


async def test_what_was_recognised_is_kept_where_the_extraction_says(world: World) -> None:
    job = order()

    await world.deliver(job)

    [key] = kept(world, job.body.document_id)
    assert world.extraction().words_key == key
    [word] = RecognisedWordsV1.model_validate_json(world.blobs.objects[key]).words
    assert (word.text, word.page, word.confidence) == ("Gesamt", 1, 0.9)
    assert word.bbox == (0.1, 0.2, 0.3, 0.25)


async def test_of_pages_with_a_text_of_their_own_nothing_is_kept(world: World) -> None:
    world.engine.answer = replace(world.engine.answer, pages=(PRINTED,), page_count=1)
    job = order()

    await world.deliver(job)

    assert world.extraction().words_key is None
    assert kept(world, job.body.document_id) == []


async def test_a_copy_has_words_of_its_own_that_outlive_the_first(world: World) -> None:
    first, copy = order(), order()
    await world.deliver(first)
    await world.deliver(copy)

    gone = builders.deleted(document_id=first.body.document_id)
    await withdraw_documents([builders.job(gone)], world.use)

    assert world.extraction().cache_hit
    assert kept(world, first.body.document_id) == []
    assert kept(world, copy.body.document_id) == [world.extraction().words_key]


async def test_a_copy_of_what_has_lost_its_words_goes_without(world: World) -> None:
    first, copy = order(), order()
    await world.deliver(first)
    for key in kept(world, first.body.document_id):
        del world.blobs.objects[key]

    await world.deliver(copy)

    assert (world.extraction().words_key, world.engine.calls) == (None, 1)


async def test_words_of_a_document_withdrawn_while_it_is_read_are_not_left(
    world: World,
) -> None:
    job = order()
    world.engine.meanwhile = lambda: world.withdrawals.reasons.update(
        {job.body.document_id: "deleted"}
    )

    with pytest.raises(Withdrawn):
        await world.deliver(job)

    assert kept(world, job.body.document_id) == []


async def test_read_twice_the_words_are_the_same_object(world: World) -> None:
    job = builders.job(builders.extract_document(force=True))

    await world.deliver(job)
    await world.deliver(builders.job(job.body))

    assert world.engine.calls == 2
    assert len(kept(world, job.body.document_id)) == 1
