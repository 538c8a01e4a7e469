"""Sign-ins in a real PostgreSQL: one for all pages, and over when it is over."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from shared.access.sessions import ABSOLUTE_S, IDLE_S
from tests.broker.access_world import AccessSchema, World, access_schema


@pytest.fixture(scope="module")
async def schema() -> AsyncIterator[AccessSchema]:
    async with access_schema() as schema:
        yield schema


@pytest.fixture
def world(schema: AccessSchema) -> World:
    return World(schema)


async def test_one_sign_in_holds_at_every_service(world: World) -> None:
    caller = await world.caller("reviewer")

    token = await world.sessions().create(caller)

    assert await world.sessions(world.schema.review).verify(token) == caller
    assert await world.sessions().create(caller) != token


async def test_what_is_no_token_is_nobody(world: World) -> None:
    key = await world.key("admin")

    for wrong in ("", key, "paperline_session_" + "x" * 43, "paperline_session_"):
        assert await world.sessions().verify(wrong) is None


async def test_signing_out_ends_the_session_on_the_server(world: World) -> None:
    sessions, elsewhere = world.sessions(), world.sessions(world.schema.review)
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


@pytest.mark.parametrize(
    "ended", ["revoked_at = now()", "expires_at = created_at + interval '1 us'"]
)
async def test_a_session_never_outlives_its_key(world: World, ended: str) -> None:
    caller = await world.caller()
    token = await world.sessions().create(caller)

    # Without the help of `revoke`, as a hand in the database would do it.
    await world.schema.owner.execute(
        f"UPDATE access.api_keys SET {ended} WHERE key_id = $1", caller.key_id
    )

    assert await world.sessions().verify(token) is None


async def test_an_owner_is_signed_out_everywhere(world: World) -> None:
    sessions = world.sessions()
    tokens = [await sessions.create(await world.caller()) for _ in range(2)]
    await sessions.end(tokens[0])
    stranger = World(world.schema)
    other = await stranger.sessions().create(await stranger.caller())

    assert await sessions.end_all(world.owner_id) == 1

    assert [await sessions.verify(one) for one in tokens] == [None, None]
    assert await sessions.verify(other)


async def _age(world: World, token: str, seconds: float) -> None:
    """Let time pass for one session, as the database sees it."""
    await world.schema.owner.execute(
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
    assert await world.sessions(world.schema.review).verify(token)
    # That was a click, so the half hour has begun anew, although review may not write.
    await _age(world, token, IDLE_S - 5)
    assert await world.sessions(world.schema.review).verify(token)
    await _age(world, token, IDLE_S)
    assert await world.sessions(world.schema.review).verify(token) is None


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
    assert not await world.schema.owner.fetch(
        "SELECT 1 FROM access.sessions WHERE ends_at < now() - interval '1 day'"
    )


async def test_every_service_signs_out_and_none_but_ingest_signs_in(world: World) -> None:
    caller = await world.caller()
    token = await world.sessions().create(caller)
    elsewhere = world.sessions(world.schema.review)

    assert [await elsewhere.end(token) for _ in range(2)] == [True, False]

    assert await world.sessions().verify(token) is None
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await elsewhere.create(caller)
