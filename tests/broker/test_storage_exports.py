"""Exports of two thousand results, on a real PostgreSQL and a real folder: each once, whatever
happens meanwhile, and never more than a page of them in memory."""

import csv
import io
import json
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pyarrow.parquet as pq
import pytest

import shared.audit
from services.storage.domain.exports import Format, Order, Wanted
from services.storage.handlers.exporting import (
    Progress,
    run_next_export,
    stream_export,
)
from services.storage.handlers.ordering import order_export
from services.storage.ports.outlets import Outlets
from shared.blobs.open import open_blobs
from tests import builders
from tests.bench._shared.exporting import key_of, listed, written
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.broker.taker import outlets_on

DOCUMENTS = 2000
PAGE = 50
# What a page of results weighs in all its forms, and not what two thousand do.
PEAK_MB = 12


class Full:
    """A store of so many results, and their rows."""

    def __init__(self, schema: ServiceSchema, root: Path) -> None:
        self.schema = schema
        base = outlets_on(schema.pool)
        self.use: Outlets = replace(
            base,
            blobs=open_blobs(f"file://{root}"),
            limits=replace(base.limits, page_results=PAGE, page_reads=8),
        )
        self.documents: list[UUID] = []

    async def filled(self, root: Path) -> None:
        self.documents = [*written(root, DOCUMENTS)]
        await listed(self.schema, self.documents)

    async def export(self, form: Format, **wanted: object) -> bytes:
        order = Order(None, Wanted(**wanted), form)  # type: ignore[arg-type]
        async with aclosing(stream_export(order, self.use, Progress())) as pieces:
            return b"".join([piece async for piece in pieces])


@pytest.fixture(scope="module")
async def full(
    database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Full]:
    root = tmp_path_factory.mktemp("results")
    locations = [shared.audit.MIGRATIONS]
    async with service_schema(database_url, "storage", locations) as schema:
        one = Full(schema, root)
        await one.filled(root)
        yield one


async def test_each_document_is_there_once_in_every_form(full: Full) -> None:
    known = {str(one) for one in full.documents}

    lines = (await full.export("jsonl")).splitlines()
    table = pq.read_table(io.BytesIO(await full.export("parquet")))
    rows = [*csv.DictReader(io.StringIO((await full.export("csv")).decode(), newline=""))]

    assert len(lines) == table.num_rows == len(rows) == DOCUMENTS
    assert {json.loads(line)["document_id"] for line in lines} == known
    assert set(table.column("document_id").to_pylist()) == known
    assert {row["document_id"] for row in rows} == known


@pytest.mark.parametrize("form", ["jsonl", "csv"])
async def test_what_is_in_memory_is_a_page_and_not_the_export(full: Full, form: Format) -> None:
    order = Order(None, Wanted(), form)
    tracemalloc.start()
    try:
        before, size = tracemalloc.get_traced_memory()[0], 0
        tracemalloc.reset_peak()
        async with aclosing(stream_export(order, full.use, Progress())) as pieces:
            async for piece in pieces:
                size += len(piece)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert size > DOCUMENTS * 100
    assert peak - before < PEAK_MB << 20


async def test_what_changes_meanwhile_moves_nobodys_pages(full: Full) -> None:
    order, seen = Order(None, Wanted(), "jsonl"), list[str]()
    late = uuid4()

    async with aclosing(stream_export(order, full.use, Progress())) as pieces:
        async for piece in pieces:
            if not seen:
                # One that was accepted before where the pages are, and one that is erased.
                await full.schema.owner.execute(
                    "INSERT INTO result_index (document_id, version, owner_id, accepted_at,"
                    " result_key) VALUES ($1, 1, 'acme', $2, $3)",
                    late,
                    builders.ACCEPTED_AT - timedelta(days=1),
                    key_of(full.documents[0]),
                )
                await full.use.blobs.delete(key_of(full.documents[-1]))
                await full.schema.owner.execute(
                    "DELETE FROM result_index WHERE document_id = $1", full.documents[-1]
                )
            seen += [json.loads(line)["document_id"] for line in piece.splitlines()]

    assert len(seen) == len(set(seen)) == DOCUMENTS - 1
    full.documents.pop()
    await full.schema.owner.execute("DELETE FROM result_index WHERE document_id = $1", late)


async def test_a_filter_is_the_databases_and_not_ours(full: Full) -> None:
    found = (await full.export("jsonl", number="R-10")).splitlines()

    numbers = {nth for nth in range(DOCUMENTS) if str(nth).startswith("10")}
    assert len(found) == len(numbers)


async def test_an_export_in_the_background_says_how_far_it_is(full: Full) -> None:
    order = Order("acme", Wanted(), "csv", "lines")
    ordered, _ = await order_export("acme", order, None, full.use)

    assert await run_next_export(full.use)

    made = await full.use.exports.find_export(ordered.export_id, "acme")
    assert made is not None
    assert (made.status, made.progress, made.total) == ("completed", 100, len(full.documents))
    keys = [key async for key in full.use.blobs.list(f"exports/{made.export_id}/")]
    assert len(keys) == made.parts
    assert not await run_next_export(full.use)
