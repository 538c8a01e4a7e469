"""Storage's API as a process of its own, so that its memory is its own; and results for it.

`python -m tests.bench._shared.exporting <database> <schema> <store>` says its port and serves.
The results are files of one invoice each, of a usual size, under rows that are made at once.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

from services.storage.adapters.encoders import FileEncoders
from services.storage.adapters.exports import PostgresExports
from services.storage.adapters.handovers import PostgresHandovers
from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.adapters.trail import AuditTrail
from services.storage.adapters.ubl import UblInvoices
from services.storage.api import build
from services.storage.domain.results import Number, Result, json_of
from services.storage.ports.outlets import Outlets
from shared.blobs.open import open_blobs
from shared.clock import WallClock
from shared.database.pool import DatabaseSettings, open_pool
from shared.ledger.postgres import PostgresLedger
from shared.process.doors import new_loop
from shared.web.server import listen, serve_on
from tests import builders
from tests.broker.service_schema import ServiceSchema
from tests.fakes.entrance import entrance

LINES = 5
FIELDS = {
    **{"seller.vat_id": "DE136695976", "buyer.name": "Mühlenhof AG", "due_date": "2026-04-01"},
    **{"subtotal": "100.00", "tax_total": "19.00", "payment.reference": "RF-1"},
    **{
        f"lines.{place}.{path}": value
        for place in range(LINES)
        for path, value in {
            "description": f"Article {place} of the catalogue, in its usual finish",
            "quantity": "2",
            "unit_price": "10.00",
            "net_amount": "20.00",
            "tax_rate": "19",
        }.items()
    },
}
TABLE = (
    *("document_id", "version", "owner_id", "accepted_at", "result_key", "engine"),
    *("confidence", "vendor_name", "invoice_number", "currency", "filled_at"),
)


def result() -> bytes:
    """As large as what an engine reads: evidence and signals of each field."""
    known = builders.extraction().fields
    read = known | {path: builders.read_as(value) for path, value in FIELDS.items()}
    evidence = [{"page": 1, "bbox": (0.1, 0.2, 0.3, 0.4), "text": "as it stands there"}]
    full = {
        path: one.model_dump() | {"evidence": evidence, "signals": {"agree": 1.0}}
        for path, one in read.items()
    }
    return json_of(Result(builders.extraction(fields=full), Number(1)))


def written(root: Path, count: int) -> Iterator[UUID]:
    """Each a file of its own: reading one again and again would be too easy."""
    content = result()
    before = json.loads(content)["document_id"].encode()
    for _ in range(count):
        document_id = uuid4()
        path = root / key_of(document_id)
        path.parent.mkdir(parents=True)
        path.write_bytes(content.replace(before, str(document_id).encode()))
        yield document_id


def key_of(document_id: UUID) -> str:
    return f"data/versions/{document_id}/v1.json"


async def listed(schema: ServiceSchema, documents: list[UUID]) -> None:
    rows = [
        (
            *(one, 1, builders.OWNER, builders.ACCEPTED_AT + timedelta(seconds=nth)),
            *(key_of(one), "pdf_text", 0.9, "Nordlicht GmbH", f"R-{nth}", "EUR"),
            builders.ACCEPTED_AT,
        )
        for nth, one in enumerate(documents)
    ]
    async with schema.owner.acquire() as connection:
        await connection.copy_records_to_table("result_index", records=rows, columns=TABLE)


async def serve(database_url: str, schema: str, store: str) -> None:
    pool = await open_pool(DatabaseSettings(database_url), schema=schema, application="bench")
    clock = WallClock()
    use = Outlets(
        blobs=open_blobs(f"file://{store}"),
        ledger=PostgresLedger(pool, clock, wake=lambda: None),
        index=PostgresResultIndex(pool),
        exports=PostgresExports(pool),
        handovers=PostgresHandovers(pool),
        encoders=FileEncoders(Path(store)),
        invoices=UblInvoices(),
        trail=AuditTrail(),
        clock=clock,
    )
    with listen("127.0.0.1", 0) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        await serve_on(build(use, entrance()), listener, asyncio.Event())


def rss_mb(pid: int, field: str = "VmRSS") -> float:
    """`VmHWM` is the peak since it was forgotten."""
    status = Path(f"/proc/{pid}/status").read_text()
    [line] = [one for one in status.splitlines() if one.startswith(f"{field}:")]
    return int(line.split()[1]) / 1024


def forget_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def main() -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve(*sys.argv[1:]))


if __name__ == "__main__":
    main()
