"""Texts that try to become a part of a statement, in every filter and order of every list.

Whatever they are, they are looked for as they stand, or refused; what a list of everything
would show is never shown to them, and nothing that lies there changes.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import pytest

from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.records import Records

SERVICES = ("ingest", "monitor", "review", "storage")
STATEMENTS = (
    "' OR '1'='1",
    "' OR 1=1 --",
    '" OR ""="',
    "') OR ('a'='a",
    "1; DROP TABLE documents; --",
    "'; DELETE FROM ingest.documents; --",
    "' UNION SELECT usename, passwd FROM pg_shadow --",
    "x' AND (SELECT pg_sleep(20)) IS NULL --",
    "$$; SELECT pg_terminate_backend(pid) FROM pg_stat_activity; $$",
    "created_at DESC; TRUNCATE audit_log",
    "%' ESCAPE '!' OR true --",
    "\\'; COPY documents TO PROGRAM 'id'; --",
)
ANSWERS = (HTTPStatus.OK, HTTPStatus.UNPROCESSABLE_ENTITY)
# What opens a link is none of ours, which is all that is said of it.
REFUSALS = {"token": (HTTPStatus.FORBIDDEN,)}
COUNTS = """
SELECT (SELECT count(*) FROM ingest.documents) AS documents,
       (SELECT count(*) FROM ingest.audit_log) AS lines,
       (SELECT count(*) FROM monitor.dead_letters) AS letters,
       (SELECT count(*) FROM review.review_items) AS items
"""


def filters(description: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and name of what can be asked of a list."""
    for path, methods in description["paths"].items():
        if "{" in path or "get" not in methods:
            continue
        for one in methods["get"].get("parameters", []):
            if one["in"] == "query":
                yield path, one["name"]


@pytest.mark.parametrize("service", SERVICES)
async def test_whatever_stands_in_a_filter_is_looked_for_and_nothing_else(
    service: str, client: Client, records: Records
) -> None:
    await client.ends(await client.hand_in(invoice()))
    asked = list(filters(await client.get(service, "/openapi.json")))
    [before] = await records.rows(COUNTS)

    odd = []
    for path, name in asked:
        for statement in STATEMENTS:
            answer = await client.ask(service, f"{path}?{name}={quote(statement)}")
            if answer.status_code not in (*ANSWERS, *REFUSALS.get(name, ())):
                odd.append((path, name, statement, answer.status_code))

    [after] = await records.rows(COUNTS)
    assert asked, "a list can be asked for something"
    # Facts may still be on their way; nothing is gone.
    assert all(later >= earlier for later, earlier in zip(after, before, strict=True))
    assert odd == []


async def test_a_condition_that_is_always_true_finds_nothing(client: Client) -> None:
    await client.ends(await client.hand_in(invoice()))

    found = await client.get("ingest", f"/v1/documents?q={quote(STATEMENTS[0])}")

    assert found["items"] == []
