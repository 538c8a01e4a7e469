"""One way in for all services: a sign-in, a rate, signed pages, and a description of it all."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from services.monitor.api import build as build_monitor
from services.review.api import build as build_review
from shared.access.provider import Provider
from shared.web import session
from shared.web.app import build_app
from shared.web.cookies import CSRF_HEADER, HOST_COOKIE
from shared.web.cursors import Cursors, encode_cursor
from shared.web.entrance import Entrance
from shared.web.guard import guarded_router, needs
from shared.web.security import describe_token
from tests.fakes.clock import NOON
from tests.fakes.keys import SpeakingKeys, key_of
from tests.fakes.sessions import InMemorySessions
from tests.unit.monitor.world import World as MonitorWorld
from tests.unit.monitor.world import dead_letter
from tests.unit.review.world import World as ReviewWorld

INGEST, REVIEW, MONITOR = (f"http://127.0.0.1:{port}" for port in (8080, 8081, 8082))
ADMIN = key_of("anna", "admin")


class TenEach:
    """Counts nothing down; who asks learns what there is."""

    rate_per_s = 2.0
    burst = 10

    async def take(self, _key_id: str) -> tuple[float, int]:
        return 0.0, 9


class Host:
    """One machine with three services on three ports, and a browser before it."""

    def __init__(self) -> None:
        self.review, self.monitor = ReviewWorld(), MonitorWorld()
        self.sessions = InMemorySessions()
        entrance = Entrance(
            SpeakingKeys(), Cursors("a secret of the host"), self.sessions, TenEach()
        )
        ingest = build_app(
            "Sign-in",
            [session.router],
            authenticator=entrance.authenticator,
            state=entrance.state(),
        )
        apps = {
            INGEST: ingest,
            REVIEW: build_review(self.review.ports, entrance),
            MONITOR: build_monitor(self.monitor.ports, entrance),
        }
        self.browser = httpx.AsyncClient(
            mounts={address: httpx.ASGITransport(app) for address, app in apps.items()}
        )

    async def sign_in(self, role: str = "admin") -> str:
        """The word that goes with what changes something."""
        answer = await self.browser.post(
            f"{INGEST}/v1/session", json={"key": f"anna:{role}"}, headers={"Origin": INGEST}
        )
        assert answer.status_code == 201
        return str(answer.json()["csrf"])


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    host = Host()
    async with host.browser:
        yield host


async def test_one_sign_in_serves_the_pages_of_all_services(host: Host) -> None:
    word = await host.sign_in()

    for address, path in ((REVIEW, "/v1/items"), (MONITOR, "/ops/v1/overview")):
        assert (await host.browser.get(address + path)).status_code == 200
        seen = (await host.browser.get(f"{address}/v1/session")).json()
        assert (seen["owner_id"], seen["csrf"]) == ("anna", word)


async def test_a_session_may_at_each_service_what_its_key_may(host: Host) -> None:
    await host.sign_in("reviewer")

    assert (await host.browser.get(f"{REVIEW}/v1/items")).status_code == 200
    assert (await host.browser.get(f"{MONITOR}/ops/v1/overview")).status_code == 403


@pytest.mark.parametrize(
    ("origin", "has_word", "status"),
    [(REVIEW, True, 200), (REVIEW, False, 403), (INGEST, True, 403), (None, True, 403),
     ("https://evil.example", True, 403)],
)  # fmt: skip
async def test_only_a_page_of_the_service_itself_changes_something(
    host: Host, origin: str | None, has_word: bool, status: int
) -> None:
    item = await host.review.opened()
    word = await host.sign_in()
    headers = {"Origin": origin} if origin else {}
    headers |= {CSRF_HEADER: word} if has_word else {}

    answer = await host.browser.post(
        f"{REVIEW}/v1/items/{item.document_id}/claim", headers=headers
    )

    assert answer.status_code == status
    if status == 403:
        assert answer.json()["type"] == "/problems/forged-request"


async def test_signing_out_anywhere_is_signing_out_everywhere(host: Host) -> None:
    word = await host.sign_in()

    answer = await host.browser.delete(
        f"{MONITOR}/v1/session", headers={"Origin": MONITOR, CSRF_HEADER: word}
    )

    assert answer.status_code == 204
    assert not host.sessions.alive
    for address in (INGEST, REVIEW, MONITOR):
        assert (await host.browser.get(f"{address}/v1/session")).status_code == 401


async def test_only_ingest_signs_in(host: Host) -> None:
    for address in (REVIEW, MONITOR):
        answer = await host.browser.post(
            f"{address}/v1/session", json={"key": "anna:admin"}, headers={"Origin": address}
        )
        assert answer.status_code == 405


async def test_every_service_tells_what_is_left_of_the_rate(host: Host) -> None:
    for path in (f"{REVIEW}/v1/items", f"{MONITOR}/ops/v1/overview"):
        answer = await host.browser.get(path, headers=ADMIN)

        assert answer.headers["ratelimit-policy"] == '"key";q=10;w=5'
        assert answer.headers["ratelimit"] == '"key";r=9;t=1'


async def pages_of(host: Host, path: str) -> tuple[str, str]:
    """The cursor of the second page, and the same position with nobody's word for it."""
    first = (await host.browser.get(f"{path}limit=1", headers=ADMIN)).json()
    return first["next"], first["next"].partition(".")[0]


