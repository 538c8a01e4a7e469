"""The ops API: find a letter, replay it, follow it; who may what, and how a refusal reads."""

from uuid import uuid4

import httpx
import pytest

from tests.fakes.keys import key_of
from tests.unit.monitor.world import QUEUE, World, dead_letter, garbage

LETTERS = "/ops/v1/dead-letters"


OLGA = key_of("olga", "operator")
EDITH = key_of("edith", "editor")
ANNA = key_of("anna", "reviewer")


async def test_an_operator_finds_a_letter_replays_it_and_follows_the_replay(
    world: World, client: httpx.AsyncClient
) -> None:
    document_id = uuid4()
    await world.kept(dead_letter(document_id=document_id))

    page = (await client.get(f"{LETTERS}?document_id={document_id}", headers=OLGA)).json()
    [letter] = page["letters"]
    replayed = await client.post(
        f"{letter['links']['letter']}/replay", headers=OLGA, json={"reason": "Fixed."}
    )
    replay = await client.get(replayed.headers["Location"], headers=OLGA)

    assert letter["reason"] == "unreadable"
    assert replayed.status_code == 202
    assert (replay.json()["state"], replay.json()["run"]) == ("running", 1)
    shown = (await client.get(letter["links"]["letter"], headers=OLGA)).json()
    assert shown["state"] == "replaying"
    assert shown["links"]["replay"] == replayed.headers["Location"]


async def test_a_second_replay_is_a_conflict_that_says_where_the_first_is(
    world: World, client: httpx.AsyncClient
) -> None:
    kept = await world.kept(dead_letter())
    path = f"{LETTERS}/{kept.letter_id}/replay"
    first = await client.post(path, headers=OLGA, json={"reason": "Fixed."})

    second = await client.post(path, headers=OLGA, json={"reason": "Fixed."})

    assert second.status_code == 409
    assert second.headers["content-type"] == "application/problem+json"
    assert second.headers["Location"] == first.headers["Location"]


async def test_a_replay_needs_a_reason(world: World, client: httpx.AsyncClient) -> None:
    kept = await world.kept(dead_letter())

    answer = await client.post(
        f"{LETTERS}/{kept.letter_id}/replay", headers=OLGA, json={"reason": " "}
    )

    assert answer.status_code == 422
    assert world.ledger.resent == []


async def test_no_list_shows_a_payload_and_only_an_editor_may_look(
    world: World, client: httpx.AsyncClient
) -> None:
    kept = await world.kept(dead_letter())
    path = f"{LETTERS}/{kept.letter_id}/payload"

    listed = await client.get(LETTERS, headers=OLGA)
    refused = await client.get(path, headers=OLGA)
    shown = await client.get(path, headers=EDITH)

    assert "content_key" not in listed.text
    assert refused.status_code == 403
    assert shown.json()["encoding"] == "utf-8"
    assert "content_key" in shown.json()["body"]
    assert [entry.actor for entry in world.trail.entries] == ["edith"]


async def test_bytes_that_are_no_text_are_shown_as_base64(
    world: World, client: httpx.AsyncClient
) -> None:
    kept = await world.kept(garbage(b"\xff\xfe"))

    shown = await client.get(f"{LETTERS}/{kept.letter_id}/payload", headers=EDITH)

    assert (shown.json()["encoding"], shown.json()["body"]) == ("base64", "//4=")


