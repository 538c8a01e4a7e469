"""What every engine promises, whatever it reads with: one shape of answer, and honest ends.

The pipeline merges what several engines answer, so a value in another form would be taken for
another value. A new engine is one more row of `ENGINES`.
"""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest

from services.extractor.adapters.einvoice import EInvoiceEngine
from services.extractor.adapters.offline import OfflineEngine
from services.extractor.adapters.parser.sandbox import (
    ChildLimits,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.domain.reading import Reading, Scan
from services.extractor.ports import Engine
from shared.errors import Rejected
from shared.invoice.paths import Kind, kind_of
from tests import builders
from tests.unit.extractor.attached import Attached, pdf_with
from tests.unit.extractor.einvoices import cii, credit_note, ubl, zugferd_1

SAMPLES = Path(__file__).parents[2] / "deploy" / "samples"
PDF, XML = "application/pdf", "application/xml"
# Words of our own in lower case, and a language: codes that no list writes in capitals.
OWN_CODES = frozenset({"document.type", "document.language"})
FORMS: Mapping[Kind, Callable[[str], bool]] = {
    "money": lambda value: re.fullmatch(r"-?\d+(\.\d+)?", value) is not None,
    "number": lambda value: re.fullmatch(r"-?\d+(\.\d+)?", value) is not None,
    "date": lambda value: date.fromisoformat(value).isoformat() == value,
    "code": lambda value: value == value.strip().upper(),
    "flag": lambda value: value in ("true", "false"),
    "text": lambda value: value == value.strip() and bool(value),
}
# How a document may end that can never be read; a crash of ours is none of them.
REASONS = frozenset({"encrypted", "no_text_layer", "not_an_invoice", "too_large", "unreadable"})

Document: TypeAlias = tuple[str, bytes]


def sample(name: str) -> Document:
    return PDF, (SAMPLES / f"{name}.pdf").read_bytes()


EINVOICES: Mapping[str, Document] = {
    "CII": (XML, cii().encode()),
    "UBL": (XML, ubl().encode()),
    "UBL as text": ("text/xml", ubl().encode()),
    "credit note": (XML, credit_note().encode()),
    "ZUGFeRD 1.0": (PDF, pdf_with(Attached(zugferd_1().encode()))),
    "Factur-X": (PDF, pdf_with(Attached(cii().encode(), "catalog"))),
    "two of them": (
        PDF,
        pdf_with(
            Attached(cii().encode()), Attached(ubl().replace(">119.00", ">118.00").encode())
        ),
    ),
}
PAGES: Mapping[str, Document] = {
    name: sample(name)
    for name in ("de-nordwind-werkzeuge", "en-larchfield-books", "fr-atelier-bruyere")
}
ENGINES: Mapping[str, tuple[Callable[[Sandbox], Engine], Mapping[str, Document]]] = {
    "einvoice": (EInvoiceEngine, EINVOICES),
    "offline": (OfflineEngine, PAGES),
}
READABLE = [
    pytest.param(name, document, id=f"{name} reads {title}")
    for name, (_, documents) in ENGINES.items()
    for title, document in documents.items()
]


@dataclass(slots=True)
class Watched:
    """Whoever waits for the reading, and what it was told."""

    told: list[int] = field(default_factory=list)

    async def __call__(self, percent: int, stage: str) -> None:
        assert stage
        self.told.append(percent)


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    limits = SandboxLimits(
        ReadLimits(pages=20, chars=100_000),
        ChildLimits(memory_bytes=1024**3, cpu_s=10, wall_s=30, at_once=2),
    )
    async with Sandbox(limits) as sandbox:
        yield sandbox


def engine(name: str, sandbox: Sandbox) -> Engine:
    made, _ = ENGINES[name]
    return made(sandbox)


def scan(document: Document) -> Scan:
    today = builders.ACCEPTED_AT.date()
    return Scan(uuid4(), builders.OWNER, builders.SHA256, *document, accepted_on=today)


async def read(name: str, sandbox: Sandbox, document: Document) -> Reading:
    answer = await engine(name, sandbox).read(scan(document), Watched())
    assert answer is not None
    return answer


@pytest.mark.parametrize("name", ENGINES)
async def test_an_engine_is_told_apart_by_what_changes_its_answers(
    name: str, sandbox: Sandbox
) -> None:
    one = engine(name, sandbox)

    assert one.name == name
    # A cache is asked by it: without a version, the answers of an old one would live on.
    assert re.fullmatch(rf"{name}/\S+", one.config)


@pytest.mark.parametrize(("name", "document"), READABLE)
async def test_every_value_has_the_form_of_its_kind(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    reading = await read(name, sandbox, document)

    assert reading.engine == name
    assert reading.fields
    for path, one in reading.fields.items():
        kind = kind_of(path)
        assert kind is not None, f"no invoice has {path}"
        assert one.value is None or path in OWN_CODES or FORMS[kind](one.value), (path, one)


@pytest.mark.parametrize(("name", "document"), READABLE)
async def test_what_is_there_says_how_sure_and_where_from(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    reading = await read(name, sandbox, document)

    for path, one in reading.fields.items():
        assert 0 <= one.confidence <= 1, path
        assert (one.status == "missing") == (one.value is None), path
        assert one.value is None or (one.confidence > 0 and one.source), path
        assert one.status != "extracted" or one.raw, path
        assert len(one.alternatives) <= 3, path
        assert one.value not in [other.value for other in one.alternatives], path


@pytest.mark.parametrize(("name", "document"), READABLE)
async def test_evidence_lies_on_a_page_that_there_is(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    reading = await read(name, sandbox, document)

    for path, one in reading.fields.items():
        for span in one.evidence:
            left, top, right, bottom = span.box
            assert 1 <= span.page <= reading.page_count, path
            assert 0 <= left <= right <= 1, path
            assert 0 <= top <= bottom <= 1, path


@pytest.mark.parametrize(("name", "document"), READABLE)
async def test_a_finding_is_about_fields_that_an_invoice_has(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    reading = await read(name, sandbox, document)

    for finding in reading.findings:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", finding.code)
        assert all(kind_of(path) for path in finding.touches)
        assert all(1 <= page <= reading.page_count for page in finding.pages)


@pytest.mark.parametrize(("name", "document"), READABLE)
async def test_the_same_document_twice_has_one_answer(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    first = await read(name, sandbox, document)
    second = await read(name, sandbox, document)

    assert first == second


@pytest.mark.parametrize(("name", "document"), READABLE)
async def test_progress_never_goes_back(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    watched = Watched()

    await engine(name, sandbox).read(scan(document), watched)

    assert watched.told == sorted(watched.told)
    assert all(0 <= percent <= 100 for percent in watched.told)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(
    "document",
    [
        pytest.param((PDF, b""), id="an empty file"),
        pytest.param((PDF, b"hello"), id="no PDF at all"),
        pytest.param(sample("unreadable/truncated"), id="half a PDF"),
        pytest.param(sample("unreadable/encrypted"), id="a locked PDF"),
    ],
)
async def test_what_can_never_be_read_is_rejected_by_name(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    with pytest.raises(Rejected) as refused:
        await engine(name, sandbox).read(scan(document), Watched())

    assert refused.value.reason in REASONS


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(
    "document",
    [
        pytest.param(("image/png", b"\x89PNG\r\n\x1a\n" + bytes(40)), id="half a picture"),
        pytest.param((XML, b"<html/>"), id="XML that is no invoice"),
        pytest.param((XML, b"<a"), id="half a tag"),
        pytest.param(("text/plain", b"Invoice 1, total 5 EUR"), id="text"),
    ],
)
async def test_what_is_not_for_an_engine_it_leaves_to_others_or_rejects_by_name(
    name: str, document: Document, sandbox: Sandbox
) -> None:
    try:
        answer = await engine(name, sandbox).read(scan(document), Watched())
    except Rejected as refused:
        assert refused.reason in REASONS
    else:
        assert answer is None or not answer.fields
