"""Reading results: the current one, every version, files, links, UBL; each to its owner."""

import io
import json
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from threading import get_ident
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID, uuid4

import pyarrow.parquet as pq
import pytest

from services.storage.domain.concluding import invoice_of
from services.storage.domain.en16931 import Broken, broken_rules
from services.storage.domain.invoice import Invoice
from services.storage.handlers import reading
from services.storage.handlers.withdrawing import withdraw_documents
from tests import builders
from tests.unit.extractor.einvoices import STATED
from tests.unit.storage.office import ADMIN, OWNER, REVIEWER, STRANGER, Office, open_office


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with open_office() as one:
        yield one


async def test_the_current_result_has_a_tag_and_is_not_sent_twice(office: Office) -> None:
    one = await office.approved()

    shown = await office.get(f"/v1/results/{one}")
    tag = {**OWNER, "If-None-Match": shown.headers["ETag"]}
    again = await office.get(f"/v1/results/{one}", tag)

    assert (shown.status_code, shown.headers["ETag"]) == (200, '"2"')
    assert shown.headers["Cache-Control"] == "private, no-cache"
    assert (shown.json()["version"], shown.json()["verdict"]) == (2, "approved")
    assert (again.status_code, again.content) == (304, b"")


async def test_every_version_is_listed_and_can_be_read(office: Office) -> None:
    one = await office.approved()

    listed = (await office.get(f"/v1/results/{one}/versions")).json()["items"]
    first = await office.get(listed[0]["links"]["self"])

    assert [(v["version"], v["verdict"], v["is_current"]) for v in listed] == [
        (1, None, False),
        (2, "approved", True),
    ]
    assert (first.json()["version"], first.headers["ETag"]) == (1, '"1"')
    assert (await office.get(f"/v1/results/{one}/versions/3")).status_code == 404
    assert (await office.get(f"/v1/results/{one}/versions/0")).status_code == 422


@pytest.mark.parametrize("path", ["download", "versions/1/download"])
async def test_a_file_is_to_be_kept_and_never_shown(office: Office, path: str) -> None:
    one = await office.stored()

    said = await office.get(f"/v1/results/{one}/{path}")
    table = await office.get(f"/v1/results/{one}/{path}?format=parquet")

    for answer, suffix in ((said, "json"), (table, "parquet")):
        assert answer.headers["Content-Disposition"].startswith("attachment; ")
        assert f"{one}.v1.{suffix}" in answer.headers["Content-Disposition"]
        assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    assert said.json()["document_id"] == str(one)
    read = pq.read_table(io.BytesIO(table.content))
    assert read.column("document_id").to_pylist() == [str(one)]


async def test_a_copy_has_a_result_and_no_table_of_its_own(office: Office) -> None:
    one = await office.stored(cache_hit=True)

    assert (await office.get(f"/v1/results/{one}")).status_code == 200
    refused = await office.get(f"/v1/results/{one}/download?format=parquet")
    assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (409, "no-file")


async def test_who_may_see_all_documents_sees_them(office: Office) -> None:
    one = await office.stored()

    assert (await office.get(f"/v1/results/{one}", REVIEWER)).status_code == 200
    assert (await office.get(f"/v1/results/{one}", ADMIN)).status_code == 200


async def linked(office: Office, one: UUID, **wanted: object) -> str:
    made = await office.post(f"/v1/results/{one}/links", **wanted)
    assert made.status_code == 201, made.text
    return str(made.json()["url"])


async def test_a_link_opens_its_file_without_a_key_until_it_expires(office: Office) -> None:
    one = await office.approved()
    url = await linked(office, one, format="json", version=1, expires_in_s=60)

    opened = await office.get(url, {})
    office.clock.advance(61)
    closed = await office.get(url, {})

    assert (opened.status_code, opened.json()["version"]) == (200, 1)
    assert "attachment" in opened.headers["Content-Disposition"]
    assert closed.status_code == 403
    assert [one.action for one in office.trail.entries] == ["link_made"]


@pytest.mark.parametrize("change", [{"version": "2"}, {"format": "parquet"}, {"token": "x.y"}])
async def test_a_link_that_was_changed_opens_nothing(
    office: Office, change: dict[str, str]
) -> None:
    one = await office.approved()
    parts = urlsplit(await linked(office, one, version=1))
    query = urlencode({**dict(parse_qsl(parts.query)), **change})

    answer = await office.get(f"{parts.path}?{query}", {})

    assert answer.status_code == 403


