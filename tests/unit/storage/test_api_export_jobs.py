"""Exports that are made in the background: ordered once, fetched, cancelled, expired; whose
they are, and what becomes of their files."""

import csv
import hashlib
import io
import json
from collections.abc import AsyncIterator

import pytest

from services.storage.domain.exports import part_key
from services.storage.handlers.exporting import (
    clear_exports,
    run_next_export,
)
from tests.unit.storage.office import (
    ADMIN,
    LESSER,
    OWNER,
    REVIEWER,
    STRANGER,
    Office,
    open_office,
)


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with open_office() as one:
        yield one


def ids(lines: bytes) -> set[str]:
    return {json.loads(line)["document_id"] for line in lines.decode().splitlines()}


def files(office: Office) -> list[str]:
    return [key for key in office.blobs.objects if key.startswith("exports/")]


async def test_an_export_that_is_ordered_is_made_and_fetched(office: Office) -> None:
    known = {str(await office.stored()) for _ in range(3)}

    made = await office.made(format="jsonl")
    file = await office.get(made["links"]["download"])

    assert (made["status"], made["progress"], made["done"]) == ("completed", 100, 3)
    assert ids(file.content) == known
    assert made["sha256"] == hashlib.sha256(file.content).hexdigest()
    assert int(file.headers["Content-Length"]) == made["size_bytes"] == len(file.content)
    assert [one.action for one in office.trail.entries] == ["export_ordered"]


async def test_a_large_file_lies_in_parts_and_is_one(office: Office) -> None:
    for _ in range(5):
        await office.stored()
    office.limited(part_bytes=700)

    made = await office.made(format="csv")
    file = await office.get(made["links"]["download"])

    assert len(files(office)) > 1
    rows = list(csv.DictReader(io.StringIO(file.text, newline="")))
    assert len(rows) == 5


async def test_a_link_to_an_export_opens_without_a_key(office: Office) -> None:
    await office.stored()
    made = await office.made(format="csv")

    link = (await office.post(made["links"]["links"], expires_in_s=60)).json()
    opened = await office.get(link["url"], {})
    office.clock.advance(61)

    assert opened.status_code == 200
    assert opened.text.startswith("document_id,")
    assert (await office.get(link["url"], {})).status_code == 403


