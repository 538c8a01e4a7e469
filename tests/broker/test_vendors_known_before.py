"""What was known of issuers under one key each is found by the identities that came later."""

import json
import shutil
from pathlib import Path
from uuid import uuid4

import asyncpg

import shared.ledger
from services.extractor.adapters.vendors import PostgresVendors
from services.extractor.ports import Asking
from shared.clock import WallClock
from shared.database.migrations import migrate
from shared.database.pool import DatabaseSettings, open_pool
from shared.ledger.postgres import PostgresLedger
from tests.broker.service_schema import ROOT

LEDGER = Path(shared.ledger.__file__).parent / "migrations"
REVISIONS = ROOT / "services" / "extractor" / "migrations"
IBAN = "DE89370400440532013000"
SEEN = {
    **{"number_shape": "RE-<4>", "ibans": [IBAN], "rates": [], "places": {}},
    **{"currency": "EUR", "language": None},
}


async def test_earlier_sightings_are_found_by_number_and_by_name(
    database_url: str, tmp_path: Path
) -> None:
    for revision in REVISIONS.glob("000[1-4]_*"):
        shutil.copy(revision, tmp_path)
    schema = f"extractor_before_{uuid4().hex[:8]}"
    told = {"schema": schema, "role": "paperline_nobody"}
    connection = await asyncpg.connect(database_url)
    await connection.execute("CREATE ROLE paperline_nobody")
    await migrate(database_url, locations=[LEDGER, tmp_path], **told)
    for key in ("vat_id:de136695976", "name:nordwindgmbh"):
        await connection.execute(
            f"INSERT INTO {schema}.vendor_sightings VALUES ($1, 'acme', $2, $3)",
            uuid4(),
            key,
            json.dumps(SEEN),
        )

    await migrate(database_url, locations=[LEDGER, REVISIONS], **told)

    pool = await open_pool(DatabaseSettings(database_url), schema=schema, application="test")
    async with PostgresLedger(pool, WallClock(), wake=lambda: None).unit() as unit:
        for identity in (
            *("vat_id:de136695976", "name:any:nordwindgmbh", "name:unknown:nordwindgmbh"),
        ):
            asking = Asking("acme", uuid4(), [identity])
            [memory] = await PostgresVendors().recall_vendor(unit, [asking])
            [seen] = memory.sightings
            assert identity in seen.identities
            assert seen.ibans == (IBAN,)
    await pool.close()
    await connection.execute(f"DROP SCHEMA {schema} CASCADE")
    await connection.execute("DROP OWNED BY paperline_nobody; DROP ROLE paperline_nobody")
    await connection.close()
