"""What harms from inside a format ends with an outcome, and so do lines made for patterns."""

import asyncio
from collections.abc import AsyncIterator
from time import process_time

import pytest

from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.adapters.parser.tasks import PDF
from services.extractor.domain.offline.rules import read_invoice
from shared.pages.words import Word
from tests import hostile, hostile_finer
from tests.unit.extractor.test_hostile_files import (
    LIMITS,
    MEBIBYTE,
    OUTCOMES,
    READ,
    Made,
    cases,
    outcome,
    resident_bytes,
)

# Reading a page takes a hundredth of it; what grows with the square would take minutes.
CPU_S_MAX = 4.0


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(LIMITS) as sandbox:
        yield sandbox


@pytest.mark.parametrize(("task", "media_type", "make"), cases(hostile_finer.PAGES))
async def test_whatever_is_inside_ends_with_an_outcome_and_costs_the_parent_nothing(
    task: str, media_type: str, make: Made, sandbox: Sandbox
) -> None:
    content = make()
    before = resident_bytes()

    ended = await outcome(sandbox, task, media_type, content)

    assert ended in OUTCOMES | {READ, "not_an_invoice"}
    assert resident_bytes() - before < 64 * MEBIBYTE + 4 * len(content)


async def test_a_document_that_is_only_locked_for_changes_is_read(sandbox: Sandbox) -> None:
    content = hostile_finer.locked_for_changes_only()

    assert await outcome(sandbox, "offline", PDF, content) == READ


async def test_nothing_outside_is_included_in_an_e_invoice(sandbox: Sandbox) -> None:
    content = hostile_finer.includes_a_file()

    assert await outcome(sandbox, "einvoice", hostile.XML, content) in OUTCOMES | {
        READ,
        "not_an_invoice",
    }


async def test_good_documents_do_not_notice_them_beside(sandbox: Sandbox) -> None:
    good = hostile.sample()
    bad = [make() for media_type, make in hostile_finer.PAGES.values() if media_type == PDF]

    ended = await asyncio.gather(
        *(
            outcome(sandbox, "offline", PDF, content)
            for one in bad
            for content in (good, one, good)
        )
    )

    assert [*ended[0::3], *ended[2::3]] == [READ] * (2 * len(bad))


@pytest.mark.parametrize("text", hostile_finer.LINES.values(), ids=hostile_finer.LINES)
def test_no_pattern_takes_the_square_of_a_line(text: bytes) -> None:
    words = _in_a_line(text.decode().split(" "))
    began_at = process_time()

    read_invoice(words, 1, "pdf_text")

    assert process_time() - began_at < CPU_S_MAX


@pytest.mark.parametrize("text", hostile_finer.LINES.values(), ids=hostile_finer.LINES)
async def test_a_page_made_for_patterns_ends_with_an_outcome(
    text: bytes, sandbox: Sandbox
) -> None:
    for content in (hostile_finer.page_of_one_line(text), hostile_finer.page_of_lines(text)):
        assert await outcome(sandbox, "offline", PDF, content) in OUTCOMES | {READ}


def _in_a_line(texts: list[str]) -> list[Word]:
    step = 0.96 / len(texts)
    return [
        Word(text, 1, 0.02 + at * step, 0.1, 0.02 + (at + 0.9) * step, 0.11)
        for at, text in enumerate(texts)
        if text
    ]
