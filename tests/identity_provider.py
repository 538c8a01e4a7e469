"""An identity provider on the own machine: real keys, real HTTP, and tokens of any kind.

It says what a test tells it to say, also what no provider should, and remembers what it was
asked for.
"""

import base64
import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import get_default_algorithms

from shared.access.provider import Provider
from tests.fakes.clock import NOON

AUDIENCE = "paperline"
NOON_S = int(NOON.timestamp())
ROLES = {"invoices-desk": "reviewer", "invoices-in": "submitter", "invoices-ops": "operator"}
JWKS = "/keys"
# A test that forgot to let it answer ends all the same.
PATIENCE_S = 10.0
DESCRIPTION = "/.well-known/openid-configuration"

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
Json = dict[str, Any]

# Slow to make, so made once.
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
WEAK_RSA_KEY = rsa.generate_private_key(65537, key_size=1024)  # noqa: S505 -- to be refused
EC_KEY = ec.generate_private_key(ec.SECP256R1())
ED_KEY = ed25519.Ed25519PrivateKey.generate()
FOREIGN_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class IdentityProvider:
    issuer: str
    keys: list[Json] = field(default_factory=list)
    status: int = 200
    # Instead of what it would say.
    says: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    description: Json = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    may_answer: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.may_answer.set()
        self.description = {"issuer": self.issuer, "jwks_uri": f"{self.issuer}{JWKS}"}
        self.show("rsa", RSA_KEY)
        self.show("ec", EC_KEY)
        self.show("ed", ED_KEY)

    def show(self, kid: str, key: PrivateKey, **more: object) -> None:
        self.keys.append({**public_jwk(key), "kid": kid, **more})

    def provider(self, **differing: Any) -> Provider:  # noqa: ANN401 -- any field of it
        asked = {"issuer": self.issuer, "audience": AUDIENCE, "roles": ROLES}
        return Provider(**{**asked, "jwks_url": f"{self.issuer}{JWKS}", **differing})

    def claims(self, **differing: object) -> Json:
        """Of somebody at the invoices desk; what is None is left out."""
        all_claims = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "sub": "anna",
            "iat": NOON_S,
            "exp": NOON_S + 300,
            "roles": ["invoices-desk"],
            **differing,
        }
        return {name: value for name, value in all_claims.items() if value is not None}

    def token(
        self,
        key: PrivateKey = RSA_KEY,
        *,
        kid: str | None = "rsa",
        algorithm: str = "RS256",
        headers: Mapping[str, object] | None = None,
        **claims: object,
    ) -> str:
        named = {"kid": kid} if kid is not None else {}
        return jwt.encode(
            self.claims(**claims), key, algorithm, headers={**named, **(headers or {})}
        )

    def answer(self, path: str) -> bytes:
        self.asked.append(path)
        self.may_answer.wait(PATIENCE_S)
        if self.says is not None:
            return self.says
        told = {JWKS: {"keys": self.keys}, DESCRIPTION: self.description}
        return json.dumps(told.get(path, {})).encode()


@contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    running = IdentityProvider(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = _speaking_for(running)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def forged(header: object, claims: object, sign: Callable[[bytes], bytes]) -> str:
    """Put together by hand: a library would refuse to make it."""
    message = f"{_packed(header)}.{_packed(claims)}".encode()
    return f"{message.decode()}.{_text(sign(message))}"


def signed_with_a_public_key(header: Json, claims: Json) -> str:
    """What everybody can have, taken for a secret that both sides share."""
    public = RSA_KEY.public_key()
    secret = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return forged(header, claims, lambda message: hmac.digest(secret, message, sha256))


def public_jwk(key: PrivateKey) -> Json:
    return _jwk(key, key.public_key())


def private_jwk(key: PrivateKey) -> Json:
    """What nobody ever shows."""
    return _jwk(key, key)


def _jwk(key: PrivateKey, shown: object) -> Json:
    match key:
        case rsa.RSAPrivateKey():
            algorithm = "RS256"
        case ec.EllipticCurvePrivateKey():
            algorithm = "ES256"
        case _:
            algorithm = "EdDSA"
    found: Any = get_default_algorithms()[algorithm]
    jwk: Json = found.to_jwk(shown, as_dict=True)
    return jwk


def _packed(part: object) -> str:
    return _text(part if isinstance(part, bytes) else json.dumps(part).encode())


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _speaking_for(running: IdentityProvider) -> type[BaseHTTPRequestHandler]:
    class Speaker(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = running.answer(self.path)
            self.send_response(running.status)
            for name, value in running.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not to the terminal."""

    return Speaker
