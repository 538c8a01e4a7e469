"""Exports over a filter, streamed: each document once, to who may see it, and never in half."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from services.storage.adapters.encoders import FileEncoders, Threaded
from services.storage.domain.exports import Order, Wanted
from services.storage.handlers.exporting import (
    Progress,
    stream_export,
)
from services.storage.handlers.listing import catch_up
from services.storage.handlers.withdrawing import withdraw_documents
from shared.errors import Rejected
from tests import builders
from tests.unit.storage.office import REVIEWER, STRANGER, Office, open_office


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with open_office() as one:
        yield one


def ids(lines: bytes) -> set[str]:
    return {json.loads(line)["document_id"] for line in lines.decode().splitlines()}


def files(office: Office) -> list[str]:
    return [key for key in office.blobs.objects if key.startswith("exports/")]


async def test_an_export_holds_every_current_result_once(office: Office) -> None:
    known = [await office.stored() for _ in range(7)]
    known.append(await office.approved())
    office.limited(page_results=3)

    answer = await office.get("/v1/exports")

    lines = answer.content.decode().splitlines()
    assert answer.headers["X-Total-Estimate"] == "8"
    assert answer.headers["content-type"] == "application/jsonl"
    assert 'filename="invoices-documents.jsonl"' in answer.headers["Content-Disposition"]
    assert len(lines) == 8
    assert ids(answer.content) == {str(one) for one in known}
    assert {json.loads(line)["version"] for line in lines} == {1, 2}


async def test_large_results_are_taken_apart_a_few_at_a_time(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of them would be as many times as large."""
    known = {str(await office.stored()) for _ in range(7)}
    rows = office.results.rows.values()
    largest = max(len(office.blobs.objects[row.result_key]) for row in rows)
    office.limited(page_reads=4, page_bytes=2 * largest)
    portions, waiting, waited = list[int](), list[str](), list[int]()
    add, read = Threaded.add, office.blobs.read

    async def noted(self: Threaded, results: Sequence[bytes]) -> bytes:
        portions.append(sum(map(len, results)))
        waited.append(len(waiting))
        del waiting[: len(results)]
        return await add(self, results)

    async def noting(key: str, *, limit_bytes: int | None = None) -> bytes:
        waiting.append(key)
        return await read(key, limit_bytes=limit_bytes)

    monkeypatch.setattr(Threaded, "add", noted)
    monkeypatch.setattr(office.blobs, "read", noting)
    answer = await office.get("/v1/exports")

    assert ids(answer.content) == known
    assert len(portions) > 1
    assert max(portions) <= 2 * largest
    assert max(waited) < len(known)


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet", "jsonl"])
@pytest.mark.parametrize("rows", ["documents", "lines"])
async def test_each_form_says_what_it_is(office: Office, form: str, rows: str) -> None:
    await office.stored()

    answer = await office.get(f"/v1/exports?format={form}&rows={rows}")

    assert answer.status_code == 200
    assert f"invoices-{rows}.{form}" in answer.headers["Content-Disposition"]
    magic = {"xlsx": b"PK", "parquet": b"PAR1"}.get(form, b"")
    assert answer.content.startswith(magic)


async def test_an_export_of_copies_counts_no_invoice_twice(office: Office) -> None:
    one = await office.stored()
    await office.stored(cache_hit=True)

    assert ids((await office.get("/v1/exports")).content) == {str(one)}


async def test_filters_are_applied_and_misspelt_ones_are_refused(office: Office) -> None:
    approved = await office.approved()
    await office.stored()

    kept = await office.get("/v1/exports?verdict=approved")
    none = await office.get("/v1/exports?accepted_before=2020-01-01T00:00:00Z")
    wrong = await office.get("/v1/exports?verdikt=approved")

    assert ids(kept.content) == {str(approved)}
    assert none.content == b""
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/query/verdikt")


