"""A browser between an API and an identity provider: what it is given, it takes along."""

from collections.abc import Iterable
from urllib.parse import urlsplit

import httpx

from shared.access.provider import Person
from shared.web import session, sign_in
from shared.web.app import build_app
from shared.web.bearer import KeysAndTokens
from shared.web.cookies import LOOPBACK_COOKIE
from shared.web.guard import CurrentCaller, guarded_router, needs
from shared.web.jwks import ProviderKeys
from shared.web.openid import OpenId
from shared.web.sign_in import SignIns
from shared.web.tokens import Tokens, tokens_for
from tests.fakes.clock import FakeClock
from tests.fakes.keys import SpeakingKeys
from tests.fakes.sessions import InMemorySessions
from tests.openid_provider import OpenIdProvider, form_of

HOME = "http://127.0.0.1:8080"
RETURN = f"{HOME}/v1/sign-in/return"
ITEM = "0192e4a0-7b6e-7c3f-9a51-000000000017"
OWN = {"Origin": HOME}

router = guarded_router()


@router.get("/items", openapi_extra=needs("review:items:read"))
async def items(caller: CurrentCaller) -> str:
    return caller.owner_id


@router.post("/items", openapi_extra=needs("review:items:claim"))
async def claim(caller: CurrentCaller) -> str:
    return caller.owner_id


class Browser:
    """At a page of ours; `idp` is where its person signs in."""

    def __init__(
        self,
        idp: OpenIdProvider,
        *,
        home: str = HOME,
        # Long for a busy machine, where nothing is about time.
        patience_s: float = 10.0,
        **differing: str | None,
    ) -> None:
        self.idp = idp
        self.home = home
        self.clock = FakeClock()
        self.noted: list[tuple[str, str, list[str]]] = []
        self.addresses: list[str] = []
        idp.now_s = self.clock.now().timestamp()
        provider = idp.provider(jwks_url=None, timeout_s=patience_s)
        self.sessions = InMemorySessions(provider)
        keys = ProviderKeys(provider)
        client = idp.client(**differing)
        app = build_app(
            "Test",
            [router, session.router, sign_in.router],
            authenticator=KeysAndTokens(SpeakingKeys(), Tokens(provider, keys, self.clock)),
            state={
                "sessions": self.sessions,
                "provider": provider,
                "sign_ins": SignIns(
                    openid=OpenId(provider, client),
                    provider=provider,
                    client=client,
                    tokens=tokens_for(client, provider, keys, self.clock),
                    sessions=self.sessions,
                    witness=self,
                    clock=self.clock,
                ),
            },
        )
        self.app = app
        self.http = self.another()

    async def note(self, person: Person, roles: Iterable[str], address: str) -> None:
        self.addresses.append(address)
        self.noted.append((person.owner_id, person.name, sorted(roles)))

    def another(self) -> httpx.AsyncClient:
        """A browser of its own, before the same pages."""
        return httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url=self.home)

    async def leave(self, place: str = "") -> httpx.Response:
        return await self.http.post(
            "/v1/sign-in", json={"place": place}, headers={"Origin": self.home}
        )

    async def left(self, place: str = "") -> dict[str, str]:
        """What the provider is asked."""
        answer = await self.leave(place)
        assert answer.status_code == 201, answer.text
        address: str = answer.json()["address"]
        assert address.startswith(f"{self.idp.issuer}/authorize?tenant=one&")
        return form_of(urlsplit(address).query)

    async def vouched(self, name: str = "anna", place: str = "") -> str:
        """The address that the provider sends the person back to."""
        return self.idp.back(await self.left(place), name)

    async def sign_in(self, name: str = "anna", place: str = "") -> httpx.Response:
        return await self.http.get(await self.vouched(name, place))

    async def me(self) -> httpx.Response:
        return await self.http.get("/v1/me")


async def refused(browser: Browser, back: str, word: str) -> None:
    answer = await browser.http.get(back)

    assert (answer.status_code, answer.headers["location"]) == (303, f"/#refused/{word}/")
    assert LOOPBACK_COOKIE not in answer.headers.get("set-cookie", "").split("=")[0]
    assert not browser.sessions.alive
    assert not browser.noted
    assert (await browser.me()).status_code == 401
