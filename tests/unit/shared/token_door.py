"""An API that takes keys, and the tokens of a provider that runs on the own machine."""

from collections.abc import Mapping

import httpx

from shared.observability.metrics import REGISTRY
from shared.web.app import build_app
from shared.web.bearer import KeysAndTokens
from shared.web.guard import CurrentCaller, guarded_router, needs
from shared.web.jwks import ProviderKeys
from shared.web.session import router as session
from shared.web.tokens import Tokens
from tests.fakes.clock import FakeClock
from tests.fakes.keys import SpeakingKeys
from tests.fakes.sessions import InMemorySessions
from tests.identity_provider import IdentityProvider

router = guarded_router()


@router.get("/items", openapi_extra=needs("review:items:read"))
async def items(caller: CurrentCaller) -> Mapping[str, object]:
    return {"owner_id": caller.owner_id, "key_id": caller.key_id, "roles": [*caller.roles]}


@router.get("/letters", openapi_extra=needs("dlq:messages:view"))
async def letters() -> str:
    return "letters"


class Door:
    """An API that takes keys, and tokens of one provider."""

    def __init__(self, idp: IdentityProvider, **differing: object) -> None:
        self.idp = idp
        self.clock = FakeClock()
        self.sessions = InMemorySessions()
        provider = idp.provider(**differing)
        tokens = Tokens(provider, ProviderKeys(provider), self.clock)
        app = build_app(
            "Test",
            [router, session],
            authenticator=KeysAndTokens(SpeakingKeys(), tokens),
            state={"sessions": self.sessions, "provider": provider},
        )
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
        )

    async def get(self, token: str, path: str = "/items") -> httpx.Response:
        return await self.http.get(path, headers={"Authorization": f"Bearer {token}"})


def refusals(reason: str) -> float:
    labels = {"reason": reason}
    return REGISTRY.get_sample_value("paperline_tokens_refused_total", labels) or 0.0
