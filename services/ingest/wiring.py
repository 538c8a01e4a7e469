"""What stands behind each port of ingest, and which handler takes which queue."""

from collections.abc import Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import shared.access
from services.ingest.adapters.documents import PostgresDocuments
from services.ingest.handlers import record_facts, submit_documents
from services.ingest.ports import Ports
from services.ingest.settings import Settings
from shared.access.access import Access
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import STATUS, SUBMIT

MIGRATIONS = Path(__file__).parent / "migrations"
ACCESS_MIGRATIONS = Path(shared.access.__file__).parent / "migrations"


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    use = _ports(runtime)
    return (
        Consumption(SUBMIT, many=partial(submit_documents, use=use)),
        Consumption(STATUS, many=partial(record_facts, use=use)),
    )


def api(runtime: Runtime[Settings]) -> Coroutine[Any, Any, None]:
    # Here, because doors without an API load no web framework.
    from services.ingest.api import build
    from shared.web.server import serve_app

    app = build(
        _ports(runtime),
        Access(runtime.pool),
        upload_s=runtime.settings.upload_s,
        requests_max=runtime.settings.requests_max,
    )
    settings = runtime.settings
    stopping = runtime.lifetime.stopping
    return serve_app(app, settings.host, settings.api_port, stopping)


def _ports(runtime: Runtime[Settings]) -> Ports:
    return Ports(
        documents=PostgresDocuments(runtime.pool),
        blobs=runtime.blobs,
        ledger=runtime.ledger,
        clock=runtime.clock,
        upload_bytes_max=runtime.settings.upload_bytes_max,
        idempotency_ttl_s=runtime.settings.idempotency_ttl_s,
    )


SERVICE = Service(
    name="ingest",
    settings=Settings,
    migrations=(MIGRATIONS,),
    consumptions=consumptions,
    api=api,
    # Every service reads the keys; only this one writes and migrates them.
    extra_schemas={"access": (ACCESS_MIGRATIONS,)},
)
