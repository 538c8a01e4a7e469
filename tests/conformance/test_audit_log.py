"""The audit log as it is read: the tables and their fake page, prove and export alike."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

import shared.audit
from shared.audit.chain import Broken, Entry, Line, Link
from shared.audit.log import Filter, append
from shared.audit.reader import AuditLog, check_export, written, written_head
from shared.web.audit import ReadableLog
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.conformance.database import database
from tests.fakes.audit import InMemoryAuditLog

DEED = Entry("anna", "item_approved", "review-item/7", None, {"sum": 1.5}, "Grüße")
ALL = Filter()


@dataclass(slots=True)
class Record:
    log: ReadableLog
    entries: list[Entry]
    schema: ServiceSchema | None = None
    altered: dict[int, Entry] = field(default_factory=dict)

    async def write(self, entries: Sequence[Entry]) -> None:
        self.entries += entries
        if self.schema is not None:
            async with self.schema.pool.transaction() as connection:
                await append(connection, *entries)

    async def alter(self, seq: int) -> None:
        """As a superuser would: the guard is switched off, a name is changed, and all is put
        back as it was."""
        if self.schema is None:
            self.altered[seq] = replace(self.entries[seq - 1], actor="eve")
            return
        async with self.schema.owner.transaction() as connection:
            await connection.execute("ALTER TABLE audit_log DISABLE TRIGGER USER")
            await connection.execute(
                "UPDATE audit_log SET entry = replace(entry::text, 'anna', 'eve')::json"
                " WHERE seq = $1",
                seq,
            )
            await connection.execute("ALTER TABLE audit_log ENABLE TRIGGER USER")


@pytest.fixture(params=["memory", "postgres"])
async def record(request: pytest.FixtureRequest) -> AsyncIterator[Record]:
    if request.param == "memory":
        entries: list[Entry] = []
        log = InMemoryAuditLog(entries)
        yield Record(log, entries, altered=log.altered)
        return
    locations = [shared.audit.MIGRATIONS]
    async with service_schema(database(), "review", locations) as schema:
        yield Record(AuditLog(schema.pool), [], schema)


async def test_pages_go_on_where_they_ended(record: Record) -> None:
    await record.write([replace(DEED, actor=f"a{n % 2}") for n in range(6)])

    first = await record.log.page(Filter(actor="a1"), before_seq=None, limit=2)
    rest = await record.log.page(Filter(actor="a1"), before_seq=first[-1].seq, limit=2)

    assert [line.seq for line in first + rest] == [6, 4, 2]


async def test_every_filter_narrows(record: Record) -> None:
    other = Entry("boris", "item_rejected", "review-item/8")
    await record.write([DEED, other])

    for wanted in (
        Filter(actor="boris"),
        Filter(action="item_rejected"),
        Filter(resource="review-item/8"),
    ):
        [line] = await record.log.page(wanted, before_seq=None, limit=9)
        assert line.entry() == other
    assert await record.log.page(Filter(actor=""), before_seq=None, limit=9) == []


async def test_an_empty_and_a_full_log_prove_themselves(record: Record) -> None:
    empty = await record.log.prove()
    await record.write([DEED] * 3)
    full = await record.log.prove([])

    assert (empty.head.seq, empty.broken) == (0, None)
    assert (full.head.seq, full.broken) == (3, None)


async def test_a_row_altered_by_the_superuser_is_named(record: Record) -> None:
    await record.write([DEED] * 5)
    await record.alter(3)

    proof = await record.log.prove()

    assert proof.broken == Broken(3, "altered")


async def test_a_kept_link_is_looked_for(record: Record) -> None:
    await record.write([DEED] * 2)
    head = (await record.log.prove()).head
    await record.write([DEED])

    assert (await record.log.prove([head])).broken is None
    forged = await record.log.prove([Link(head.seq, bytes(32))])
    beyond = await record.log.prove([Link(9, bytes(32))])

    assert forged.broken == Broken(2, "not the line that was exported")
    assert beyond.broken == Broken(4, "missing")


async def test_an_export_is_whole_and_ends_with_its_head(record: Record) -> None:
    await record.write([DEED] * 4)

    parts = [part async for part in record.log.export()]

    lines = [line for part in parts if not isinstance(part, Link) for line in part]
    assert [line.seq for line in lines] == [1, 2, 3, 4]
    assert all(isinstance(line, Line) for line in lines)
    raw = b"".join(
        written_head(one) if isinstance(one, Link) else written(one) for one in parts
    )
    assert check_export(raw.decode().splitlines()) == parts[-1]
