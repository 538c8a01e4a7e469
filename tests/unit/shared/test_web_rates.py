"""A key that asks too often is told how long to wait, and every answer says what is left."""

import httpx
import pytest

from shared.web.app import build_app
from shared.web.guard import guarded_router, needs, public
from tests.fakes.keys import SpeakingKeys, key_of

router = guarded_router()
ANNA, OTTO = key_of("anna", "submitter"), key_of("otto", "submitter")


@router.get("/notes", openapi_extra=needs("documents:own:read"))
async def notes() -> str:
    return "note"


@router.get("/all", openapi_extra=needs("documents:all:delete"))
async def everything() -> str:
    return "never"


@router.get("/open", openapi_extra=public())
async def read_open() -> str:
    return "open"


class TwoEach:
    """Each key may ask twice."""

    rate_per_s = 0.5
    burst = 2

    def __init__(self) -> None:
        self._left: dict[str, int] = {}

    async def take(self, key_id: str) -> tuple[float, int]:
        left = self._left.get(key_id, self.burst) - 1
        self._left[key_id] = max(left, 0)
        return (0.0, left) if left >= 0 else (1.2, 0)


@pytest.fixture
def http() -> httpx.AsyncClient:
    state = {"rates": TwoEach()}
    app = build_app("Test", [router], authenticator=SpeakingKeys(), state=state)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")


async def test_every_answer_says_what_is_left(http: httpx.AsyncClient) -> None:
    fine = await http.get("/notes", headers=ANNA)
    forbidden = await http.get("/all", headers=ANNA)

    assert fine.headers["ratelimit-policy"] == '"key";q=2;w=4'
    assert fine.headers["ratelimit"] == '"key";r=1;t=2'
    assert forbidden.status_code == 403
    assert forbidden.headers["ratelimit"] == '"key";r=0;t=4'


async def test_who_asks_too_often_is_told_how_long_to_wait(http: httpx.AsyncClient) -> None:
    for _ in range(2):
        assert (await http.get("/notes", headers=ANNA)).status_code == 200

    refused = await http.get("/notes", headers=ANNA)

    assert refused.status_code == 429
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "/problems/too-many-requests"
    assert refused.json()["retryable"] is True
    assert refused.headers["retry-after"] == "2"
    assert refused.headers["ratelimit"] == '"key";r=0;t=2'
    assert (await http.get("/notes", headers=OTTO)).status_code == 200


async def test_a_stranger_uses_up_nobodys_rate(http: httpx.AsyncClient) -> None:
    for _ in range(5):
        answer = await http.get("/notes", headers={"Authorization": "Bearer nobody"})
        assert answer.status_code == 401
        assert "ratelimit" not in answer.headers

    assert (await http.get("/open")).status_code == 200
    assert (await http.get("/notes", headers=ANNA)).status_code == 200
