"""The list of documents: what is asked for comes, page by page, and nothing else."""

from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest

from services.ingest.domain.documents import PRIORITIES
from tests import builders
from tests.fakes.clock import NOON
from tests.unit.ingest.desk import REVIEWER, STRANGER, SUBMITTER, Desk, is_problem


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def _uploaded(desk: Desk, **query: str) -> str:
    answer = await desk.client.post(
        f"/v1/documents?{urlencode(query)}",
        content=builders.PDF,
        headers=SUBMITTER | {"X-Filename": query.get("name", "invoice.pdf")},
    )
    assert answer.status_code == 202, answer.text
    desk.clock.advance(60)
    return str(answer.json()["document_id"])


async def _listed(desk: Desk, **query: str) -> list[str]:
    answer = await desk.get(f"/v1/documents?{urlencode(query)}")
    assert answer.status_code == 200, answer.text
    return [item["document_id"] for item in answer.json()["items"]]


async def test_what_the_client_says_of_a_document_comes_back(desk: Desk) -> None:
    document_id = await _uploaded(
        desk,
        tags="march, Büro,march",
        metadata='{"order": {"no": 7}, "a": "é"}',
        due_at="2026-03-01T12:00:00+01:00",
    )

    shown = (await desk.get(f"/v1/documents/{document_id}")).json()

    assert shown["tags"] == ["march", "Büro"]
    assert shown["metadata"] == {"order": {"no": 7}, "a": "é"}
    assert shown["due_at"] == "2026-03-01T11:00:00Z"


async def test_metadata_as_deep_as_it_may_be_is_shown(desk: Desk) -> None:
    deep = '{"[{\\"[{":' + "[" * 31 + "]" * 31 + "}"

    document_id = await _uploaded(desk, metadata=deep)

    assert (await desk.get(f"/v1/documents/{document_id}")).status_code == 200
    assert await _listed(desk) == [document_id]


async def test_a_form_may_say_it_too(desk: Desk) -> None:
    answer = await desk.client.post(
        "/v1/documents",
        files={"file": ("one.pdf", builders.PDF)},
        data={"tags": ["a", "b"], "metadata": '{"x":1}', "due_at": "2026-03-01T12:00:00Z"},
        headers=SUBMITTER,
    )

    shown = (await desk.get(answer.json()["links"]["self"])).json()
    assert (shown["tags"], shown["metadata"]) == (["a", "b"], {"x": 1})
    assert shown["due_at"] == "2026-03-01T12:00:00Z"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tags", ",".join(f"t{n}" for n in range(21))),
        ("tags", "x" * 65),
        ("tags", "a\x07b"),
        ("metadata", "[]"),
        ("metadata", "{"),
        ("metadata", '{"a":NaN}'),
        ("metadata", '{"a":1,"a":2}'),
        ("metadata", '{"a":1e999}'),
        ("metadata", '{"a":"\\u0000"}'),
        ("metadata", '{"a":"\\ud800"}'),
        ("metadata", '{"a":"' + "x" * 4096 + '"}'),
        ("metadata", '{"a":' + "[" * 3000 + "]" * 3000 + "}"),
        ("metadata", '{"a":' + "[" * 32 + "]" * 32 + "}"),
        ("due_at", ""),
        ("due_at", "tomorrow"),
        ("due_at", "2026-03-01T12:00:00"),
        ("due_at", "0001-01-01T00:00:00+14:00"),
        ("due_at", "1999-12-31T23:59:59Z"),
        ("due_at", "9999-12-31T23:59:59Z"),
    ],
)
async def test_words_that_cannot_be_kept_are_refused(desk: Desk, name: str, text: str) -> None:
    answer = await desk.client.post(
        "/v1/documents", params={name: text}, content=builders.PDF, headers=SUBMITTER
    )

    is_problem(answer, 422, "invalid")
    assert [error["pointer"] for error in answer.json()["errors"]] == [f"/query/{name}"]
    assert not desk.documents.rows