@pytest.mark.parametrize(
    "query",
    ["currency=eur", "confidence_min=2", "issued_after=soon", "vendor=%00", "format=xml",
     "accepted_after=2026-01-01T00:00:00", "vendor=", "rows=none"],
)  # fmt: skip
async def test_what_cannot_be_understood_exports_nothing(office: Office, query: str) -> None:
    answer = await office.get(f"/v1/exports?{query}")

    assert answer.status_code == 422


async def test_of_two_owners_each_exports_the_own_documents(office: Office) -> None:
    ours = await office.stored()
    theirs = await office.stored(owner_id="other")

    assert ids((await office.get("/v1/exports")).content) == {str(ours)}
    assert ids((await office.get("/v1/exports", STRANGER)).content) == {str(theirs)}
    everything = await office.get("/v1/exports", REVIEWER)
    assert ids(everything.content) == {str(ours), str(theirs)}
    chosen = await office.get("/v1/exports?owner=other", REVIEWER)
    assert ids(chosen.content) == {str(theirs)}
    refused = await office.get("/v1/exports?owner=acme", STRANGER)
    assert refused.status_code == 404


async def test_a_deleted_document_takes_the_exports_with_it(office: Office) -> None:
    gone, stays = await office.stored(), await office.stored()
    made = await office.made()

    await withdraw_documents([builders.job(builders.deleted(document_id=gone))], office.use)

    assert files(office) == []
    assert (await office.get(made["links"]["download"])).status_code == 409
    assert ids((await office.get("/v1/exports")).content) == {str(stays)}


async def test_a_result_that_is_lost_makes_the_export_fail(office: Office) -> None:
    one = await office.stored()
    await office.stored()
    del office.blobs.objects[office.results.rows[one, 1].result_key]

    made = await office.made()

    assert (made["status"], made["failure"]) == ("failed", "source_missing")
    with pytest.raises(Rejected):
        _ = [piece async for piece in _stream(office)]


async def test_an_export_that_nobody_takes_to_its_end_leaves_no_file(
    office: Office, tmp_path: Path
) -> None:
    await office.stored()
    use = replace(office.outlets, encoders=FileEncoders(tmp_path))
    stream = stream_export(Order(None, Wanted(), "xlsx"), use, Progress())

    assert (await anext(stream)).startswith(b"PK")
    assert [*tmp_path.iterdir()]
    await stream.aclose()

    assert [*tmp_path.iterdir()] == []


async def test_what_is_erased_while_its_page_is_read_is_left_out(office: Office) -> None:
    one, stays = await office.stored(), await office.stored()
    # Its row of the index was read; by now there is neither row nor file.
    row = office.results.rows.pop((one, 1))
    del office.blobs.objects[row.result_key]

    assert ids((await office.get("/v1/exports")).content) == {str(stays)}


async def _stream(office: Office) -> AsyncIterator[bytes]:
    order = Order(None, Wanted(), "jsonl")
    async for piece in stream_export(order, office.outlets, Progress()):
        yield piece


async def test_what_was_not_indexed_is_missing_from_no_export_in_silence(
    office: Office,
) -> None:
    one = await office.stored()
    office.index.entries.clear()

    await office.index.index_missing(None, 10)  # type: ignore[arg-type]  # nothing of it is used
    by_value = await office.get("/v1/exports?vendor=Nord")
    every = await office.get("/v1/exports")
    while await catch_up(office.outlets):
        pass
    found = await office.get("/v1/exports?vendor=Nord")

    assert (by_value.status_code, by_value.headers["Retry-After"]) == (503, "30")
    assert ids(every.content) == ids(found.content) == {str(one)}


async def test_so_many_streams_at_a_time_and_each_gives_its_place_back(office: Office) -> None:
    await office.stored()
    places = office.outlets.limits.streams_max

    for _ in range(places + 2):
        assert (await office.get("/v1/exports")).status_code == 200
    answers = await asyncio.gather(
        *(office.get("/v1/exports?format=xlsx") for _ in range(places + 2))
    )

    codes = sorted(one.status_code for one in answers)
    assert codes == [200] * places + [503] * 2
    assert (await office.get("/v1/exports")).status_code == 200
