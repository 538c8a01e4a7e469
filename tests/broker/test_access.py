"""Keys and sessions in a PostgreSQL: who gets in, how fast a door closes, who may write."""

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import asyncpg
import pytest

import shared.access
from shared.access.access import Access
from shared.access.keys import Caller, key_id_of, new_key
from shared.access.roles import ROLES
from shared.access.sessions import ABSOLUTE_S, IDLE_S, Sessions
from shared.database.migrations import migrate
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.errors import Retryable
from tests.broker.database import own_database

SERVICES = ("ingest", "extractor", "storage", "review", "monitor")
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class World:
    """The schema of the keys, and what ingest and another service see of it."""

    url: str
    owner: Pool
    ingest: Pool
    review: Pool
    now_s: float = 100.0
    owner_id: str = field(default_factory=lambda: f"acme-{token_hex(4)}")

    def access(self, pool: Pool | None = None) -> Access:
        """As a process of its own would have it, with nothing remembered."""
        return Access(pool or self.ingest, lambda: self.now_s)

    def sessions(self, pool: Pool | None = None) -> Sessions:
        return Sessions(pool or self.ingest, lambda: self.now_s)

    async def key(self, *roles: str, lifetime_s: float | None = None) -> str:
        return await self.access().issue(
            owner_id=self.owner_id,
            name="test",
            roles=roles or ("submitter",),
            lifetime_s=lifetime_s,
        )

    async def caller(self, *roles: str) -> Caller:
        caller = await self.access().authenticate(await self.key(*roles))
        assert caller is not None
        return caller


@pytest.fixture(scope="module")
async def pools() -> AsyncIterator[tuple[str, Pool, Pool, Pool]]:
    async with own_database() as url:
        connection = await asyncpg.connect(url)
        made = [role for role in SERVICES if await _made(connection, role)]
        await migrate(
            url,
            schema="access",
            locations=[shared.access.MIGRATIONS],
            role="paperline_ingest",
        )
        opened = [
            await open_pool(DatabaseSettings(one), schema="access", application="test")
            for one in (url, f"{url}?role=paperline_ingest", f"{url}?role=paperline_review")
        ]
        yield url, *opened  # type: ignore[misc]  # three pools
        for pool in opened:
            await pool.close()
        for service in SERVICES:
            await connection.execute(f"DROP OWNED BY paperline_{service}")
        for service in made:
            await connection.execute(f"DROP ROLE paperline_{service}")
        await connection.close()


async def _made(connection: asyncpg.Connection, service: str) -> bool:
    try:
        await connection.execute(f"CREATE ROLE paperline_{service}")
    except asyncpg.DuplicateObjectError:
        return False
    return True


@pytest.fixture
def world(pools: tuple[str, Pool, Pool, Pool]) -> World:
    return World(*pools)


async def test_a_key_opens_what_its_roles_allow_at_every_service(world: World) -> None:
    key = await world.key("submitter", "reviewer")

    for pool in (world.ingest, world.review):
        caller = await world.access(pool).authenticate(key)
        assert caller is not None
        assert (caller.owner_id, caller.key_id) == (world.owner_id, key_id_of(key))
        assert caller.permissions == ROLES["submitter"] | ROLES["reviewer"]
        assert caller.may("review:items:claim")
        assert not caller.may("keys:all:manage")


async def test_a_scope_narrows_a_key(world: World) -> None:
    key = await world.access().issue(
        owner_id=world.owner_id, name="uploads", roles=["admin"],
        scopes=["documents:own:create"],
    )  # fmt: skip

    caller = await world.access().authenticate(key)

    assert caller is not None
    assert caller.permissions == {"documents:own:create"}


async def test_a_wrong_secret_opens_nothing(world: World) -> None:
    key = await world.key("admin")
    other = await world.key("admin")
    _, unknown = new_key()
    mixed = key.rpartition("_")[0][:22] + other[22:]

    for wrong in (unknown, mixed, key[:-1], key + "x", key.upper(), "", "x"):
        assert await world.access().authenticate(wrong) is None


