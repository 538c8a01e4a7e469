"""`python -m shared.audit` on a database: it names the line that a superuser altered (F56)."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import shared.audit
from shared.audit.chain import Entry
from shared.audit.log import append
from shared.database.migrations import migrate
from shared.database.pool import DatabaseSettings, Pool, open_pool
from tests.broker.database import own_database
from tests.house.repository import ROOT

DEED = Entry("anna", "item_approved", "review-item/7", None, {"total": "119.00"}, "Grüße")


async def said(url: str, *words: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shared.audit", *words),
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PAPERLINE_DATABASE_URL": url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    told, trouble = await process.communicate()
    return process.returncode or 0, told.decode(), trouble.decode()


async def alter(pool: Pool, seq: int) -> None:
    async with pool.transaction() as connection:
        await connection.execute("ALTER TABLE audit_log DISABLE TRIGGER USER")
        await connection.execute(
            "UPDATE audit_log SET entry = replace(entry::text, '119.00', '911.00')::json"
            " WHERE seq = $1",
            seq,
        )
        await connection.execute("ALTER TABLE audit_log ENABLE TRIGGER USER")


async def test_the_log_is_proven_exported_and_an_altered_line_named(tmp_path: Path) -> None:
    async with own_database() as url:
        await migrate(url, schema="review", locations=[shared.audit.MIGRATIONS], role=None)
        pool = await open_pool(DatabaseSettings(url), schema="review", application="test")
        try:
            async with pool.transaction() as connection:
                await append(connection, *(replace(DEED, actor=f"a{n}") for n in range(5)))
            whole = await said(url, "verify")
            copy = tmp_path / "audit.jsonl"
            copy.write_text((await said(url, "export"))[1])
            kept = await said(url, "verify", "--against", str(copy))
            alone = await said(url, "check", str(copy))
            await alter(pool, 3)
            broken = await said(url, "verify")
        finally:
            await pool.close()

    assert (whole[0], kept[0], alone[0]) == (0, 0, 0)
    assert whole[1] == kept[1] == alone[1]
    assert whole[1].startswith("5\t")
    assert broken == (1, "", "line 3: altered\n")
