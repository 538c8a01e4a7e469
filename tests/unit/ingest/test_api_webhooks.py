"""The routes of webhooks and of what they were told."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from services.ingest.domain.webhooks import Answer, Secrets
from services.ingest.handlers.deliver import deliver
from services.ingest.ports.webhooks import Sending
from tests import builders
from tests.fakes.keys import key_of
from tests.fakes.webhooks import FakeCourier
from tests.unit.ingest.desk import OPERATOR, REVIEWER, STRANGER, SUBMITTER, Desk, is_problem

ADMIN = key_of("root", "admin")
WANTED: dict[str, Any] = {
    "url": "https://erp.example.com/hook",
    "events": ["document.ended", "document.ended", "review.decided"],
    "description": "the ERP",
}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def _create(desk: Desk, **given: object) -> httpx.Response:
    return await desk.client.post("/v1/webhooks", json=WANTED | given, headers=SUBMITTER)


async def _made(desk: Desk) -> dict[str, Any]:
    made: dict[str, Any] = (await _create(desk)).json()
    return made


async def _deliver(desk: Desk, *answers: Answer) -> None:
    secrets = Secrets("a secret of the world")
    sending = Sending(desk.webhooks, FakeCourier(*answers), secrets, desk.clock, 4, 2, 0.01)
    for one in await desk.webhooks.claim_deliveries(limit=10):
        await deliver(one, sending)


async def test_a_webhook_is_made_and_its_secret_told_once(desk: Desk) -> None:
    answer = await _create(desk)

    assert answer.status_code == 201
    made = answer.json()
    own = f"/v1/webhooks/{made['webhook_id']}"
    assert answer.headers["location"] == made["links"]["self"] == own
    assert made["events"] == ["document.ended", "review.decided"]
    assert made["secret"].startswith("paperline_webhook_")
    shown = await desk.get(own)
    assert shown.headers["etag"] == answer.headers["etag"] == '"1"'
    assert shown.json() == {name: made[name] for name in made if name != "secret"}
    assert made["secret"] not in (await desk.get("/v1/webhooks")).text
    [entry] = desk.trail.entries
    assert (entry.actor, entry.action) == (builders.OWNER, "webhook_created")
    assert made["secret"] not in repr(entry)


REFUSED = {
    "an address of ours": {"url": "https://127.0.0.1/"},
    "the cloud's own": {"url": "https://169.254.169.254/latest/meta-data"},
    "plain http": {"url": "http://erp.example.com/"},
    "a user": {"url": "https://user:pass@erp.example.com/"},
    "no URL": {"url": "erp"},
    "too long a URL": {"url": "https://erp.example.com/" + "a" * 2000},
    "no events": {"events": []},
    "an unknown event": {"events": ["document.progress"]},
    "too much said": {"description": "x" * 201},
    "a zero character": {"description": "\x00"},
    "a field that is ours": {"owner_id": "globex"},
    "another secret": {"secret": "mine"},
}


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED.keys())
async def test_what_is_no_webhook_is_refused(desk: Desk, given: dict[str, Any]) -> None:
    is_problem(await _create(desk, **given), 422, "invalid")
    made = await _made(desk)
    changed = await desk.client.patch(
        made["links"]["self"], json=given, headers=SUBMITTER | {"If-Match": '"1"'}
    )
    is_problem(changed, 422, "invalid")
    assert len(desk.webhooks.rows) == 1


async def test_an_owner_has_so_many_webhooks_and_no_more(desk: Desk) -> None:
    for _ in range(3):
        assert (await _create(desk)).status_code == 201

    is_problem(await _create(desk), 409, "too-many-webhooks")


async def test_a_webhook_is_changed_as_it_was_seen(desk: Desk) -> None:
    own = (await _made(desk))["links"]["self"]

    async def patch(**headers: str) -> httpx.Response:
        return await desk.client.patch(
            own, json={"enabled": False}, headers=SUBMITTER | headers
        )

    is_problem(await patch(), 428, "precondition-required")
    changed = await patch(**{"If-Match": '"1"'})
    stale = await patch(**{"If-Match": '"1"'})

    assert (changed.status_code, changed.json()["enabled"]) == (200, False)
    assert changed.json()["url"] == WANTED["url"]
    is_problem(stale, 412, "stale-version")
    assert stale.headers["etag"] == changed.headers["etag"] == '"2"'
    assert [one.action for one in desk.trail.entries] == ["webhook_created", "webhook_changed"]


async def test_a_secret_is_rotated_by_its_owner_alone(desk: Desk) -> None:
    made = await _made(desk)
    path, match = f"{made['links']['self']}/rotate", {"If-Match": '"1"'}

    is_problem(
        await desk.client.post(path, json={}, headers=SUBMITTER), 428, "precondition-required"
    )
    for key in (ADMIN, STRANGER):
        answer = await desk.client.post(path, json={}, headers=key | match)
        is_problem(answer, 404, "no-such-webhook")
    rotated = await desk.client.post(path, json={}, headers=SUBMITTER | match)
    again = await desk.client.post(path, json={}, headers=SUBMITTER | match)

    assert rotated.json()["secret"] != made["secret"]
    assert rotated.json()["secret_overlap_until"] == "2026-03-14T13:00:00Z"
    # A second click would have ended the overlap of the first secret.
    is_problem(again, 412, "stale-version")


ROUTES = [
    ("GET", ""),
    ("PATCH", ""),
    ("DELETE", ""),
    ("POST", "/rotate"),
    ("POST", "/test"),
    ("GET", "/deliveries"),
    ("GET", f"/deliveries/{uuid4()}"),
    ("POST", f"/deliveries/{uuid4()}/replay"),
]


@pytest.mark.parametrize(("method", "route"), ROUTES)
async def test_a_strangers_webhook_is_as_absent_as_one_that_never_was(
    desk: Desk, method: str, route: str
) -> None:
    own = (await _made(desk))["links"]["self"]
    never = f"/v1/webhooks/{uuid4()}"
    body: dict[str, Any] = {"json": {}} if method in ("PATCH", "POST") else {}
    headers = STRANGER | {"If-Match": '"1"'}

    for path in (own, never):
        answer = await desk.client.request(method, path + route, headers=headers, **body)
        is_problem(answer, 404, "no-such-webhook")
    assert (await desk.get("/v1/webhooks", STRANGER)).json()["items"] == []
    assert len(desk.webhooks.rows) == 1


@pytest.mark.parametrize(("method", "route"), [("POST", "/v1/webhooks"), *ROUTES])
async def test_no_webhook_opens_without_its_permission(
    desk: Desk, method: str, route: str
) -> None:
    path = route if route.startswith("/v1") else f"/v1/webhooks/{uuid4()}{route}"

    is_problem(await desk.client.request(method, path), 401, "unauthenticated")
    is_problem(await desk.client.request(method, path, headers=REVIEWER), 403, "forbidden")


async def test_an_operator_sees_all_webhooks_and_an_admin_turns_one_off(desk: Desk) -> None:
    own = (await _made(desk))["links"]["self"]
    match, off = {"If-Match": '"1"'}, {"enabled": False}

    assert len((await desk.get("/v1/webhooks", OPERATOR)).json()["items"]) == 1
    refused = await desk.client.patch(own, json=off, headers=OPERATOR | match)
    is_problem(refused, 403, "forbidden")
    assert (await desk.client.patch(own, json=off, headers=ADMIN | match)).status_code == 200


async def test_a_deleted_webhook_is_told_nothing(desk: Desk) -> None:
    own = (await _made(desk))["links"]["self"]

    assert (await desk.client.delete(own, headers=SUBMITTER)).status_code == 204

    await desk.told(builders.stored(document_id=await desk.accepted()))
    assert not desk.webhooks.deliveries
    is_problem(await desk.client.delete(own, headers=SUBMITTER), 404, "no-such-webhook")


async def test_a_ping_is_delivered_and_its_attempts_are_shown(desk: Desk) -> None:
    made = await _made(desk)
    answer = await desk.client.post(made["links"]["test"], headers=SUBMITTER)
    assert answer.status_code == 202
    ping = answer.json()
    assert (ping["event"], ping["state"], ping["attempts"]) == ("webhook.ping", "pending", 0)

    await _deliver(desk, Answer(0.25, 500, response="it broke"))

    shown = (await desk.get(answer.headers["location"])).json()
    assert (shown["state"], shown["attempts"]) == ("pending", 1)
    assert shown["next_attempt_at"] is not None
    [attempt] = shown["log"]
    assert (attempt["status_code"], attempt["response"], attempt["duration_s"]) == (
        500,
        "it broke",
        0.25,
    )


async def test_a_delivery_is_replayed_once_it_is_settled(desk: Desk) -> None:
    made = await _made(desk)
    ping = (await desk.client.post(made["links"]["test"], headers=SUBMITTER)).json()
    path = ping["links"]["replay"]

    is_problem(await desk.client.post(path, headers=SUBMITTER), 409, "not-settled")
    await _deliver(desk)
    again = await desk.client.post(path, headers=SUBMITTER)
    twice = await desk.client.post(path, headers=SUBMITTER)

    assert (again.status_code, again.json()["state"], again.json()["run"]) == (
        202,
        "pending",
        1,
    )
    assert again.json()["body"] == ping["body"]
    is_problem(twice, 409, "not-settled")
    unknown = f"{made['links']['deliveries']}/{uuid4()}/replay"
    is_problem(await desk.client.post(unknown, headers=SUBMITTER), 404, "no-such-delivery")


async def test_a_webhook_that_is_off_is_neither_pinged_nor_replayed(desk: Desk) -> None:
    made = await _made(desk)
    ping = (await desk.client.post(made["links"]["test"], headers=SUBMITTER)).json()
    await _deliver(desk, Answer(0.1, 410))

    for path in (made["links"]["test"], ping["links"]["replay"]):
        answer = await desk.client.post(path, headers=SUBMITTER)
        is_problem(answer, 409, "webhook-disabled")
    shown = (await desk.get(made["links"]["self"])).json()
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "gone")


async def test_the_log_comes_in_pages_by_state(desk: Desk) -> None:
    made = await _made(desk)
    for _ in range(5):
        await desk.client.post(made["links"]["test"], headers=SUBMITTER)
    [delivered, *_] = desk.webhooks.deliveries
    await desk.webhooks.claim_deliveries(limit=1)

    path, seen = f"{made['links']['deliveries']}?state=pending&limit=3", []
    while path:
        page = (await desk.get(path)).json()
        seen += [item["delivery_id"] for item in page["items"]]
        path = page["next"]

    assert len(seen) == len(set(seen)) == 4
    assert str(delivered) not in seen


@pytest.mark.parametrize(
    "query", ["state=open", "stat=failed", "limit=0", "limit=201", "cursor=x"]
)
async def test_a_misspelt_question_lists_nothing(desk: Desk, query: str) -> None:
    made = await _made(desk)

    is_problem(await desk.get(f"{made['links']['deliveries']}?{query}"), 422, "invalid")


async def test_a_cursor_of_one_log_opens_no_other(desk: Desk) -> None:
    first, second = await _made(desk), await _made(desk)
    for _ in range(2):
        await desk.client.post(first["links"]["test"], headers=SUBMITTER)
    page = (await desk.get(f"{first['links']['deliveries']}?limit=1")).json()

    stolen = page["next"].replace(first["webhook_id"], second["webhook_id"])

    is_problem(await desk.get(stolen), 422, "invalid")