async def test_a_field_of_a_form_that_nobody_has_filled_in_says_nothing(desk: Desk) -> None:
    answer = await desk.client.post(
        "/v1/documents",
        files={"file": ("a.pdf", builders.PDF)},
        data={"due_at": ""},
        headers=SUBMITTER,
    )

    assert answer.status_code == 202
    [row] = desk.documents.rows.values()
    assert row.due_at is None


async def test_other_words_are_another_request(desk: Desk) -> None:
    first = await desk.upload(idempotency_key="k", x_tags="a")
    again = await desk.upload(idempotency_key="k", x_tags="a")
    other = await desk.upload(idempotency_key="k", x_tags="b")

    assert again.json() == first.json()
    is_problem(other, 422, "idempotency-mismatch")


async def test_each_filter_leaves_what_it_names(desk: Desk) -> None:
    first = await _uploaded(desk, name="April 1.pdf", tags="a", priority="urgent")
    second = await _uploaded(desk, name="april_2.pdf", tags="a,b")
    third = await _uploaded(desk, name="may.pdf")
    await desk.told(builders.stored(document_id=third))
    vendor = builders.SUMMARY.vendor_name or ""

    assert await _listed(desk, status="completed") == [third]
    assert await _listed(desk, priority="urgent") == [first]
    assert await _listed(desk, tag="a") == [second, first]
    assert await _listed(desk, tag="a", status="completed") == []
    assert await _listed(desk, q="APRIL") == [second, first]
    assert await _listed(desk, q=vendor[:3].lower()) == [third]
    assert await _listed(desk, accepted_after=NOON.isoformat()) == [third, second, first]
    minute = NOON.replace(minute=NOON.minute + 1).isoformat()
    assert await _listed(desk, accepted_before=minute) == [first]
    assert await _listed(desk, accepted_after=minute) == [third, second]


@pytest.mark.parametrize("priority", PRIORITIES)
async def test_every_priority_can_be_asked_for(desk: Desk, priority: str) -> None:
    document_id = await _uploaded(desk, priority=priority)

    assert await _listed(desk, priority=priority) == [document_id]


async def test_the_next_page_asks_the_same_question(desk: Desk) -> None:
    ids = [await _uploaded(desk, tags="x y&z") for _ in range(3)]
    await _uploaded(desk, tags="other")

    first = await desk.get("/v1/documents?limit=2&tag=x%20y%26z")
    rest = await desk.get(first.json()["next"])

    assert first.headers["link"] == f'<{first.json()["next"]}>; rel="next"'
    seen = [item["document_id"] for item in first.json()["items"] + rest.json()["items"]]
    assert seen == ids[::-1]
    assert rest.json()["next"] is None


async def test_a_cursor_is_good_for_its_own_list_only(desk: Desk) -> None:
    for _ in range(2):
        await _uploaded(desk, tags="a")
    following = (await desk.get("/v1/documents?limit=1")).json()["next"]
    cursor = following.rpartition("=")[2]

    for path, who in (
        (following, STRANGER),
        (following, REVIEWER),
        (f"/v1/documents?limit=1&tag=a&cursor={cursor}", SUBMITTER),
        (f"/v1/documents?limit=1&cursor=A{cursor}", SUBMITTER),
    ):
        answer = await desk.get(path, who)
        is_problem(answer, 422, "invalid")
        assert answer.json()["errors"][0]["pointer"] == "/query/cursor"
    assert (await desk.get(following)).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "status=done",
        "priority=9",
        "priority=low",
        "accepted_before=",
        "cursor=",
        "tag=",
        "tag=%00",
        "q=%00",
        "q=" + "x" * 101,
        "accepted_after=noon",
        "accepted_before=2026-01-01",
        "statuss=completed",
        "limit=0",
    ],
)
async def test_a_question_that_makes_no_sense_is_refused(desk: Desk, query: str) -> None:
    is_problem(await desk.get(f"/v1/documents?{query}"), 422, "invalid")
