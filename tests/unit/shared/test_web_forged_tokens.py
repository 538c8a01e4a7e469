"""Every way of forging a token that we know of, and what each of them is refused for."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from shared.web.tokens import TOKEN_CHARS_MAX
from tests.identity_provider import (
    AUDIENCE,
    EC_KEY,
    FOREIGN_KEY,
    NOON_S,
    RSA_KEY,
    IdentityProvider,
    forged,
    identity_provider,
    public_jwk,
    signed_with_a_public_key,
)
from tests.unit.shared.token_door import Door, refusals


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


Forge = Callable[[IdentityProvider], str]
RS256 = {"alg": "RS256", "kid": "rsa", "typ": "JWT"}
DEEP = b'{"kid":' + b"[" * 2500 + b"]" * 2500 + b"}"


def unsigned(name: str) -> Forge:
    return lambda idp: forged({**RS256, "alg": name}, idp.claims(), lambda _: b"")


def saying(**claims: object) -> Forge:
    return lambda idp: idp.token(**claims)  # type: ignore[arg-type]


def with_header(**headers: object) -> Forge:
    return lambda idp: idp.token(headers=headers)


def by_a_stranger(**headers: object) -> Forge:
    return lambda idp: idp.token(FOREIGN_KEY, headers=headers)


def altered(idp: IdentityProvider) -> str:
    """Anna's signature under another's claims."""
    header, _, signature = idp.token().split(".")
    other = idp.token(sub="boss", roles=["invoices-ops"]).split(".")[1]
    return f"{header}.{other}.{signature}"


def _signed(message: bytes) -> bytes:
    return RSA_KEY.sign(message, PKCS1v15(), SHA256())


ATTACKS: Mapping[str, tuple[Forge, str]] = {
    "no signature": (unsigned("none"), "algorithm"),
    "no signature, spelt otherwise": (unsigned("NoNe"), "algorithm"),
    "an algorithm that is no name": (
        lambda idp: forged({**RS256, "alg": ["RS256"]}, idp.claims(), lambda _: b""),
        "algorithm",
    ),
    "the public key as a shared secret": (
        lambda idp: signed_with_a_public_key({**RS256, "alg": "HS256"}, idp.claims()),
        "algorithm",
    ),
    "the public key as a shared secret, called RS256": (
        lambda idp: signed_with_a_public_key(RS256, idp.claims()),
        "signature",
    ),
    "another hash": (saying(algorithm="RS512"), "algorithm"),
    "another kind of key": (saying(key=EC_KEY, algorithm="ES256"), "algorithm"),
    "for somebody else": (saying(aud="other"), "audience"),
    "for somebody whose name is longer": (saying(aud=f"{AUDIENCE}2"), "audience"),
    "for nobody": (saying(aud=None), "claims"),
    "from somebody else": (saying(iss="https://evil.example"), "issuer"),
    "from an address that only begins right": (
        lambda idp: idp.token(iss=f"{idp.issuer}/"),
        "issuer",
    ),
    "from nobody": (saying(iss=None), "claims"),
    "expired": (saying(iat=NOON_S - 600, exp=NOON_S - 31), "expired"),
    "not yet": (saying(nbf=NOON_S + 31), "not_yet"),
    "issued in the future": (saying(iat=NOON_S + 31, exp=NOON_S + 60), "not_yet"),
    "without an end": (saying(exp=None), "claims"),
    "without a beginning": (saying(iat=None), "claims"),
    "of nobody": (saying(sub=None), "claims"),
    "of a nameless": (saying(sub=""), "claims"),
    "of a name with a line break": (saying(sub="anna\nboss"), "claims"),
    "of a number": (saying(sub=7), "malformed"),
    "good for two days": (saying(exp=NOON_S + 2 * 86_400), "too_long"),
    "an end that is a text": (saying(exp=str(NOON_S + 300)), "claims"),
    "an end that is true": (saying(exp=True), "claims"),
    "an end that never comes": (saying(exp=float("inf")), "claims"),
    "an end that is no number": (saying(exp=float("nan")), "claims"),
    "an end beyond all numbers": (saying(exp=10**400), "claims"),
    "a foreign signature": (by_a_stranger(), "signature"),
    "altered": (altered, "signature"),
    "an unknown key": (saying(kid="unknown"), "unknown_key"),
    "a key named by a path": (saying(kid="../../../../dev/null"), "unknown_key"),
    "a key named by a statement": (saying(kid="' OR 1=1 --"), "unknown_key"),
    "a key with a huge name": (saying(kid="k" * 3_000), "unknown_key"),
    "a key without a name": (saying(kid=None), "unknown_key"),
    "a key whose name is empty": (saying(kid=""), "unknown_key"),
    "a key whose name is no text": (
        lambda idp: forged({**RS256, "kid": 7}, idp.claims(), lambda _: b"x"),
        "malformed",
    ),
    "its own key along": (by_a_stranger(jwk=public_jwk(FOREIGN_KEY)), "signature"),
    "a demand that nobody knows": (with_header(crit=["exp2"], exp2=1), "malformed"),
    "a part left out of the signature": (with_header(b64=False), "malformed"),
    "a token for signing out": (with_header(typ="logout+jwt"), "type"),
    "claims that are a list": (
        lambda idp: forged(RS256, [idp.claims()], _signed),
        "malformed",
    ),
    "claims that are nested": (lambda _: forged(RS256, DEEP, _signed), "malformed"),
    "a header that is nested": (lambda _: forged(DEEP, {}, lambda _: b"x"), "malformed"),
    "a header that is no object": (lambda _: forged([], {}, lambda _: b"x"), "malformed"),
    "a header that is no text": (
        lambda _: forged(b"\xff\xfe", {}, lambda _: b"x"),
        "malformed",
    ),
    "nothing but dots": (lambda _: "..", "malformed"),
    "letters that are none": (lambda _: "é.é.é", "malformed"),
}


@pytest.mark.parametrize(("forge", "reason"), ATTACKS.values(), ids=ATTACKS.keys())
async def test_a_token_that_does_not_fit_opens_nothing(
    running: IdentityProvider, door: Door, forge: Forge, reason: str
) -> None:
    token, before = forge(running), refusals(reason)
    shown = [(b"Authorization", f"Bearer {token}".encode())]

    answer = await door.http.get("/items", headers=shown)

    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert refusals(reason) == before + 1
    assert token not in answer.text


async def test_an_address_that_a_token_names_is_never_asked(
    running: IdentityProvider, door: Door
) -> None:
    with identity_provider() as evil:
        evil.keys.clear()
        evil.show("rsa", FOREIGN_KEY)
        address = f"{evil.issuer}/keys"

        for header in ("jku", "x5u"):
            token = by_a_stranger(**{header: address})(running)
            assert (await door.get(token)).status_code == 401

        assert evil.asked == []


async def test_what_could_never_be_right_makes_nobody_ask_the_provider(door: Door) -> None:
    hopeless = [
        door.idp.token(note="x" * TOKEN_CHARS_MAX),
        door.idp.token(algorithm="RS512"),
        door.idp.token(kid="k" * 3_000),
        unsigned("none")(door.idp),
        signed_with_a_public_key({**RS256, "alg": "HS256"}, door.idp.claims()),
    ]

    answers = [(await door.get(token)).status_code for token in hopeless]

    assert answers == [401] * len(hopeless)
    assert door.idp.asked == []
