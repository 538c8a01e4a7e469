"""Who may write the keys: ingest alone, and whoever holds the command line."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from shared.access.keys import Quota
from tests.broker.access_world import PROVIDER, SERVICES, AccessSchema, World, access_schema

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
async def schema() -> AsyncIterator[AccessSchema]:
    async with access_schema() as schema:
        yield schema


@pytest.fixture
def world(schema: AccessSchema) -> World:
    return World(schema)


WRITES = [
    "INSERT INTO access.api_keys (key_id, sha256, owner_id, name, roles)"
    " VALUES ('k', sha256(''), 'eve', 'mine', '{admin}')",
    "UPDATE access.api_keys SET roles = '{admin}'",
    "UPDATE access.sessions SET ends_at = now() + interval '1 year'",
    "DELETE FROM access.revocations",
    "TRUNCATE access.sessions",
    "CREATE TABLE access.mine (id int)",
]


@pytest.mark.parametrize("service", [one for one in SERVICES if one != "ingest"])
async def test_every_other_service_reads_the_keys_and_writes_none(
    world: World, service: str
) -> None:
    connection = await asyncpg.connect(world.schema.url_of(service))
    await connection.fetch("SELECT * FROM access.api_keys, access.sessions, access.revocations")
    refused = 0
    for sql in WRITES:
        try:
            await connection.execute(sql)
        except asyncpg.InsufficientPrivilegeError:
            refused += 1
    await connection.close()

    assert refused == len(WRITES)


@pytest.mark.parametrize(
    "sql", ["UPDATE access.revocations SET reason = ''", "DELETE FROM access.revocations"]
)
async def test_even_ingest_does_not_rewrite_why_a_key_ended(world: World, sql: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await world.schema.ingest.execute(sql)


async def _command(world: World, *arguments: str, url: str | None = None) -> tuple[int, str]:
    """Exit code and standard output of the command line."""
    environment = {"PAPERLINE_DATABASE_URL": world.schema.url if url is None else url}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shared.access", *arguments,
        cwd=ROOT, env=environment,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


async def test_the_first_key_comes_from_the_command_line(world: World) -> None:
    code, out = await _command(world, "issue", "--owner", world.owner_id, "--role", "admin")

    caller = await world.access().authenticate(out.removesuffix("\n"))
    assert code == 0
    assert caller is not None
    assert caller.roles == {"admin"}

    code, listed = await _command(world, "list", "--owner", world.owner_id)
    assert (code, listed.split("\t")[:3]) == (0, [caller.key_id, world.owner_id, "admin"])
    revoke = ("revoke", caller.key_id, "--reason", "rotated")
    assert [(await _command(world, *revoke))[0] for _ in range(2)] == [0, 1]


async def test_a_quota_is_agreed_at_the_command_line(world: World) -> None:
    issue = ("issue", "--owner", world.owner_id, "--role", "submitter")
    code, out = await _command(
        world, *issue, "--documents-per-day", "100", "--bytes-per-day", "none"
    )
    caller = await world.access().authenticate(out.strip())
    assert (code, caller and caller.quota) == (0, Quota(100, None))
    assert caller is not None

    limit = ("limit", caller.key_id, "--documents-per-day")
    agreed = await _command(world, *limit, "none", "--bytes-per-day", "5000")
    _, listed = await _command(world, "list", "--owner", world.owner_id)

    assert agreed == (0, "")
    assert listed.split("\t")[4] == "none/5000"
    # Half a change would leave the other half to chance; nothing and a word are no amounts.
    assert (await _command(world, *limit, "5"))[0] == 2
    for amount in ("0", "-1", "many"):
        assert (await _command(world, *limit, amount, "--bytes-per-day", "1"))[0] == 2
    unknown = ("limit", "nosuchkey234", "--documents-per-day", "1", "--bytes-per-day", "1")
    assert (await _command(world, *unknown))[0] == 1


async def test_somebody_is_signed_out_at_the_command_line(world: World) -> None:
    sessions = world.sessions(provider=PROVIDER)
    token = await sessions.create_for(world.person("desk"))

    assert (await _command(world, "sign-out", world.owner_id))[0] == 0

    assert await world.sessions(provider=PROVIDER).verify(token) is None
    assert (await _command(world, "sign-out", world.owner_id))[0] == 1


async def test_the_command_line_says_what_is_missing(world: World) -> None:
    assert await _command(world, "list", url="postgresql://127.0.0.1:9/x") == (69, "")
    assert (await _command(world, "issue", "--owner", "o", "--role", "admn"))[0] == 2
    assert (
        await _command(world, "issue", "--owner", "o", "--role", "admin", "--scope", "x:y:z")
    )[0] == 2
