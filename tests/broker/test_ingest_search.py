"""The search for documents in a real PostgreSQL: it finds, in pages, by its indexes."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from uuid import UUID

import pytest

from services.ingest.adapters import documents as adapter
from services.ingest.domain.documents import Details
from services.ingest.domain.said import Said
from services.ingest.domain.search import Wanted
from services.ingest.ports import Page
from shared.contracts.body import Priority
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world, new_document


@pytest.fixture(scope="module")
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


@pytest.fixture
def owner() -> str:
    return f"owner-{token_hex(4)}"


async def _kept(world: World, given: Details) -> UUID:
    document = replace(new_document(given.owner_id, world.use.clock.now()), details=given)
    async with world.use.ledger.unit() as unit:
        await world.use.releases.take_in(unit, [document], [])
    return document.document_id


async def _found(world: World, owner: str | None, wanted: Wanted) -> Sequence[UUID]:
    found = await world.documents.search_documents(Page(owner, 200), wanted)
    return [one.document_id for one in found]


async def test_what_a_client_says_is_kept_as_it_was_said(world: World, owner: str) -> None:
    due_at = world.use.clock.now() + timedelta(days=1)
    said = Said(("b", "a,1", '"'), '{"x":{"y":[1,"é"]}}', due_at)

    kept = await world.document(await _kept(world, Details(owner, "a.pdf", said=said)))
    bare = await world.document(await _kept(world, Details(owner, "b.pdf")))

    assert (kept.tags, kept.metadata) == (["b", "a,1", '"'], {"x": {"y": [1, "é"]}})
    assert kept.due_at == due_at
    assert (bare.tags, bare.metadata, bare.due_at) == ([], {}, None)


async def test_each_filter_leaves_what_it_names(world: World, owner: str) -> None:
    first = await _kept(world, Details(owner, "Übersicht 1.pdf", Priority.URGENT))
    second = await _kept(world, Details(owner, "plain.pdf", said=Said(("a", "b"))))
    third = await _kept(world, Details(owner, "100%_x.pdf"))
    other = await _kept(world, Details(f"not-{owner}", "plain.pdf", said=Said(("a",))))
    await world.record(Told(builders.stored).about(third))
    at = (await world.document(second)).created_at
    vendor = builders.SUMMARY.vendor_name or ""
    number = builders.SUMMARY.invoice_number or ""

    for wanted, expected in (
        (Wanted(status="completed"), [third]),
        (Wanted(priority=5), [first]),
        (Wanted(tag="a"), [second]),
        (Wanted(tag="A"), []),
        (Wanted(accepted_after=at), [third, second]),
        (Wanted(accepted_before=at), [first]),
        (Wanted(q="ÜBER"), [first]),
        (Wanted(q="bersicht"), []),
        (Wanted(q=vendor[:4].upper()), [third]),
        (Wanted(q=number.lower()), [third]),
        (Wanted(engine=builders.stored().engine), [third]),
        (Wanted(engine="offline_fallback"), []),
        (Wanted(q="100%"), [third]),
        (Wanted(q="100_"), []),
        (Wanted(q="\\"), []),
        (Wanted(q="plain", tag="b", status="queued"), [second]),
    ):
        assert await _found(world, owner, wanted) == expected, wanted
    assert {second, other} <= {*await _found(world, None, Wanted(tag="a"))}


async def test_a_search_neither_repeats_nor_skips_while_documents_arrive(
    world: World, owner: str
) -> None:
    given = Details(owner, "a.pdf", said=Said(("x",)))
    ids = [await _kept(world, given) for _ in range(7)]
    seen: list[UUID] = []
    page = Page(owner, 3)

    while found := await world.documents.search_documents(page, Wanted(tag="x")):
        seen += [one.document_id for one in found]
        await _kept(world, given)
        page = Page(owner, 3, found[-1].created_at, found[-1].document_id)

    assert seen == ids[::-1]


@pytest.mark.parametrize(
    ("wanted", "indexes"),
    [
        (Wanted(q="zz-"), {"vendor_name", "invoice_number", "filename"}),
        (Wanted(tag="rare"), {"tags"}),
    ],
    ids=["q", "tag"],
)
async def test_a_search_reads_its_indexes(
    world: World, wanted: Wanted, indexes: set[str]
) -> None:
    sql = (Path(adapter.__file__).parents[1] / "sql" / "search_documents.sql").read_text()
    await world.all_accepted([f"crowd-{nth % 3}" for nth in range(3000)])
    await world.pool.execute("ANALYZE documents")

    async with world.pool.transaction() as connection:
        # As with far more rows than a test can make.
        await connection.execute("SET LOCAL enable_seqscan = off")
        await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        before = (adapter._LAST_AT, adapter._LAST_ID, 50, None)
        asked = (*before, *adapter._wanted(wanted))
        plan = json.dumps(await connection.fetchval(f"EXPLAIN (FORMAT json) {sql}", *asked))

    assert all(f"ix_documents_{name}" in plan for name in indexes), plan


async def test_an_original_is_found_without_looking_at_its_copies(world: World) -> None:
    sql = (Path(adapter.__file__).parents[1] / "sql" / "find_family.sql").read_text()
    copies = await world.all_accepted(["copyist"] * 500)
    await world.pool.execute(
        "UPDATE documents SET status = 'duplicate' WHERE owner_id = 'copyist'"
    )
    await world.pool.execute("ANALYZE documents")

    plan = json.dumps(await world.pool.fetchval(f"EXPLAIN (FORMAT json) {sql}", copies[0]))

    assert "ix_documents_originals" in plan, plan


@pytest.mark.parametrize("field", ["vendor_name", "invoice_number"])
async def test_a_name_too_long_for_an_index_neither_fails_its_facts_nor_hides(
    world: World, owner: str, field: str
) -> None:
    # Incompressible, or the index would make it short enough by itself.
    beginning, long = token_hex(20), token_hex(50_000)
    kept, other = await _kept(world, Details(owner)), await _kept(world, Details(owner))
    summary = builders.SUMMARY.model_copy(update={field: beginning + long})

    await world.record(
        Told(builders.stored, 0, (("summary", summary),)).about(kept),
        Told(builders.stored).about(other),
    )

    document = await world.document(kept)
    assert getattr(document, field) == beginning + long
    assert (document.status, (await world.document(other)).status) == ("completed",) * 2
    assert await _found(world, owner, Wanted(q=beginning.upper())) == [kept]
    # Only the beginning is looked at.
    assert await _found(world, owner, Wanted(q=beginning + long[:300])) == []