async def test_letters_are_filtered_and_paged_latest_first(
    world: World, client: httpx.AsyncClient
) -> None:
    ids = []
    for _ in range(5):
        ids.append(str((await world.kept(dead_letter())).letter_id))
        world.clock.advance(1)
    await world.kept(garbage())

    seen: list[str] = []
    query = f"?queue={QUEUE}&reason=unreadable&state=open&limit=2"
    more = query
    while more:
        page = (await client.get(LETTERS + more, headers=OLGA)).json()
        seen += [letter["letter_id"] for letter in page["letters"]]
        more = f"{query}&cursor={page['next']}" if page["next"] else ""

    assert seen == ids[::-1]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"q": "page READ"}, 2),
        ({"q": "page nobody"}, 0),
        ({"q": "TypeError"}, 1),
        ({"q": "{job_id}"}, 1),
        ({"q": "{document_id}"}, 1),
        ({"q": "{letter_id}"}, 1),
        ({"q": "{other}"}, 0),
        ({"category": "bug"}, 1),
        ({"type": "document.extract"}, 3),
        ({"owner_id": "acme"}, 3),
        ({"owner_id": "nobody"}, 0),
        ({"arrived_after": "{later}"}, 1),
        ({"arrived_before": "{later}"}, 2),
    ],
)
async def test_letters_are_found_by_what_is_known_of_them(
    world: World, client: httpx.AsyncClient, asked: dict[str, str], found: int
) -> None:
    one = await world.kept(dead_letter())
    await world.kept(dead_letter())
    world.clock.advance(60)
    later = world.clock.now().isoformat()
    await world.kept(
        dead_letter(dead_exception="TypeError", dead_message="None", dead_category="bug")
    )
    known = {name: getattr(one, f"{name}_id") for name in ("job", "document", "letter")}
    given = {f"{name}_id": str(value) for name, value in known.items()}
    wanted = {k: v.format(later=later, other=uuid4(), **given) for k, v in asked.items()}

    page = await client.get(LETTERS, params=wanted, headers=OLGA)

    assert len(page.json()["letters"]) == found


@pytest.mark.parametrize(
    "asked", [{"q": ""}, {"q": "a" * 201}, {"arrived_after": "0001-01-01T00:00:00+14:00"}]
)
async def test_what_nobody_can_look_for_is_the_clients_mistake(
    client: httpx.AsyncClient, asked: dict[str, str]
) -> None:
    assert (await client.get(LETTERS, params=asked, headers=OLGA)).status_code == 422


async def test_a_misspelt_filter_is_refused_instead_of_ignored(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.get(f"{LETTERS}?reasn=unreadable", headers=OLGA)

    assert answer.status_code == 422


async def test_the_overview_answers_without_the_brokers_own_api(
    world: World, client: httpx.AsyncClient
) -> None:
    await world.kept(dead_letter())

    overview = (await client.get("/ops/v1/overview", headers=OLGA)).json()

    assert overview["queues"] is None
    assert overview["dead_letters"] == {
        "open": 1,
        "by": [{"queue": QUEUE, "reason": "unreadable", "letters": 1, "muted": 0}],
    }


async def test_the_metrics_are_served_as_text_and_up_to_date(
    world: World, client: httpx.AsyncClient
) -> None:
    await world.kept(dead_letter())

    answer = await client.get("/api/metrics", headers=OLGA)

    assert answer.headers["content-type"].startswith("text/plain")
    assert f'paperline_dead_letters_open{{queue="{QUEUE}"}} 1.0' in answer.text
    assert "documents_processed_total" in answer.text


async def test_what_is_not_there_is_not_found(client: httpx.AsyncClient) -> None:
    for path in (f"{LETTERS}/{uuid4()}", f"/ops/v1/replays/{uuid4()}"):
        answer = await client.get(path, headers=OLGA)

        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", LETTERS),
        ("GET", f"{LETTERS}/{{id}}"),
        ("GET", f"{LETTERS}/{{id}}/payload"),
        ("POST", f"{LETTERS}/{{id}}/replay"),
        ("GET", "/ops/v1/replays/{id}"),
        ("GET", "/ops/v1/overview"),
        ("GET", "/api/metrics"),
    ],
)
async def test_a_stranger_and_a_reviewer_are_kept_out(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    path = path.format(id=uuid4())

    stranger = await client.request(method, path)
    reviewer = await client.request(method, path, headers=ANNA)

    assert (stranger.status_code, reviewer.status_code) == (401, 403)


async def test_a_character_that_no_database_holds_is_the_clients_mistake(
    world: World, client: httpx.AsyncClient
) -> None:
    kept = await world.kept(dead_letter())
    home = f"{LETTERS}/{kept.letter_id}"
    told = {"reason": "Fixed.\x00"}
    operation = {"selector": {"ids": [str(kept.letter_id)]}, **told}

    answers = [
        await client.post(f"{home}/replay", headers=OLGA, json=told),
        await client.post(
            "/ops/v1/operations", headers=OLGA | {"Idempotency-Key": "k"}, json=operation
        ),
        *[
            await client.get(f"{LETTERS}?{name}=%00", headers=OLGA)
            for name in ("queue", "reason", "fingerprint")
        ],
    ]

    assert [answer.status_code for answer in answers] == [422] * 5