async def test_a_dump_of_the_database_opens_nothing(world: World) -> None:
    key = await world.key("admin")
    token = await world.sessions().create(await world.caller("admin"))
    dump = ""
    for table in ("api_keys", "sessions", "revocations"):
        rows = await world.owner.fetch(f"SELECT t::text AS line FROM access.{table} t")
        dump += "\n".join(row["line"] for row in rows)

    assert _id(key) in dump
    for secret in (key, token):
        assert secret not in dump
        assert secret.rpartition("_")[2] not in dump
        assert secret.encode().hex() not in dump


async def test_a_revoked_key_dies_at_once_here_and_in_two_seconds_elsewhere(
    world: World,
) -> None:
    key = await world.key()
    here, elsewhere = world.access(), world.access(world.review)
    assert await here.authenticate(key)
    assert await elsewhere.authenticate(key)

    assert await here.revoke(_id(key), actor="anna", reason="left the company")

    assert await here.authenticate(key) is None
    world.now_s += 2.0
    assert await elsewhere.authenticate(key) is None


async def test_a_remembered_caller_costs_no_query(world: World) -> None:
    key = await world.key()
    access = world.access(world.review)
    await access.authenticate(key)
    await world.owner.execute("UPDATE access.api_keys SET roles = '{admin}'")

    world.now_s += 1.9
    remembered = await access.authenticate(key)
    world.now_s += 0.2
    asked = await access.authenticate(key)

    assert remembered is not None
    assert asked is not None
    assert [remembered.roles, asked.roles] == [{"submitter"}, {"admin"}]


async def test_a_key_is_revoked_once_with_who_and_why(world: World) -> None:
    key = await world.key()
    access = world.access()

    answers = [await access.revoke(_id(key), actor="anna", reason="leaked") for _ in range(2)]

    assert answers == [True, False]
    assert not await access.revoke("nosuchkey234", actor="anna", reason="leaked")
    [row] = await world.owner.fetch(
        "SELECT actor, reason FROM access.revocations WHERE key_id = $1", _id(key)
    )
    assert tuple(row) == ("anna", "leaked")


async def test_a_key_ends_with_its_lifetime_by_the_clock_of_the_database(
    world: World,
) -> None:
    key = await world.key(lifetime_s=3600)
    assert await world.access().authenticate(key)

    await world.owner.execute(
        "UPDATE access.api_keys SET created_at = created_at - interval '2 h',"
        " expires_at = expires_at - interval '1 h' WHERE key_id = $1",
        _id(key),
    )

    assert await world.access().authenticate(key) is None


async def test_keys_are_listed_without_what_opens_them(world: World) -> None:
    first, second = await world.key(), await world.key("operator")
    await world.access().revoke(_id(first), actor="anna", reason="rotated")

    newest, oldest = await world.access().list_keys(world.owner_id)

    assert (newest.key_id, newest.roles, newest.revoked_at) == (
        _id(second),
        ("operator",),
        None,
    )
    assert oldest.revoked_at is not None
    assert {one.key_id for one in await world.access().list_keys()} > {_id(first)}


async def test_a_misspelt_role_makes_no_key(world: World) -> None:
    with pytest.raises(ValueError, match="unknown: admn"):
        await world.key("admn")

    assert await world.access().list_keys(world.owner_id) == []


async def test_nobody_gets_in_while_the_database_is_away(world: World) -> None:
    key = await world.key("admin")
    pool = await open_pool(DatabaseSettings(world.url), schema="access", application="test")
    access = Access(pool)
    await pool.close()

    with pytest.raises(Retryable):
        await access.authenticate(key)


async def test_one_sign_in_holds_at_every_service(world: World) -> None:
    caller = await world.caller("reviewer")

    token = await world.sessions().create(caller)

    assert await world.sessions(world.review).verify(token) == caller
    assert await world.sessions().create(caller) != token


async def test_what_is_no_token_is_nobody(world: World) -> None:
    key = await world.key("admin")

    for wrong in ("", key, "paperline_session_" + "x" * 43, "paperline_session_"):
        assert await world.sessions().verify(wrong) is None


