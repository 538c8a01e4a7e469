"""The doors a program uses, from outside: ways to hand in, to wait, to ask again, to fetch."""

from http import HTTPStatus
from uuid import UUID

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.records import Records
from tests.system.stack import Stack


async def test_a_form_is_handed_in_like_a_body_under_either_address(
    client: Client, stack: Stack
) -> None:
    address = stack.address("ingest_api")
    headers = {"Authorization": f"Bearer {stack.key}"}
    for path in ("/v1/documents", "/documents"):
        content = invoice()
        answer = await client.http.post(
            address + path,
            files={"file": ("Rechnung №1.pdf", content, "text/html")},
            data={"priority": "high", "tags": "a,b"},
            headers=headers,
        )

        assert answer.status_code == HTTPStatus.ACCEPTED
        document_id = UUID(answer.json()["document_id"])
        client.promised.add(document_id)
        assert answer.headers["Location"] == f"/v1/documents/{document_id}"
        document = await client.ends(document_id)
        assert (document["filename"], document["priority"]) == ("Rechnung №1.pdf", "high")
        assert (document["tags"], document["media_type"]) == (["a", "b"], "application/pdf")

        async def is_told_alike(path: str = f"documents/{document_id}/status") -> bool:
            # It goes on between two questions, until it waits for a person.
            return await client.get("ingest", f"/{path}") == await client.get(
                "ingest", f"/v1/{path}"
            )

        await eventually(is_told_alike)


async def test_who_prefers_to_wait_is_told_the_end(client: Client) -> None:
    answer = await client.upload(invoice(), prefer="wait=10")

    assert answer.headers["Preference-Applied"] == "wait=10"
    assert (answer.status_code, answer.json()["status"]) == (HTTPStatus.ACCEPTED, "completed")


async def test_what_has_not_changed_is_not_sent_again(client: Client, stack: Stack) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    await client.review_item(document_id)
    for part in ("status", "result"):
        url = f"{stack.address('ingest_api')}/v1/documents/{document_id}/{part}"
        headers = {"Authorization": f"Bearer {stack.key}"}
        first = await client.http.get(url, headers=headers)
        again = await client.http.get(
            url, headers={**headers, "If-None-Match": first.headers["ETag"]}
        )

        assert (again.status_code, again.content) == (HTTPStatus.NOT_MODIFIED, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
        assert first.headers["Cache-Control"] == "private, no-cache"


async def test_an_original_is_kept_and_never_shown(client: Client, stack: Stack) -> None:
    content = invoice()
    document_id = await client.hand_in(content, filename="%22%3Cb%3E.pdf")
    url = f"{stack.address('ingest_api')}/v1/documents/{document_id}/content"
    answer = await client.http.get(url, headers={"Authorization": f"Bearer {stack.key}"})

    assert answer.content == content
    assert answer.headers["Content-Disposition"].startswith("attachment; ")
    assert "<" not in answer.headers["Content-Disposition"]
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_headers_alone_are_those_of_the_whole_answer(
    client: Client, stack: Stack, records: Records
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    # Its review is opened after its end, and changes it between two questions.
    await eventually(records.is_quiet, within_s=30, every_s=0.25)
    login = {"Authorization": f"Bearer {stack.key}"}
    address = f"{stack.address('ingest_api')}/v1/documents/{document_id}"

    for path in ("", "/result", "/content"):
        whole = await client.http.get(address + path, headers=login)
        head = await client.http.head(address + path, headers=login)

        assert (head.status_code, head.content) == (HTTPStatus.OK, b"")
        for name in ("Content-Type", "Content-Length", "ETag"):
            assert head.headers.get(name) == whole.headers.get(name)
    # A stream without an end too.
    events = await client.http.head(
        f"{address}/events", headers={**login, "Accept": "text/event-stream"}
    )
    assert events.status_code == HTTPStatus.OK
