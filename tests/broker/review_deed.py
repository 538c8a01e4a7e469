"""One deed of a reviewer in a process of its own, which may be told to die at a step of it.

`python -m tests.broker.review_deed` reads what to do as JSON and does it as the API would. Its
bytes lie in a folder, its rows where the test has them.
"""

import asyncio
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from services.review.domain.decisions import Reextraction, Reopening
from services.review.domain.edits import Change
from services.review.domain.items import Decision, ReviewItem
from services.review.handlers.correcting import Correction, correct_fields
from services.review.handlers.deciding import approve_item, mark_duplicate, reject_item
from services.review.handlers.reextracting import ask_for_reading
from services.review.handlers.reopening import reopen_item
from services.review.handlers.splitting import split_item, split_of
from services.review.ports import Ports
from shared import failpoints
from shared.blobs.open import open_blobs
from shared.clock import WallClock
from shared.database.pool import DatabaseSettings, open_pool
from shared.ledger.postgres import PostgresLedger
from tests.broker.review_world import ports_over
from tests.house.repository import ROOT

REASON = "because"
PATH, RIGHT = "invoice_number", "RE-2024-17"


@dataclass(frozen=True, slots=True)
class Doer:
    """Where a test keeps its rows and its bytes."""

    dsn: str
    schema: str
    folder: Path

    async def do(
        self, deed: str, document_id: UUID, version: int, *, step: str, of: UUID
    ) -> int:
        """How the process ended."""
        asked = {
            **{"dsn": self.dsn, "schema": self.schema, "folder": str(self.folder)},
            **{"deed": deed, "document_id": str(document_id), "version": version},
            **{"of": str(of), "failpoint": f"{step}:kill"},
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.broker.review_deed", json.dumps(asked)),
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT)},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, trouble = await process.communicate()
        assert process.returncode in (0, -9), trouble.decode()
        return process.returncode


async def done(
    deed: str, document_id: UUID, version: int, use: Ports, of: UUID | None = None
) -> ReviewItem:
    seen = (document_id, "anna", version)
    refusal = Decision(document_id, version, "anna", "rejected", None, "other", REASON)
    match deed:
        case "approve":
            doing = approve_item(*seen, use)
        case "reject":
            doing = reject_item(refusal, use)
        case "duplicate":
            named = replace(refusal, reason_code="duplicate", duplicate_of=of)
            doing = mark_duplicate(named, use)
        case "split":
            parts = split_of(document_id, version, "anna", REASON)
            doing = split_item(parts, [[1], [2]], use)
        case "correct":
            doing = correct_fields(Correction(*seen, [Change("set", PATH, RIGHT)]), use)
        case "reextract":
            doing = ask_for_reading(Reextraction(*seen, REASON), use)
        case name:
            doing = reopen_item(Reopening(*seen, REASON, undo=name == "undo"), use)
    return await doing


async def _main(asked: dict[str, Any]) -> None:
    failpoints.arm(asked["failpoint"])
    pool = await open_pool(
        DatabaseSettings(asked["dsn"]), schema=asked["schema"], application="deed"
    )
    try:
        blobs = open_blobs(f"file://{asked['folder']}")
        of = UUID(asked["of"])
        document_id, version = UUID(asked["document_id"]), asked["version"]
        ledger = PostgresLedger(pool, WallClock(), wake=lambda: None)
        use = ports_over(pool, ledger, blobs)
        await done(asked["deed"], document_id, version, use, of)
    finally:
        await pool.close()


if __name__ == "__main__":
    asyncio.run(_main(json.loads(sys.argv[1])))
