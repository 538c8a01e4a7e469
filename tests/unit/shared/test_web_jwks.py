"""The keys of a provider: when it is asked for them, and what is made of its answers."""

import asyncio
import json
from collections.abc import Iterator
from socket import create_server
from typing import Any

import pytest

from shared.errors import Retryable
from shared.observability.metrics import REGISTRY
from shared.web.foreign import ANSWER_BYTES_MAX
from shared.web.jwks import FRESH_S, KEPT_S, KEYS_MAX, RETRY_S, ProviderKeys
from tests.eventually import eventually
from tests.identity_provider import (
    DESCRIPTION,
    EC_KEY,
    JWKS,
    RSA_KEY,
    WEAK_RSA_KEY,
    IdentityProvider,
    identity_provider,
    private_jwk,
    public_jwk,
)

REFETCH_S = 30.0


class World:
    """A provider, and what one process knows of its keys."""

    def __init__(self, idp: IdentityProvider) -> None:
        self.idp = idp
        self.now_s = 1_000.0
        self.keys = self.known()

    def known(self, **differing: object) -> ProviderKeys:
        provider = self.idp.provider(refetch_s=REFETCH_S, **differing)
        return ProviderKeys(provider, lambda: self.now_s)

    async def knows(self, kid: str) -> bool:
        return await self.keys.find(kid) is not None


@pytest.fixture
def world() -> Iterator[World]:
    with identity_provider() as running:
        yield World(running)


def fetches(outcome: str) -> float:
    labels = {"outcome": outcome}
    return REGISTRY.get_sample_value("paperline_provider_fetches_total", labels) or 0.0


async def test_the_provider_is_asked_once_for_all_keys(world: World) -> None:
    assert [await world.knows(kid) for kid in ("rsa", "ec", "ed", "rsa")] == [True] * 4

    assert world.idp.asked == [JWKS]


async def test_many_who_come_together_ask_once(world: World) -> None:
    found = await asyncio.gather(*(world.keys.find("rsa") for _ in range(50)))

    assert None not in found
    assert world.idp.asked == [JWKS]


async def test_a_new_key_is_found_when_a_token_names_it(world: World) -> None:
    assert await world.knows("rsa")
    world.idp.show("next", EC_KEY)
    world.now_s += REFETCH_S

    assert await world.knows("next")


async def test_invented_keys_do_not_make_us_ask_again_and_again(world: World) -> None:
    assert await world.knows("rsa")
    world.now_s += REFETCH_S

    for nth in range(100):
        assert not await world.knows(f"invented-{nth}")

    assert len(world.idp.asked) == 2


async def test_a_key_that_was_withdrawn_dies_within_ten_minutes(world: World) -> None:
    assert await world.knows("rsa")
    world.idp.keys = [one for one in world.idp.keys if one["kid"] != "rsa"]

    world.now_s += FRESH_S - 1
    before = await world.knows("rsa")
    world.now_s += 1

    assert (before, await world.knows("rsa")) == (True, False)


GOOD = {**public_jwk(RSA_KEY), "kid": "rsa"}
BAD_ANSWERS: dict[str, dict[str, Any]] = {
    "an error": {"status": 500},
    "somewhere else": {"status": 302, "headers": {"Location": "/elsewhere"}},
    "no JSON": {"says": b"<html>"},
    "not even text": {"says": b"\xff\xfe\x00"},
    "nested": {"says": b"[" * 100_000},
    "a list": {"says": b"[]"},
    "no keys": {"says": b"{}"},
    "keys that are none": {"says": b'{"keys": [{}, 7, null, {"kid": "rsa", "kty": "RSA"}]}'},
    "no end": {"says": json.dumps({"keys": [GOOD], "x": "x" * ANSWER_BYTES_MAX}).encode()},
    "too many": {"says": json.dumps({"keys": [GOOD] * (KEYS_MAX + 1)}).encode()},
}


@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
async def test_a_bad_answer_takes_no_good_key_away(world: World, bad: dict[str, Any]) -> None:
    assert await world.knows("rsa")
    for name, value in bad.items():
        setattr(world.idp, name, value)
    failed = fetches("failed")

    world.now_s += FRESH_S

    assert await world.knows("rsa")
    assert await world.knows("rsa")
    assert len(world.idp.asked) == 2
    assert "/elsewhere" not in world.idp.asked
    assert fetches("failed") == failed + 1


