"""Sign-ins of people whom an identity provider vouches for, in a real PostgreSQL."""

from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from shared.access.provider import caller_for
from shared.access.sessions import ABSOLUTE_S, IDLE_S
from tests.broker.access_world import PROVIDER, AccessSchema, World, access_schema


@pytest.fixture(scope="module")
async def schema() -> AsyncIterator[AccessSchema]:
    async with access_schema() as schema:
        yield schema


@pytest.fixture
def world(schema: AccessSchema) -> World:
    return World(schema)


async def test_a_person_is_known_at_every_service_without_a_key(world: World) -> None:
    person = world.person("desk")

    token = await world.sessions(provider=PROVIDER).create_for(person)

    seen = await world.sessions(world.schema.review, PROVIDER).verify(token)
    assert seen == caller_for(person, PROVIDER)
    assert (seen.owner_id, seen.called) == (world.owner_id, "Anna Petersen")
    assert seen.roles == {"reviewer"}


@pytest.mark.parametrize(
    "provider", [None, replace(PROVIDER, issuer="https://other.example")], ids=str
)
async def test_whose_provider_is_not_believed_any_more_is_signed_out(
    world: World, provider: object
) -> None:
    token = await world.sessions(provider=PROVIDER).create_for(world.person("desk"))

    assert await world.sessions(provider=provider).verify(token) is None  # type: ignore[arg-type]


async def test_another_mapping_holds_for_those_who_are_signed_in(world: World) -> None:
    token = await world.sessions(provider=PROVIDER).create_for(world.person("desk", "in"))
    less = replace(PROVIDER, roles={"in": "submitter"})

    seen = await world.sessions(provider=less).verify(token)

    assert seen is not None
    assert seen.roles == {"submitter"}


async def test_another_role_ends_what_was_open_under_the_one_before(world: World) -> None:
    sessions = world.sessions(provider=PROVIDER)
    before = await sessions.create_for(world.person("desk", "in"))
    stranger = World(world.schema).person("desk")
    other = await sessions.create_for(stranger)

    after = await sessions.create_for(world.person("in"))
    again = await sessions.create_for(world.person("in"))

    elsewhere = world.sessions(world.schema.review, PROVIDER)
    alive = [await elsewhere.verify(one) is not None for one in (before, other, after, again)]
    assert alive == [False, True, True, True]


async def test_an_owner_is_signed_out_everywhere_however_they_came(world: World) -> None:
    sessions = world.sessions(provider=PROVIDER)
    with_key = await sessions.create(await world.caller())
    with_provider = await sessions.create_for(world.person("desk"))

    assert await sessions.end_all(world.owner_id) == 2

    assert [await sessions.verify(one) for one in (with_key, with_provider)] == [None, None]


async def test_every_service_signs_people_out_and_none_but_ingest_in(world: World) -> None:
    token = await world.sessions(provider=PROVIDER).create_for(world.person("desk"))
    elsewhere = world.sessions(world.schema.review, PROVIDER)

    assert [await elsewhere.end(token) for _ in range(2)] == [True, False]

    assert await elsewhere.verify(token) is None
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await elsewhere.create_for(world.person("desk"))


@pytest.mark.parametrize(
    ("idle_s", "rest_s"), [(IDLE_S + 1, 0.0), (0.0, ABSOLUTE_S + 1)], ids=["idle", "for long"]
)
async def test_a_person_is_signed_out_in_time(
    world: World, idle_s: float, rest_s: float
) -> None:
    token = await world.sessions(provider=PROVIDER).create_for(world.person("desk"))

    await world.schema.owner.execute(
        "UPDATE access.sessions SET seen_at = seen_at - make_interval(secs => $2),"
        " created_at = created_at - make_interval(secs => $3),"
        " ends_at = ends_at - make_interval(secs => $3)"
        " WHERE token_hash = sha256(convert_to($1, 'UTF8'))",
        token,
        idle_s,
        rest_s,
    )

    assert await world.sessions(world.schema.review, PROVIDER).verify(token) is None


async def test_a_person_is_let_in_no_longer_than_the_provider_was_asked_about(
    world: World,
) -> None:
    sessions = world.sessions(provider=PROVIDER)

    for lifetime_s in (600, 10 * ABSOLUTE_S):
        await sessions.create_for(world.person("desk"), lifetime_s)

    rows = await world.schema.owner.fetch(
        "SELECT extract(epoch FROM ends_at - created_at)::integer AS lasts_s"
        " FROM access.sessions WHERE owner_id = $1 ORDER BY 1",
        world.owner_id,
    )
    assert [one["lasts_s"] for one in rows] == [600, ABSOLUTE_S]


@pytest.mark.parametrize(
    "columns",
    [
        "person_id) VALUES (sha256(''), 'oidc-x'",
        "person_id, issuer, owner_id, name, words) VALUES (sha256(''), 'x', 'i', '', 'n', '{}'",
        "issuer, owner_id, name, words) VALUES (sha256(''), 'i', 'o', 'n', '{}'",
        "owner_id) VALUES (sha256(''), 'o'",
    ],
)
async def test_half_a_person_has_no_session(world: World, columns: str) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await world.schema.owner.execute(
            "INSERT INTO access.sessions (ends_at, token_hash, "
            + columns.replace("VALUES (", "VALUES (now() + interval '1 h', ")
            + ")"
        )


async def test_a_session_of_the_key_of_a_person_is_of_one_of_them(world: World) -> None:
    caller = await world.caller()

    with pytest.raises(asyncpg.CheckViolationError):
        await world.schema.owner.execute(
            "INSERT INTO access.sessions"
            " (token_hash, key_id, person_id, issuer, owner_id, name, words, ends_at)"
            " VALUES (sha256(''), $1, 'p', 'i', 'o', 'n', '{}', now() + interval '1 h')",
            caller.key_id,
        )


async def test_code_from_before_lets_a_person_not_in(world: World) -> None:
    """As it asked: a session is the session of a key."""
    await world.sessions(provider=PROVIDER).create_for(world.person("desk"))

    found = await world.schema.review.fetch(
        "SELECT 1 FROM access.sessions JOIN access.api_keys USING (key_id)"
        " WHERE sessions.owner_id = $1",
        world.owner_id,
    )

    assert found == []
