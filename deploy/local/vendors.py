"""`./paperline vendors`: what is remembered of issuers, so that a person can look at it."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from deploy.local.endpoints import endpoints
from deploy.local.provision import connect
from deploy.local.reading import console
from deploy.local.report import say
from deploy.local.state import State

SHOWN_MAX = 200
REMEMBERED = """
SELECT owner_id, seen -> 'identities' ->> 0 AS issuer, count(*) AS documents,
       count(*) FILTER (WHERE decided_version > 0) AS approved, max(seen_at) AS latest,
       jsonb_agg(seen ORDER BY seen_at DESC) AS seen
  FROM extractor.vendor_sightings
 WHERE seen -> 'identities' ->> 0 IS NOT NULL
   AND ($1::text IS NULL OR seen ->> 'identities' ILIKE '%' || $1 || '%')
 GROUP BY owner_id, issuer
 ORDER BY latest DESC
 LIMIT $2
"""


def show(state: State, wanted: str | None) -> int:
    rows = asyncio.run(_rows(endpoints(state).database["extractor"], wanted))
    if not rows:
        say("Nothing is remembered of any issuer yet; it is learnt from what is read.")
        return 0
    table = Table(box=SIMPLE_HEAD)
    figures = ("documents", "approved")
    for heading in ("owner", "issuer", *figures, "numbers", "accounts", "rates", "currency"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        seen = json.loads(row["seen"])
        table.add_row(
            row["owner_id"],
            row["issuer"],
            *(str(row[one]) for one in figures),
            _distinct(one["number_shape"] for one in seen),
            _distinct(iban for one in seen for iban in one["ibans"]),
            _distinct(rate for one in seen for rate in one["rates"]),
            _distinct(one["currency"] for one in seen),
        )
    console().print(table)
    return 0


async def _rows(url: str, wanted: str | None) -> list[Any]:
    connection = await connect(url)
    try:
        return list(await connection.fetch(REMEMBERED, wanted, SHOWN_MAX))
    finally:
        await connection.close()


def _distinct(values: Iterable[str | None]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value))
