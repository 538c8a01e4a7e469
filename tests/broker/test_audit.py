"""The audit log in a real PostgreSQL: nobody changes it, and a change by an owner shows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from secrets import token_hex

import asyncpg
import pytest

import shared.audit
from shared.audit import log
from shared.audit.chain import Broken, Entry, Link
from shared.audit.log import Filter, append, head, page, verify
from shared.database.pool import DatabaseSettings, Pool, open_pool
from tests.broker.tables import make_tables

APPROVAL = Entry(
    "anna", "review.approve", "item/7", None, {"verdict": "approved"}, "Grüße \x00"
)
FREE = "SET LOCAL session_replication_role = replica;"


class Ledger:
    """A service's schema with an audit log; one pool is the service's, one the owner's."""

    def __init__(self, schema: str, service: Pool, owner: Pool) -> None:
        self.schema, self.service, self.owner = schema, service, owner

    async def write(self, *entries: Entry) -> None:
        async with self.service.transaction() as connection:
            await append(connection, *entries)

    async def tamper(self, sql: str) -> None:
        """As a superuser would: past every trigger."""
        async with self.owner.transaction() as connection:
            await connection.execute(FREE + sql)


@pytest.fixture
async def ledger(database_url: str) -> AsyncIterator[Ledger]:
    schema = f"audit_{token_hex(4)}"
    role = f"paperline_{schema}"
    settings = DatabaseSettings(database_url)
    async with AsyncExitStack() as stack:
        connection = await asyncpg.connect(database_url)
        stack.push_async_callback(connection.close)
        await connection.execute(f"CREATE ROLE {role}")
        stack.push_async_callback(connection.execute, f"DROP OWNED BY {role}; DROP ROLE {role}")
        audit = [shared.audit.MIGRATIONS]
        await make_tables(connection, schema=schema, locations=audit, role=role)
        own = replace(settings, dsn=f"{database_url}?role={role}")
        service = await open_pool(own, schema=schema, application="test")
        stack.push_async_callback(service.close)
        owner = await open_pool(settings, schema=schema, application="test")
        stack.push_async_callback(owner.close)
        yield Ledger(schema, service, owner)


async def test_what_was_appended_is_read_back_and_verifies(ledger: Ledger) -> None:
    await ledger.write(APPROVAL, replace(APPROVAL, resource="item/8"))
    await ledger.write(replace(APPROVAL, actor="boris", action="review.reopen"))

    newest, *older = await page(ledger.service, Filter())

    assert [line.seq for line in (newest, *older)] == [3, 2, 1]
    assert newest.entry().actor == "boris"
    assert older[-1].entry() == replace(APPROVAL, reason="Grüße \ufffd")
    assert await verify(ledger.service) is None
    assert await head(ledger.service) == Link(3, newest.hash)


async def test_an_empty_log_verifies(ledger: Ledger) -> None:
    await ledger.write()

    assert await verify(ledger.service) is None
    assert (await head(ledger.service)).seq == 0


async def test_a_deed_that_is_rolled_back_leaves_no_line_and_no_gap(ledger: Ledger) -> None:
    await ledger.write(APPROVAL)
    with pytest.raises(ZeroDivisionError):
        async with ledger.service.transaction() as connection:
            await append(connection, APPROVAL)
            raise ZeroDivisionError
    await ledger.write(APPROVAL)

    assert [line.seq for line in await page(ledger.service, Filter())] == [2, 1]
    assert await verify(ledger.service) is None


async def test_many_writers_at_once_make_one_chain(ledger: Ledger) -> None:
    await asyncio.gather(
        *(ledger.write(*[replace(APPROVAL, actor=f"a{n}")] * 3) for n in range(30))
    )

    lines = [line async for line in _every_line(ledger)]
    assert [line.seq for line in lines] == list(range(1, 91))
    assert await verify(ledger.service) is None
    # A transaction's lines stand together: writers took turns.
    actors = [line.entry().actor for line in lines]
    assert all(len(set(actors[at : at + 3])) == 1 for at in range(0, 90, 3))


async def _every_line(ledger: Ledger) -> AsyncIterator[shared.audit.chain.Line]:
    for line in reversed(await page(ledger.service, Filter(), limit=1000)):
        yield line