@pytest.mark.parametrize(
    ("path", "other"),
    [
        (f"{REVIEW}/v1/items?", f"{REVIEW}/v1/items?status=pending&"),
        (f"{MONITOR}/ops/v1/dead-letters?", f"{MONITOR}/ops/v1/dead-letters?state=open&"),
    ],
    ids=["items", "dead letters"],
)
async def test_a_page_goes_on_only_where_it_began(host: Host, path: str, other: str) -> None:
    for _ in range(3):
        await host.review.opened()
        await host.monitor.kept(dead_letter())
    signed, bare = await pages_of(host, path)
    made_up = encode_cursor(NOON, uuid4())
    foreign = Cursors("the secret of another host").encode((NOON, uuid4()), scope="items")

    asked = [(path, one) for one in (signed, bare, made_up, foreign)] + [(other, signed)]

    statuses = [
        (await host.browser.get(f"{address}cursor={cursor}", headers=ADMIN)).status_code
        for address, cursor in asked
    ]

    assert statuses == [200, 422, 422, 422, 422]


notes = guarded_router()


@notes.get("/notes", openapi_extra=needs("documents:own:read"))
@notes.post("/notes", openapi_extra=needs("documents:own:create"))
async def write_note() -> None:
    """Read, or write."""


PROVIDER = Provider("https://id.example/", "paperline", {})
WAYS: dict[str, tuple[dict[str, object], list[str], list[list[str]], list[list[str]]]] = {
    "keys alone": ({}, ["key"], [["key"]], [["key"]]),
    "keys and sign-ins": (
        {"sessions": InMemorySessions()},
        ["csrf", "key", "session"],
        [["key"], ["session"]],
        [["key"], ["csrf", "session"]],
    ),
    "keys and tokens": (
        {"provider": PROVIDER},
        ["key", "token"],
        [["key"], ["token"]],
        [["key"], ["token"]],
    ),
    "all of them": (
        {"provider": PROVIDER, "sessions": InMemorySessions()},
        ["csrf", "key", "session", "token"],
        [["key"], ["token"], ["session"]],
        [["key"], ["token"], ["csrf", "session"]],
    ),
}


@pytest.mark.parametrize(
    ("state", "schemes", "reads", "writes"), WAYS.values(), ids=WAYS.keys()
)
async def test_the_description_says_how_one_gets_in_here(
    state: dict[str, object],
    schemes: list[str],
    reads: list[list[str]],
    writes: list[list[str]],
) -> None:
    app = build_app("Test", [notes], authenticator=SpeakingKeys(), state=state)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=INGEST) as client:
        described = (await client.get("/openapi.json", headers=ADMIN)).json()

    assert sorted(described["components"]["securitySchemes"]) == schemes
    operations = described["paths"]["/notes"]
    for method, ways in (("get", reads), ("post", writes)):
        assert [sorted(one) for one in operations[method]["security"]] == ways


async def test_each_way_in_is_described_as_it_is() -> None:
    state: dict[str, object] = {"provider": PROVIDER, "sessions": InMemorySessions()}
    app = build_app("Test", [session.router], authenticator=SpeakingKeys(), state=state)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=INGEST) as client:
        described = (await client.get("/openapi.json", headers=ADMIN)).json()

    told = described["components"]["securitySchemes"]
    assert (told["key"]["type"], told["key"]["scheme"]) == ("http", "bearer")
    assert (told["session"]["in"], told["session"]["name"]) == ("cookie", HOST_COOKIE)
    assert (told["csrf"]["in"], told["csrf"]["name"]) == ("header", CSRF_HEADER)
    address = "https://id.example/.well-known/openid-configuration"
    assert told["token"]["openIdConnectUrl"] == address
    # A provider whose keys were named may have no description to point to.
    plain = describe_token(replace(PROVIDER, jwks_url="https://id.example/keys"))
    assert (plain["type"], plain["bearerFormat"]) == ("http", "JWT")
    # Signing in asks for nothing but the key in its body.
    assert described["paths"]["/v1/session"]["post"].get("security", []) == []