async def test_a_token_of_one_kind_opens_nothing_of_another(office: Office) -> None:
    one = await office.stored()
    token = dict(parse_qsl(urlsplit(await linked(office, one)).query))["token"]

    answer = await office.get(f"/v1/links/exports?token={token}", {})

    assert answer.status_code == 403


async def test_no_link_outlives_its_limit(office: Office) -> None:
    one = await office.stored()

    made = await office.post(f"/v1/results/{one}/links", expires_in_s=7 * 86_400)

    until = (office.clock.now() + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    assert made.json()["expires_at"] == until


async def test_what_was_erased_is_there_for_nobody(office: Office) -> None:
    one = await office.approved()
    url = await linked(office, one)

    await withdraw_documents([builders.job(builders.deleted(document_id=one))], office.use)

    for path in ("", "/versions", "/download", "/ubl"):
        assert (await office.get(f"/v1/results/{one}{path}")).status_code == 404
    assert (await office.get(url, {})).status_code == 404


async def test_a_verified_invoice_leaves_as_ubl(office: Office) -> None:
    one = await office.approved("corrected")
    await office.read(one, dict(STATED))

    answer = await office.get(f"/v1/results/{one}/ubl")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/xml"
    assert f"{one}.v2.xml" in answer.headers["Content-Disposition"]
    assert b"urn:cen.eu:en16931:2017" in answer.content


async def test_what_an_invoice_says_is_looked_through_in_a_thread(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of sixteen megabytes would keep everybody else waiting."""
    one, threads = await office.approved(), list[int]()
    await office.read(one, dict(STATED))

    def noted(told: Mapping[str, str | None]) -> Invoice:
        threads.append(get_ident())
        return invoice_of(told)

    def noting(invoice: Invoice) -> list[Broken]:
        threads.append(get_ident())
        return broken_rules(invoice)

    monkeypatch.setattr(reading, "invoice_of", noted)
    monkeypatch.setattr(reading, "broken_rules", noting)
    assert (await office.get(f"/v1/results/{one}/ubl")).status_code == 200

    assert len(threads) == 2
    assert get_ident() not in threads


async def test_what_nobody_approved_is_no_invoice(office: Office) -> None:
    one = await office.stored()
    rejected = await office.approved("rejected")

    for document_id in (one, rejected):
        answer = await office.get(f"/v1/results/{document_id}/ubl")
        assert (answer.status_code, answer.json()["retryable"]) == (409, False)


async def test_an_invoice_that_breaks_rules_is_refused_with_each_of_them(
    office: Office,
) -> None:
    one = await office.approved()
    await office.read(one, {**STATED, "total": "120.00", "seller.name": None})

    answer = await office.get(f"/v1/results/{one}/ubl")

    told = {error["rule"]: error for error in answer.json()["errors"]}
    assert answer.status_code == 422
    assert {"BR-06", "BR-CO-15", "BR-CO-16"} == told.keys()
    assert told["BR-06"]["pointer"] == "/fields/seller.name"
    assert "119.00" in told["BR-CO-15"]["detail"]


PATHS = (
    "/v1/results/{id}",
    "/v1/results/{id}/versions",
    "/v1/results/{id}/versions/1",
    "/v1/results/{id}/download",
    "/v1/results/{id}/download?format=parquet",
    "/v1/results/{id}/versions/1/download",
    "/v1/results/{id}/ubl",
    "/v1/results/{id}/ubl?version=2",
)


@pytest.mark.parametrize("path", PATHS)
async def test_a_result_of_somebody_else_is_as_absent_as_none(
    office: Office, path: str
) -> None:
    one = await office.approved()

    theirs = await office.get(path.format(id=one), STRANGER)
    never = await office.get(path.format(id=uuid4()), STRANGER)

    assert (theirs.status_code, never.status_code) == (404, 404)
    assert {**theirs.json(), "trace_id": ""} == {**never.json(), "trace_id": ""}


async def test_nobody_makes_a_link_to_the_result_of_somebody_else(office: Office) -> None:
    one = await office.stored()

    refused = await office.post(f"/v1/results/{one}/links", STRANGER)

    assert refused.status_code == 404
    assert office.trail.entries == []


async def test_a_result_is_json_whatever_is_in_it(office: Office) -> None:
    one = await office.stored()

    shown = await office.get(f"/v1/results/{one}")

    assert shown.headers["content-type"] == "application/json"
    assert json.loads(shown.content)["fields"]["invoice_number"]["value"]
