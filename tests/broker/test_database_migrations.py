"""Migrations against a real PostgreSQL: run twice, run at once, run half, run too new."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit

import asyncpg
import pytest

from shared.database.migrations import migrate, pending
from shared.errors import Retryable

REVISION = '''"""{name}"""

from shared.database.revision import run_sql

revision = "{branch}_{number:04}"
down_revision = {down!r}
branch_labels = {labels!r}
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
'''


class Service:
    """A schema of a service, whose revisions are written by the test."""

    def __init__(self, owner: str, folder: Path) -> None:
        self.owner = owner
        self.schema = f"svc_{token_hex(4)}"
        self.role = f"{self.schema}_role"
        self.locations = [folder / "ledger", folder / "service"]
        for location in self.locations:
            location.mkdir()

    def write(self, branch: str, number: int, sql: str) -> Path:
        name = f"{number:04}_expand_{branch}"
        folder = self.locations[0 if branch == "ledger" else 1]
        revision = folder / f"{name}.py"
        down = f"{branch}_{number - 1:04}" if number > 1 else None
        labels = None if down else (branch,)
        revision.write_text(
            REVISION.format(name=name, branch=branch, number=number, down=down, labels=labels)
        )
        revision.with_suffix(".sql").write_text(sql)
        return revision

    async def migrate(self) -> list[str]:
        return await migrate(
            self.owner, schema=self.schema, locations=self.locations, role=self.role
        )

    async def pending(self) -> list[str]:
        return await pending(self.as_role(), self.schema, self.locations)

    def as_role(self) -> str:
        parts = urlsplit(self.owner)
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=f"{self.role}:test@{host}").geturl()

    async def tables(self) -> set[str]:
        connection = await asyncpg.connect(self.owner)
        rows = await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = $1", self.schema
        )
        await connection.close()
        return {row["tablename"] for row in rows}


@pytest.fixture
async def service(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    service = Service(database_url, tmp_path)
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"CREATE ROLE {service.role} LOGIN PASSWORD 'test'")
    service.write("ledger", 1, "CREATE TABLE outbox (id int); CREATE TABLE inbox (id int);")
    service.write("ingest", 1, "CREATE TABLE documents (id bigserial, note text);")
    yield service
    await connection.execute(f"DROP OWNED BY {service.role}")
    await connection.execute(f"DROP ROLE {service.role}")
    await connection.close()


@pytest.fixture
async def connection(service: Service) -> AsyncIterator[asyncpg.Connection]:
    """What the service itself may do, after the migration."""
    await service.migrate()
    connection = await asyncpg.connect(
        service.as_role(), server_settings={"search_path": service.schema}
    )
    yield connection
    await connection.close()


async def test_all_folders_are_applied_into_the_services_schema(service: Service) -> None:
    assert set(await service.pending()) == {"ledger_0001", "ingest_0001"}

    applied = await service.migrate()

    assert set(applied) == {"ledger_0001", "ingest_0001"}
    assert await service.tables() == {"alembic_version", "outbox", "inbox", "documents"}
    assert await service.pending() == []


async def test_a_second_run_finds_nothing_to_do(service: Service) -> None:
    await service.migrate()

    assert await service.migrate() == []


async def test_migrators_at_once_take_turns(service: Service) -> None:
    outcomes = await asyncio.gather(*(service.migrate() for _ in range(4)))

    assert sorted(len(applied) for applied in outcomes) == [0, 0, 0, 2]


async def test_a_later_revision_is_applied_alone(service: Service) -> None:
    await service.migrate()
    service.write("ingest", 2, "ALTER TABLE documents ADD COLUMN stage text;")

    assert await service.pending() == ["ingest_0002"]
    assert await service.migrate() == ["ingest_0002"]


async def test_revisions_come_oldest_first(service: Service) -> None:
    service.write("ingest", 2, "ALTER TABLE documents ADD COLUMN stage text;")
    service.write("ingest", 3, "ALTER TABLE documents ADD COLUMN owner text;")

    applied = await service.migrate()

    ours = [revision for revision in applied if revision.startswith("ingest")]
    assert ours == ["ingest_0001", "ingest_0002", "ingest_0003"]


async def test_half_a_revision_leaves_nothing_and_keeps_the_earlier_ones(
    service: Service,
) -> None:
    broken = service.write("ingest", 2, "CREATE TABLE batches (id int); SELECT * FROM nowhere;")

    with pytest.raises(asyncpg.UndefinedTableError):
        await service.migrate()

    assert "batches" not in await service.tables()
    assert "documents" in await service.tables()
    broken.with_suffix(".sql").write_text("CREATE TABLE batches (id int);")
    assert "ingest_0002" in await service.migrate()
    assert "ingest_0001" not in await service.migrate()
    assert "batches" in await service.tables()


async def test_a_revision_and_its_entry_in_the_book_are_one_transaction(
    service: Service,
) -> None:
    interrupted = service.write("ingest", 2, "CREATE TABLE batches (id int);")
    with interrupted.open("a") as revision:
        revision.write('    raise InterruptedError("after the work, before the entry")\n')

    with pytest.raises(InterruptedError):
        await service.migrate()

    assert "batches" not in await service.tables()


async def test_older_code_accepts_a_newer_schema(service: Service) -> None:
    newest = service.write("ingest", 2, "ALTER TABLE documents ADD COLUMN stage text;")
    await service.migrate()
    newest.unlink()

    assert await service.pending() == []
    assert await service.migrate() == []


async def test_a_service_reads_and_writes_its_own_tables(
    connection: asyncpg.Connection,
) -> None:
    await connection.execute("INSERT INTO documents (note) VALUES ('a')")
    await connection.execute("UPDATE documents SET note = 'b'")
    await connection.execute("DELETE FROM documents")


@pytest.mark.parametrize(
    "forbidden",
    [
        "DROP TABLE documents",
        "TRUNCATE documents",
        "ALTER TABLE documents ADD COLUMN x int",
        "CREATE TABLE mine (id int)",
        "UPDATE alembic_version SET version_num = ''",
    ],
)
async def test_a_service_cannot_change_its_schema(
    connection: asyncpg.Connection, forbidden: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(forbidden)


@pytest.fixture
def audited(service: Service) -> Iterator[Service]:
    service.write(
        "ingest",
        2,
        "CREATE TABLE audit_log (id bigserial, what text);"
        "COMMENT ON TABLE audit_log IS 'append-only: proves what happened';",
    )
    yield service


@pytest.mark.parametrize(
    "forbidden",
    ["UPDATE audit_log SET what = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"],
)
async def test_an_append_only_table_is_only_added_to(
    audited: Service, connection: asyncpg.Connection, forbidden: str
) -> None:
    await audited.migrate()
    await connection.execute("INSERT INTO audit_log (what) VALUES ('opened')")

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(forbidden)


async def test_a_table_that_becomes_append_only_loses_the_older_rights(
    service: Service, connection: asyncpg.Connection
) -> None:
    await connection.execute("UPDATE inbox SET id = 1")
    service.write("ledger", 2, "COMMENT ON TABLE inbox IS 'append-only from now on';")

    await service.migrate()

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("UPDATE inbox SET id = 1")


async def test_a_role_that_does_not_exist_yet_is_no_obstacle(service: Service) -> None:
    applied = await migrate(
        service.owner, schema=service.schema, locations=service.locations, role="nobody_yet"
    )

    assert len(applied) == 2


async def test_a_missing_folder_is_told_before_anything_is_touched(service: Service) -> None:
    service.locations.append(Path("/nowhere/migrations"))

    with pytest.raises(FileNotFoundError, match="/nowhere/migrations"):
        await service.migrate()

    assert await service.tables() == set()


async def test_an_absent_database_asks_to_be_tried_again(service: Service) -> None:
    service.owner = "postgresql://nobody@127.0.0.1:1/nothing"

    with pytest.raises(Retryable):
        await service.migrate()