async def test_one_key_orders_one_export(office: Office) -> None:
    header = {**OWNER, "Idempotency-Key": "k"}

    first = await office.post("/v1/exports", header, format="csv")
    again = await office.post("/v1/exports", header, format="csv")
    other = await office.post("/v1/exports", header, format="xlsx")
    stranger = await office.post("/v1/exports", {**STRANGER, "Idempotency-Key": "k"})

    assert first.headers["Location"] == again.headers["Location"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (other.status_code, stranger.status_code) == (422, 202)


async def test_an_owner_waits_for_so_many_and_no_more(office: Office) -> None:
    for _ in range(office.outlets.limits.open_max):
        assert (await office.post("/v1/exports")).status_code == 202

    refused = await office.post("/v1/exports")

    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")
    assert (await office.post("/v1/exports", STRANGER)).status_code == 202


async def test_a_cancelled_export_is_not_made(office: Office) -> None:
    ordered = await office.post("/v1/exports")
    home = ordered.headers["Location"]

    cancelled = await office.post(f"{home}/cancel")
    twice = await office.post(f"{home}/cancel")

    assert (cancelled.json()["status"], twice.status_code) == ("cancelled", 200)
    assert not await run_next_export(office.outlets)
    assert (await office.get(f"{home}/download")).status_code == 409
    made = await office.made(format="csv")
    assert (await office.post(f"{made['links']['self']}/cancel")).status_code == 409


async def test_an_expired_export_leaves_no_file(office: Office) -> None:
    await office.stored()
    made = await office.made()
    office.clock.advance(25 * 3600)

    assert await clear_exports(office.outlets) == 1

    assert files(office) == []
    shown = (await office.get(made["links"]["self"])).json()
    assert (shown["status"], shown["progress"]) == ("expired", 100)
    assert (await office.get(made["links"]["download"])).status_code == 409
    assert await clear_exports(office.outlets) == 0


@pytest.mark.parametrize("path", ["", "/download", "/cancel", "/links"])
async def test_an_export_of_somebody_else_is_as_absent_as_none(
    office: Office, path: str
) -> None:
    made = await office.made()
    home = made["links"]["self"]
    ask = office.post if path in ("/cancel", "/links") else office.get

    answers = [await ask(f"{home}{path}", who) for who in (STRANGER, REVIEWER)]

    assert [one.status_code for one in answers] == [404, 404]


async def test_an_export_of_everybody_is_absent_for_a_key_of_its_owner_that_sees_less(
    office: Office,
) -> None:
    await office.stored()
    home = (await office.post("/v1/exports", ADMIN)).headers["Location"]
    own = (await office.post("/v1/exports", LESSER)).headers["Location"]
    cancelled = await office.post(f"{home}/cancel", LESSER)
    for _ in range(2):
        await run_next_export(office.outlets)

    answers = [
        cancelled,
        await office.get(home, LESSER),
        await office.get(f"{home}/download", LESSER),
        await office.post(f"{home}/links", LESSER),
    ]
    listed = (await office.get("/v1/exports/jobs", LESSER)).json()["items"]

    assert [one.status_code for one in answers] == [404] * len(answers)
    assert [one["links"]["self"] for one in listed] == [own]
    assert (await office.get(f"{home}/download", ADMIN)).status_code == 200
    assert len((await office.get("/v1/exports/jobs", ADMIN)).json()["items"]) == 2


async def test_of_a_run_that_was_lost_no_part_is_left(office: Office) -> None:
    await office.stored()
    home = (await office.post("/v1/exports")).headers["Location"]
    lost = await office.exports.claim_export(60)
    assert lost is not None
    await office.blobs.put(part_key(lost.export_id, lost.run, 0), b"{}")
    office.clock.advance(61)

    assert await run_next_export(office.outlets)

    assert files(office) == [part_key(lost.export_id, lost.run + 1, 0)]
    assert (await office.get(f"{home}/download")).status_code == 200


async def test_a_run_that_is_lost_often_enough_has_failed(office: Office) -> None:
    home = (await office.post("/v1/exports")).headers["Location"]
    for _ in range(office.outlets.limits.failures_max):
        await office.exports.claim_export(60)
        office.clock.advance(61)

    assert await run_next_export(office.outlets)

    shown = (await office.get(home)).json()
    assert (shown["status"], shown["failure"]) == ("failed", "interrupted")


async def test_pages_of_exports_follow_each_other(office: Office) -> None:
    for _ in range(3):
        await office.made()

    first = (await office.get("/v1/exports/jobs?limit=2")).json()
    second = (await office.get(f"/v1/exports/jobs?limit=2&cursor={first['next']}")).json()

    seen = [one["export_id"] for page in (first, second) for one in page["items"]]
    assert len(set(seen)) == 3
    assert second["next"] is None
    stolen = await office.get(f"/v1/exports/jobs?cursor={first['next']}", STRANGER)
    assert stolen.status_code == 422


async def test_while_the_store_is_away_an_export_waits(office: Office) -> None:
    await office.stored()
    office.blobs.away = True

    made = await office.made()
    office.blobs.away = False
    office.clock.advance(120)
    await run_next_export(office.outlets)

    assert made["status"] == "waiting"
    shown = await office.get(made["links"]["self"])
    assert (shown.json()["status"], shown.json()["done"]) == ("completed", 1)


async def test_a_result_that_is_none_fails_its_export_and_nothing_else(office: Office) -> None:
    one = await office.stored()
    office.blobs.objects[office.results.rows[one, 1].result_key] = b"{"

    made = await office.made()

    assert (made["status"], made["failure"]) == ("failed", "not_exportable")
    assert (await office.get("/v1/exports")).status_code == 500
