"""Tokens of an identity provider: who comes in with one, and until when."""

from collections.abc import AsyncIterator, Iterator, Mapping

import pytest

from shared.web.bearer import KeysAndTokens
from tests.fakes.keys import SpeakingKeys, key_of
from tests.identity_provider import (
    AUDIENCE,
    EC_KEY,
    ED_KEY,
    NOON_S,
    RSA_KEY,
    IdentityProvider,
    PrivateKey,
    identity_provider,
)
from tests.unit.shared.token_door import Door


@pytest.fixture(scope="module")
def running() -> Iterator[IdentityProvider]:
    with identity_provider() as running:
        yield running


@pytest.fixture
async def door(running: IdentityProvider) -> AsyncIterator[Door]:
    running.asked.clear()
    door = Door(running)
    async with door.http:
        yield door


@pytest.mark.parametrize(
    ("key", "kid", "algorithm"),
    [(RSA_KEY, "rsa", "RS256"), (EC_KEY, "ec", "ES256"), (ED_KEY, "ed", "EdDSA")],
    ids=["RS256", "ES256", "EdDSA"],
)
async def test_a_token_of_the_provider_opens_what_its_roles_allow(
    door: Door, key: PrivateKey, kid: str, algorithm: str
) -> None:
    token = door.idp.token(key, kid=kid, algorithm=algorithm)

    seen = await door.get(token)

    assert (seen.status_code, seen.json()["owner_id"]) == (200, "anna")
    assert seen.json()["roles"] == ["reviewer"]
    assert (await door.get(token, "/letters")).status_code == 403


@pytest.mark.parametrize(
    "roles", [None, [], ["admin"], ["reviewer"], "admin invoices-desk", [["invoices-desk"]], 7]
)
async def test_what_the_mapping_does_not_name_opens_nothing(door: Door, roles: object) -> None:
    token = door.idp.token(roles=roles)

    refused = [(await door.get(token, path)).status_code for path in ("/items", "/letters")]

    assert refused == [403, 403]
    me = (await door.get(token, "/v1/me")).json()
    assert (me["owner_id"], me["roles"], me["permissions"]) == ("anna", [], [])


ACCEPTED: Mapping[str, Mapping[str, object]] = {
    "for several": {"aud": ["other", AUDIENCE]},
    "times with fractions": {"iat": NOON_S - 0.5, "exp": NOON_S + 10.5},
    "ended within the leeway": {"iat": NOON_S - 300, "exp": NOON_S - 29},
    "begins within the leeway": {"iat": NOON_S + 29, "nbf": NOON_S + 29},
    "an access token": {"headers": {"typ": "at+JWT"}},
    "of one role": {"roles": "invoices-desk"},
}


@pytest.mark.parametrize("differing", ACCEPTED.values(), ids=ACCEPTED.keys())
async def test_what_is_right_in_another_way_is_right(
    door: Door, differing: Mapping[str, object]
) -> None:
    token = door.idp.token(**differing)  # type: ignore[arg-type] # claims and headers

    assert (await door.get(token)).status_code == 200


async def test_a_token_ends_when_it_says(door: Door) -> None:
    token = door.idp.token()
    assert (await door.get(token)).status_code == 200

    door.clock.advance(300 + 30)

    assert (await door.get(token)).status_code == 401


async def test_a_token_is_exchanged_for_nothing_that_outlives_it(
    running: IdentityProvider, door: Door
) -> None:
    answer = await door.http.post(
        "/v1/session", json={"key": running.token()}, headers={"Origin": "http://127.0.0.1"}
    )

    assert answer.status_code in (401, 422)
    assert "set-cookie" not in answer.headers
    assert not door.sessions.alive


async def test_keys_open_beside_tokens_and_without_asking_the_provider(door: Door) -> None:
    answer = await door.http.get("/items", headers=key_of("rita", "reviewer"))

    assert answer.json()["owner_id"] == "rita"
    assert door.idp.asked == []


async def test_one_person_is_one_key_whatever_token_is_shown(door: Door) -> None:
    first = await door.get(door.idp.token())
    second = await door.get(door.idp.token(EC_KEY, kid="ec", algorithm="ES256", jti="2"))
    other = await door.get(door.idp.token(sub="otto"))

    assert first.json()["key_id"] == second.json()["key_id"] != other.json()["key_id"]
    assert "anna" not in first.json()["key_id"]


async def test_while_nobody_can_say_the_answer_says_who_is_away(
    running: IdentityProvider,
) -> None:
    door = Door(running, jwks_url="http://127.0.0.1:9/keys")
    async with door.http:
        answer = await door.get(running.token())
        with_key = await door.http.get("/items", headers=key_of("rita", "reviewer"))

    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/identity-provider-away"
    assert "identity provider" in answer.json()["detail"]
    assert int(answer.headers["retry-after"]) > 0
    assert with_key.status_code == 200


async def test_without_a_provider_a_token_is_an_unknown_key(running: IdentityProvider) -> None:
    authenticator = KeysAndTokens(SpeakingKeys(), None)

    assert await authenticator.authenticate(running.token()) is None