@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
async def test_without_any_key_nobody_can_say(world: World, bad: dict[str, Any]) -> None:
    for name, value in bad.items():
        setattr(world.idp, name, value)

    for _ in range(3):
        with pytest.raises(Retryable) as away:
            await world.knows("rsa")

    assert away.value.dependency == "oidc"
    assert len(world.idp.asked) == 1
    world.idp.status, world.idp.says = 200, None
    world.now_s += RETRY_S
    assert await world.knows("rsa")


async def test_old_keys_are_forgotten_after_a_day(world: World) -> None:
    assert await world.knows("rsa")
    world.idp.status = 500
    world.now_s += KEPT_S - 1
    assert await world.knows("rsa")

    world.now_s += REFETCH_S

    with pytest.raises(Retryable):
        await world.knows("rsa")


async def test_whoever_is_silent_is_not_waited_for(world: World) -> None:
    # Nobody takes what is connected there.
    with create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        world.keys = world.known(jwks_url=f"http://127.0.0.1:{port}/keys", timeout_s=0.2)

        with pytest.raises(Retryable):
            await world.knows("rsa")


async def test_while_one_asks_again_the_others_go_on_with_what_is_known(world: World) -> None:
    assert await world.knows("rsa")
    world.now_s += FRESH_S
    world.idp.may_answer.clear()

    async with asyncio.TaskGroup() as group:
        asking = group.create_task(world.knows("rsa"))
        await eventually(lambda: len(world.idp.asked) == 2)
        others = [await world.knows("rsa") for _ in range(20)]
        still_asking = not asking.done()
        world.idp.may_answer.set()

    assert all(others)
    assert still_asking
    assert asking.result()


UNUSABLE: dict[str, dict[str, Any]] = {
    "for encryption": {**public_jwk(RSA_KEY), "use": "enc"},
    "for something else": {**public_jwk(RSA_KEY), "key_ops": ["wrapKey"]},
    "too weak": public_jwk(WEAK_RSA_KEY),
    "another algorithm": {**public_jwk(RSA_KEY), "alg": "RS384"},
    "an algorithm that does not fit": {**public_jwk(RSA_KEY), "alg": "ES256"},
    "a shared secret": {"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"},
    "a private key": private_jwk(EC_KEY),
    "half a key": {"kty": "EC", "crv": "P-256", "x": "AA"},
    "another curve": {"kty": "OKP", "crv": "X25519", "x": "A" * 43},
}


@pytest.mark.parametrize("jwk", UNUSABLE.values(), ids=UNUSABLE.keys())
async def test_what_cannot_verify_a_token_is_no_key(world: World, jwk: dict[str, Any]) -> None:
    world.idp.keys.append({**jwk, "kid": "odd"})
    world.idp.keys.append({name: value for name, value in jwk.items() if name != "kid"})

    assert not await world.knows("odd")
    assert await world.knows("rsa")


async def test_the_description_says_where_the_keys_are(world: World) -> None:
    world.keys = world.known(jwks_url=None)

    assert await world.knows("rsa")
    assert world.idp.asked == [DESCRIPTION, JWKS]


@pytest.mark.parametrize(
    "differing",
    [
        {"issuer": "https://evil.example"},
        {"jwks_uri": "http://evil.example/keys"},
        {"jwks_uri": "the same, by an address that is not known for the machine itself"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": None},
        {"jwks_uri": "http://user:secret@127.0.0.1/keys"},
    ],
    ids=str,
)
async def test_a_description_that_does_not_fit_is_none(
    world: World, differing: dict[str, object]
) -> None:
    world.idp.description.update(differing)
    if str(differing.get("jwks_uri", "")).startswith("the same"):
        known_by_another_name = world.idp.issuer.replace("127.0.0.1", "127.1")
        world.idp.description["jwks_uri"] = f"{known_by_another_name}{JWKS}"
    world.keys = world.known(jwks_url=None)

    with pytest.raises(Retryable):
        await world.knows("rsa")

    assert world.idp.asked == [DESCRIPTION]
