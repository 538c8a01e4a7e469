"""An identity provider that people sign in at: a page that asks who they are, and codes.

It checks all that a provider has to, so that what we leave out is refused; and like its other
half it says what a test tells it to say, also what no provider should.
"""

import base64
import html
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from secrets import token_urlsafe
from threading import Event, Thread
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from shared.access.provider import Client
from tests.identity_provider import RSA_KEY, IdentityProvider, Json, PrivateKey

CLIENT_ID = "paperline at the desk"
SECRET = "a secret: of the client+"  # with all that has to be encoded
AUTHORIZE, TOKEN = "/authorize?tenant=one", "/token"
DRIP, DRIP_S = Event(), 0.2
PEOPLE: Mapping[str, Json] = {
    "anna": {"sub": "anna-1", "name": "Anna Petersen", "roles": ["invoices-desk"]},
    "ingo": {"sub": "ingo-2", "name": "Ingo", "roles": ["invoices-in", "another system"]},
    "nora": {"sub": "nora-3", "name": "Nora", "roles": ["another system"]},
}

Form = dict[str, str]


@dataclass(frozen=True, slots=True)
class Code:
    person: Json
    asked: Form


@dataclass
class OpenIdProvider(IdentityProvider):
    redirect_url: str = ""
    people: dict[str, Json] = field(default_factory=lambda: dict(PEOPLE))
    secret: str | None = SECRET
    # By which time its tokens are made.
    now_s: float = 0.0
    # Instead of what a token would say; what is None is left out.
    claims_say: Json = field(default_factory=dict)
    signs_with: PrivateKey = RSA_KEY
    # Byte after byte, each soon enough.
    drips: bool = False
    codes: dict[str, Code] = field(default_factory=dict)
    # What was sent to be exchanged, with its headers.
    exchanged: list[tuple[Form, Mapping[str, str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.description |= {
            "authorization_endpoint": f"{self.issuer}{AUTHORIZE}",
            "token_endpoint": f"{self.issuer}{TOKEN}",
        }

    def client(self, **differing: str | None) -> Client:
        known = {
            "client_id": CLIENT_ID, "redirect_url": self.redirect_url, "secret": self.secret,
        }  # fmt: skip
        return Client(**{**known, **differing})  # type: ignore[arg-type] # two are never None

    def asks(self, asked: Form) -> str:
        """The page for whoever was sent here; each person is a link."""
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT_ID
        # To the letter, or a code could be led elsewhere.
        assert asked["redirect_uri"] == self.redirect_url
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        assert asked["state"]
        links = "".join(
            f'<li><a href="{html.escape(self.back(asked, name))}">Continue as {name}</a></li>'
            for name in self.people
        )
        gone = html.escape(self._return({"error": "access_denied"}, asked))
        return (
            '<!doctype html><html lang="en"><title>Your company</title><h1>Who are you?</h1>'
            f'<ul>{links}<li><a href="{gone}">Cancel</a></li></ul>'
        )

    def back(self, asked: Form, name: str) -> str:
        """Where this person goes on to."""
        code = token_urlsafe(16)
        self.codes[code] = Code(self.people[name], asked)
        return self._return({"code": code}, asked)

    def _return(self, said: Form, asked: Form) -> str:
        more = urlencode({**said, "state": asked["state"], "iss": self.issuer})
        return f"{asked['redirect_uri']}?{more}"

    def exchange(self, form: Form, headers: Mapping[str, str]) -> tuple[int, Json]:
        self.exchanged.append((form, headers))
        if _credentials(form, headers) != (CLIENT_ID, self.secret):
            return HTTPStatus.UNAUTHORIZED, {"error": "invalid_client"}
        # Once, whatever comes of it.
        code = self.codes.pop(form.get("code", ""), None)
        if code is None or not self._fits(code, form):
            return HTTPStatus.BAD_REQUEST, {"error": "invalid_grant"}
        return HTTPStatus.OK, {
            "token_type": "Bearer",
            "access_token": token_urlsafe(16),
            "id_token": self.id_token(code),
        }

    def _fits(self, code: Code, form: Form) -> bool:
        digest = sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        return (
            form.get("grant_type") == "authorization_code"
            and form.get("redirect_uri") == code.asked["redirect_uri"]
            and challenge == code.asked["code_challenge"]
        )

    def id_token(self, code: Code) -> str:
        now_s = int(self.now_s or time.time())
        claims = {
            "aud": CLIENT_ID, "iat": now_s, "exp": now_s + 300, "nonce": code.asked["nonce"],
            **code.person, **self.claims_say,
        }  # fmt: skip
        return self.token(self.signs_with, **claims)


@contextmanager
def openid_provider(redirect_url: str, host: str = "127.0.0.1") -> Iterator[OpenIdProvider]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    running = OpenIdProvider(f"http://{host}:{server.server_port}", redirect_url=redirect_url)
    server.RequestHandlerClass = _speaking_for(running)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _credentials(form: Form, headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    scheme, _, told = headers.get("Authorization", "").partition(" ")
    if scheme == "Basic":
        client_id, _, secret = base64.b64decode(told).decode().partition(":")
        return unquote_plus(client_id), unquote_plus(secret)
    return form.get("client_id"), form.get("client_secret")


def form_of(text: str) -> Form:
    return {name: values[0] for name, values in parse_qs(text).items()}


def _write(out: BufferedIOBase, body: bytes, *, drips: bool) -> None:
    if not drips:
        out.write(body)
        return
    for one in body:
        out.write(bytes([one]))
        DRIP.wait(DRIP_S)


def _speaking_for(running: OpenIdProvider) -> type[BaseHTTPRequestHandler]:
    class Speaker(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            where = urlsplit(self.path)
            if where.path == urlsplit(AUTHORIZE).path:
                page = running.asks(form_of(where.query)).encode()
                self._send(HTTPStatus.OK, page, {"Content-Type": "text/html; charset=utf-8"})
            else:
                self._send(running.status, running.answer(self.path), running.headers)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            form = form_of(self.rfile.read(length).decode())
            status, said = running.exchange(form, dict(self.headers))
            if running.says is not None or running.status != HTTPStatus.OK:
                self._send(running.status, running.answer(self.path), running.headers)
            else:
                self._send(status, json.dumps(said).encode(), {})

        def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            # Some wait no longer, or want no more of it.
            with suppress(ConnectionError):
                self.end_headers()
                _write(self.wfile, body, drips=running.drips)

        def log_message(self, *_: object) -> None:
            """Not to the terminal."""

    return Speaker