class GrowingLog:
    """The service's pool, on which a line is appended as soon as the head has been read."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["GrowingLog"]:
        async with self._ledger.service.transaction() as self._connection:
            self.execute, self.fetch = self._connection.execute, self._connection.fetch
            yield self

    async def fetchrow(self, sql: str) -> asyncpg.Record | None:
        row = await self._connection.fetchrow(sql)
        await self._ledger.write(APPROVAL)
        return row


async def test_a_log_verifies_while_it_grows(ledger: Ledger) -> None:
    await ledger.write(APPROVAL)

    assert await verify(GrowingLog(ledger)) is None  # type: ignore[arg-type]  # the one method it uses

    assert (await head(ledger.service)).seq == 2


async def test_a_page_is_filtered_and_continued(ledger: Ledger) -> None:
    entries = [replace(APPROVAL, actor=f"a{n % 2}", resource=f"item/{n}") for n in range(10)]
    await ledger.write(*entries)

    first = await page(ledger.service, Filter(actor="a1"), limit=3)
    rest = await page(ledger.service, Filter(actor="a1"), before_seq=first[-1].seq)

    assert [line.seq for line in first + rest] == [10, 8, 6, 4, 2]
    [one] = await page(ledger.service, Filter(action="review.approve", resource="item/4"))
    assert one.seq == 5


async def test_a_log_longer_than_a_batch_is_verified_to_its_end(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "VERIFY_BATCH", 4)
    await ledger.write(*[APPROVAL] * 10)

    assert await verify(ledger.service) is None
    await ledger.tamper("DELETE FROM audit_log WHERE seq = 9")
    assert await verify(ledger.service) == Broken(9, "missing")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit_log SET at = now()",
        "DELETE FROM audit_log",
        "DELETE FROM audit_log WHERE false",
        "TRUNCATE audit_log",
        "TRUNCATE audit_head",
        "DELETE FROM audit_head",
    ],
)
async def test_nobody_changes_the_log_not_even_its_owner(ledger: Ledger, sql: str) -> None:
    await ledger.write(APPROVAL)

    for pool in (ledger.service, ledger.owner):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await pool.execute(sql)

    assert await verify(ledger.service) is None


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit_head SET seq = 0",
        "ALTER TABLE audit_log DISABLE TRIGGER ALL",
        "DROP TABLE audit_log",
    ],
)
async def test_a_service_cannot_touch_what_guards_its_log(ledger: Ledger, sql: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await ledger.service.execute(sql)


async def test_a_writer_chooses_neither_number_nor_hash(ledger: Ledger) -> None:
    text = '{"actor":"a","action":"b","resource":"c","before":null,"after":null,"reason":""}'
    await ledger.service.execute(
        "INSERT INTO audit_log (seq, at, entry, previous, hash)"
        " VALUES (77, '1999-01-01', $1::text::json, '', '')",
        text,
    )

    [line] = await page(ledger.service, Filter())
    assert (line.seq, line.at.year > 1999) == (1, True)
    assert await verify(ledger.service) is None


async def test_a_temp_table_does_not_stand_in_for_the_head(ledger: Ledger) -> None:
    async with ledger.service.transaction() as connection:
        await connection.execute("CREATE TEMP TABLE audit_head (seq bigint, hash bytea)")
        await connection.execute("INSERT INTO audit_head VALUES (41, '')")
        await append(connection, APPROVAL)
        await connection.execute("DROP TABLE pg_temp.audit_head")

    assert (await head(ledger.service)).seq == 1
    assert await verify(ledger.service) is None


ENTRY_OF_3 = (
    "UPDATE audit_log SET entry = replace(entry::text, 'anna', 'eve')::json WHERE seq = 3"
)


@pytest.mark.parametrize(
    ("sql", "broken"),
    [
        (ENTRY_OF_3, Broken(3, "altered")),
        ("UPDATE audit_log SET at = at - interval '1 day' WHERE seq = 4", Broken(4, "altered")),
        ("UPDATE audit_log SET hash = sha256('') WHERE seq = 2", Broken(2, "altered")),
        ("DELETE FROM audit_log WHERE seq = 1", Broken(1, "missing")),
        ("DELETE FROM audit_log WHERE seq = 3", Broken(3, "missing")),
        ("DELETE FROM audit_log WHERE seq = 5", Broken(5, "missing")),
        ("DELETE FROM audit_log", Broken(1, "missing")),
        ("DELETE FROM audit_head", Broken(5, "not the head of the chain")),
        (
            "UPDATE audit_head SET seq = 4; DELETE FROM audit_log WHERE seq = 5",
            Broken(4, "not the head of the chain"),
        ),
    ],
)
async def test_what_a_superuser_did_is_named_by_its_first_line(
    ledger: Ledger, sql: str, broken: Broken
) -> None:
    await ledger.write(*[APPROVAL] * 5)

    await ledger.tamper(sql)

    assert await verify(ledger.service) == broken


REWRITE = """
DELETE FROM audit_log WHERE seq = 5;
UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_log WHERE seq = 4);
"""


async def test_a_cleverly_cut_log_is_caught_by_a_head_that_was_exported(
    ledger: Ledger,
) -> None:
    await ledger.write(*[APPROVAL] * 5)
    exported = await head(ledger.service)
    await ledger.tamper(REWRITE)

    assert await verify(ledger.service) is None
    assert await verify(ledger.service, kept=[exported]) == Broken(5, "missing")

    await ledger.write(replace(APPROVAL, actor="eve"))
    assert await verify(ledger.service) is None
    assert await verify(ledger.service, kept=[exported]) == Broken(
        5, "not the line that was exported"
    )


@pytest.mark.parametrize("field", ["actor", "action", "resource"])
async def test_a_line_without_who_what_and_where_is_refused(ledger: Ledger, field: str) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="a_line_says_who_did_what"):
        await ledger.write(replace(APPROVAL, **{field: ""}))
