"""Keys in a real PostgreSQL: who gets in, and how fast a door closes."""

import hmac
from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest

from services.ingest.api.events import ASK_AGAIN_S
from shared.access import access as subject
from shared.access.access import Access
from shared.access.keys import Quota, new_key
from shared.access.roles import ROLES
from shared.database.pool import DatabaseSettings, open_pool
from shared.errors import Retryable
from tests.broker.access_world import AccessSchema, World, access_schema, id_of


@pytest.fixture(scope="module")
async def schema() -> AsyncIterator[AccessSchema]:
    async with access_schema() as schema:
        yield schema


@pytest.fixture
def world(schema: AccessSchema) -> World:
    return World(schema)


async def test_a_key_opens_what_its_roles_allow_at_every_service(world: World) -> None:
    key = await world.key("submitter", "reviewer")

    for pool in (world.schema.ingest, world.schema.review):
        caller = await world.access(pool).authenticate(key)
        assert caller is not None
        assert (caller.owner_id, caller.key_id) == (world.owner_id, id_of(key))
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


async def test_whether_there_is_such_a_key_makes_no_difference_to_what_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor to how long it takes, which a busy machine would not let a test measure."""
    key, (_, unknown) = await world.key("admin"), new_key()
    wrong = key[:22] + unknown[22:]
    compared: list[tuple[int, int]] = []

    def noting(kept: bytes, shown: bytes) -> bool:
        compared.append((len(kept), len(shown)))
        return hmac.compare_digest(kept, shown)

    monkeypatch.setattr(subject, "hmac", SimpleNamespace(compare_digest=noting))

    opened = [await world.access().authenticate(one) for one in (wrong, unknown)]

    # A digest of what was shown beside another, whole and in the time of all its bytes.
    assert (opened, compared) == ([None, None], [(32, 32), (32, 32)])


async def test_a_dump_of_the_database_opens_nothing(world: World) -> None:
    key = await world.key("admin")
    token = await world.sessions().create(await world.caller("admin"))
    dump = ""
    for table in ("api_keys", "sessions", "revocations"):
        rows = await world.schema.owner.fetch(f"SELECT t::text AS line FROM access.{table} t")
        dump += "\n".join(row["line"] for row in rows)

    assert id_of(key) in dump
    for secret in (key, token):
        assert secret not in dump
        # Of which the last part may hold an underscore itself.
        assert secret.split("_", 2)[-1] not in dump
        assert secret.encode().hex() not in dump


async def test_a_revoked_key_dies_at_once_here_and_in_two_seconds_elsewhere(
    world: World,
) -> None:
    key = await world.key()
    here, elsewhere = world.access(), world.access(world.schema.review)
    assert await here.authenticate(key)
    assert await elsewhere.authenticate(key)

    assert await here.revoke(id_of(key), actor="anna", reason="left the company")

    assert await here.authenticate(key) is None
    world.now_s += 2.0
    assert await elsewhere.authenticate(key) is None


async def test_a_remembered_caller_costs_no_query(world: World) -> None:
    key = await world.key()
    access = world.access(world.schema.review)
    await access.authenticate(key)
    await world.schema.owner.execute("UPDATE access.api_keys SET roles = '{admin}'")

    world.now_s += 1.9
    remembered = await access.authenticate(key)
    world.now_s += 0.2
    asked = await access.authenticate(key)

    assert remembered is not None
    assert asked is not None
    assert [remembered.roles, asked.roles] == [{"submitter"}, {"admin"}]


async def test_what_was_revoked_is_dead_everywhere_within_five_seconds(world: World) -> None:
    caller = await world.caller("reviewer")
    key, other = await world.key("reviewer"), await world.key("reviewer")
    token = await world.sessions().create(caller)
    pools = (world.schema.ingest, world.schema.review)
    keys = [world.access(pool) for pool in pools]
    sessions = [world.sessions(pool) for pool in pools]

    async def opened() -> list[bool]:
        return [await one.authenticate(key) is not None for one in keys] + [
            await one.verify(token) is not None for one in sessions
        ]

    assert await opened() == [True] * 4
    for key_id in (id_of(key), caller.key_id):
        # At the command line: no process of a service is told.
        await world.access().revoke(key_id, actor="anna", reason="leaked")
    began_s, alive = world.now_s, True
    while alive:
        world.now_s += 0.25
        alive = any(await opened())

    # Whoever listens to a stream is asked about again only after a while.
    assert world.now_s - began_s + ASK_AGAIN_S < 5
    assert await keys[1].authenticate(other) is not None


async def test_a_quota_is_agreed_and_changed(world: World) -> None:
    access = world.access()
    key = await access.issue(
        owner_id=world.owner_id, name="test", roles=["submitter"], quota=Quota(100, 1 << 40)
    )
    caller = await access.authenticate(key)
    assert caller is not None
    token = await world.sessions().create(caller)

    assert caller.quota == Quota(100, 1 << 40)
    assert await access.limit_key(caller.key_id, Quota(5, None))

    for found in (await access.authenticate(key), await world.sessions().verify(token)):
        assert found is not None
        assert found.quota == Quota(5, None)
    assert [one.quota for one in await access.list_keys(world.owner_id)] == [Quota(5, None)]
    assert not await access.limit_key("nosuchkey234", Quota(5, None))


async def test_a_key_is_revoked_once_with_who_and_why(world: World) -> None:
    key = await world.key()
    access = world.access()

    answers = [await access.revoke(id_of(key), actor="anna", reason="leaked") for _ in range(2)]

    assert answers == [True, False]
    assert not await access.revoke("nosuchkey234", actor="anna", reason="leaked")
    [row] = await world.schema.owner.fetch(
        "SELECT actor, reason FROM access.revocations WHERE key_id = $1", id_of(key)
    )
    assert tuple(row) == ("anna", "leaked")


async def test_a_key_ends_with_its_lifetime_by_the_clock_of_the_database(
    world: World,
) -> None:
    key = await world.key(lifetime_s=3600)
    assert await world.access().authenticate(key)

    await world.schema.owner.execute(
        "UPDATE access.api_keys SET created_at = created_at - interval '2 h',"
        " expires_at = expires_at - interval '1 h' WHERE key_id = $1",
        id_of(key),
    )

    assert await world.access().authenticate(key) is None


async def test_keys_are_listed_without_what_opens_them(world: World) -> None:
    first, second = await world.key(), await world.key("operator")
    await world.access().revoke(id_of(first), actor="anna", reason="rotated")

    newest, oldest = await world.access().list_keys(world.owner_id)

    assert (newest.key_id, newest.roles, newest.revoked_at) == (
        id_of(second),
        ("operator",),
        None,
    )
    assert oldest.revoked_at is not None
    assert {one.key_id for one in await world.access().list_keys()} > {id_of(first)}


async def test_a_misspelt_role_makes_no_key(world: World) -> None:
    with pytest.raises(ValueError, match="unknown: admn"):
        await world.key("admn")

    assert await world.access().list_keys(world.owner_id) == []


async def test_nobody_gets_in_while_the_database_is_away(world: World) -> None:
    key = await world.key("admin")
    pool = await open_pool(
        DatabaseSettings(world.schema.url), schema="access", application="test"
    )
    access = Access(pool)
    await pool.close()

    with pytest.raises(Retryable):
        await access.authenticate(key)