async def test_signing_out_ends_the_session_on_the_server(world: World) -> None:
    sessions, elsewhere = world.sessions(), world.sessions(world.review)
    token = await sessions.create(await world.caller())
    assert await elsewhere.verify(token)

    ended = [await sessions.end(token) for _ in range(2)]

    assert ended == [True, False]
    assert await sessions.verify(token) is None
    world.now_s += 2.0
    assert await elsewhere.verify(token) is None


async def test_a_revoked_key_takes_its_sessions_along(world: World) -> None:
    caller = await world.caller()
    token = await world.sessions().create(caller)

    await world.access().revoke(caller.key_id, actor="anna", reason="left")

    assert await world.sessions().verify(token) is None
    assert not await world.sessions().end(token)


async def test_an_owner_is_signed_out_everywhere(world: World) -> None:
    sessions = world.sessions()
    tokens = [await sessions.create(await world.caller()) for _ in range(2)]
    await sessions.end(tokens[0])
    stranger = World(world.url, world.owner, world.ingest, world.review)
    other = await stranger.sessions().create(await stranger.caller())

    assert await sessions.end_all(world.owner_id) == 1

    assert [await sessions.verify(one) for one in tokens] == [None, None]
    assert await sessions.verify(other)


async def _age(world: World, token: str, seconds: float) -> None:
    """Let time pass for one session, as the database sees it."""
    await world.owner.execute(
        "UPDATE access.sessions SET seen_at = seen_at - make_interval(secs => $2),"
        " ends_at = ends_at - make_interval(secs => $2),"
        " created_at = created_at - make_interval(secs => $2)"
        " WHERE token_hash = sha256(convert_to($1, 'UTF8'))",
        token,
        seconds,
    )


async def test_half_an_hour_without_a_click_ends_a_session(world: World) -> None:
    token = await world.sessions().create(await world.caller())

    await _age(world, token, IDLE_S - 5)
    assert await world.sessions(world.review).verify(token)
    # That was a click, so the half hour has begun anew, although review may not write.
    await _age(world, token, IDLE_S - 5)
    assert await world.sessions(world.review).verify(token)
    await _age(world, token, IDLE_S)
    assert await world.sessions(world.review).verify(token) is None


async def test_clicks_do_not_keep_a_session_for_ever(world: World) -> None:
    token = await world.sessions().create(await world.caller())
    clicks = int(ABSOLUTE_S / 1500)

    alive = []
    for _ in range(clicks + 1):
        await _age(world, token, 1500)
        alive.append(await world.sessions().verify(token) is not None)

    assert alive == [True] * clicks + [False]


async def test_dead_sessions_are_purged_and_living_ones_are_not(world: World) -> None:
    alive, dead = [await world.sessions().create(await world.caller()) for _ in range(2)]
    await _age(world, dead, ABSOLUTE_S + 25 * 3600)

    assert await world.sessions().purge() >= 1

    assert await world.sessions().verify(alive)
    assert not await world.owner.fetch(
        "SELECT 1 FROM access.sessions WHERE ends_at < now() - interval '1 day'"
    )


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
    connection = await asyncpg.connect(f"{world.url}?role=paperline_{service}")
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
        await world.ingest.execute(sql)


async def _command(world: World, *arguments: str, url: str | None = None) -> tuple[int, str]:
    """Exit code and standard output of the command line."""
    environment = {"PAPERLINE_DATABASE_URL": world.url if url is None else url}
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


async def test_the_command_line_says_what_is_missing(world: World) -> None:
    assert await _command(world, "list", url="postgresql://127.0.0.1:9/x") == (69, "")
    assert (await _command(world, "issue", "--owner", "o", "--role", "admn"))[0] == 2
    assert (
        await _command(world, "issue", "--owner", "o", "--role", "admin", "--scope", "x:y:z")
    )[0] == 2


def _id(key: str) -> str:
    return key_id_of(key) or ""
