"""People at the desk: a sign-in at ingest opens it, and nobody else can use it for them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from services.review.api import build
from shared.web.cookies import LOOPBACK_COOKIE, csrf_word
from tests.fakes.entrance import entrance
from tests.fakes.keys import SpeakingKeys
from tests.fakes.sessions import InMemorySessions
from tests.unit.review.test_pages import shown
from tests.unit.review.world import World

HERE = "http://127.0.0.1:8081"


@dataclass(frozen=True, slots=True)
class Browser:
    http: httpx.AsyncClient
    sessions: InMemorySessions

    async def signed_in(self, who: str) -> dict[str, str]:
        """As ingest's page does it, on another port of the same host; what a page of the desk
        adds to whatever changes something."""
        caller = await SpeakingKeys().authenticate(who)
        assert caller is not None
        token = await self.sessions.create(caller)
        self.http.cookies.set(LOOPBACK_COOKIE, token)
        return {"Origin": HERE, "X-CSRF": csrf_word(token)}


@pytest.fixture
async def browser(world: World) -> AsyncIterator[Browser]:
    sessions = InMemorySessions()
    app = build(world.ports, entrance(sessions=sessions))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE) as http:
        yield Browser(http, sessions)


@pytest.mark.parametrize("role", ["reviewer", "lead", "admin"])
async def test_who_signed_in_looks_claims_and_sees_pages(
    world: World, browser: Browser, role: str
) -> None:
    home = f"/v1/items/{await shown(world)}"
    word = await browser.signed_in(f"anna:{role}")

    me = await browser.http.get("/v1/me")
    claimed = await browser.http.post(f"{home}/claim", headers=word)
    picture = await browser.http.get(f"{home}/pages/1.png")

    assert (me.json()["owner_id"], me.json()["roles"]) == ("anna", [role])
    assert {"method": "GET", "path": "/v1/items/{document_id}/pages/{number}.png"} in me.json()[
        "routes"
    ]
    assert claimed.json()["claimed_by"] == "anna"
    assert picture.headers["content-type"] == "image/png"


@pytest.mark.parametrize("role", ["submitter", "operator", "unheard-of"])
async def test_whoever_is_no_reviewer_sees_no_page(
    world: World, browser: Browser, role: str
) -> None:
    home = f"/v1/items/{await shown(world)}"
    await browser.signed_in(f"eve:{role}")

    answers = [
        (await browser.http.get(f"{home}{path}")).status_code
        for path in ("", "/pages", "/pages/1.png", "/pages/1/words")
    ]

    assert answers == [403] * 4
    assert world.painter.asked == []


FORGED: dict[str, dict[str, str]] = {
    "without the word": {"Origin": HERE},
    "with another's word": {"Origin": HERE, "X-CSRF": csrf_word("somebody-else")},
    "from another site": {"Origin": "https://evil.example", "X-CSRF": "right"},
    "from another port": {"Origin": "http://127.0.0.1:8080", "X-CSRF": "right"},
    "from nowhere": {"X-CSRF": "right"},
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
async def test_what_another_site_makes_a_browser_send_changes_nothing(
    world: World, browser: Browser, forged: dict[str, str]
) -> None:
    document_id = await shown(world)
    word = await browser.signed_in("anna:reviewer")
    headers = {
        name: word["X-CSRF"] if text == "right" else text for name, text in forged.items()
    }

    for path in (f"/v1/items/{document_id}/claim", "/v1/items/next"):
        answer = await browser.http.post(path, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/forged-request")

    assert (await world.item(document_id)).claimed_by is None


async def test_a_session_that_ended_opens_nothing_here_either(
    world: World, browser: Browser
) -> None:
    home = f"/v1/items/{await shown(world)}"
    word = await browser.signed_in("anna:reviewer")
    before = await browser.http.get(f"{home}/pages/1.png")

    ended = await browser.http.delete("/v1/session", headers=word)
    browser.http.cookies.set(LOOPBACK_COOKIE, "session-1-of-anna")
    after = await browser.http.get(f"{home}/pages/1.png", headers={"If-None-Match": "*"})

    assert (before.status_code, ended.status_code, after.status_code) == (200, 204, 401)


async def test_a_session_is_begun_at_ingest_only(browser: Browser) -> None:
    answer = await browser.http.post(
        "/v1/session", json={"key": "anna:admin"}, headers={"Origin": HERE}
    )

    assert answer.status_code == 405
    assert browser.sessions.alive == {}


@pytest.mark.parametrize(
    "more", [{"status": "approved"}, {"decided_by": "anna"}, {"version": 9}]
)
async def test_nobody_decides_more_than_they_are_asked(
    world: World, browser: Browser, more: dict[str, Any]
) -> None:
    document_id = await shown(world)
    word = await browser.signed_in("anna:reviewer")

    answer = await browser.http.post(
        f"/v1/items/{document_id}/reject",
        json={"reason_code": "other", "reason": "no invoice", **more},
        headers={**word, "If-Match": '"1"'},
    )

    assert answer.status_code == 422
    assert (await world.item(document_id)).decided_by is None
