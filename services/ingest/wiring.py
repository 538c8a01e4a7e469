"""What stands behind each port of ingest, and which handler takes which queue."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shared.access
import shared.audit
import shared.limits
from services.ingest.adapters.batches import PostgresBatches
from services.ingest.adapters.documents import PostgresDocuments
from services.ingest.adapters.endings import PostgresContents, PostgresEndings
from services.ingest.adapters.releases import PostgresReleases
from services.ingest.adapters.sweeps import PostgresSweeps
from services.ingest.adapters.timelines import PostgresTimelines
from services.ingest.adapters.trail import AuditTrail
from services.ingest.domain.sweeping import Patience
from services.ingest.handlers import record_facts, submit_documents
from services.ingest.handlers.follow import Feed
from services.ingest.handlers.release import Bell, keep_releasing
from services.ingest.handlers.sweep import keep_sweeping
from services.ingest.ports import Ports
from services.ingest.settings import Settings
from shared.access.access import Access
from shared.access.sessions import Sessions
from shared.limits.keyed import KeyedBuckets
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import STATUS, SUBMIT

if TYPE_CHECKING:
    from services.ingest.api import Front

MIGRATIONS = Path(__file__).parent / "migrations"
ACCESS_MIGRATIONS = Path(shared.access.__file__).parent / "migrations"
# One per process: its API and its consumers ring, its releaser hears.
BELL = Bell()


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

    feed = Feed(PostgresTimelines(runtime.pool), streams_max=runtime.settings.event_streams_max)
    runtime.lifetime.spawn("event-feed", feed.run(runtime.lifetime.stopping))
    app = build(
        _ports(runtime),
        Access(runtime.pool),
        _front(runtime, feed),
        upload_s=runtime.settings.upload_s,
        requests_max=runtime.settings.requests_max,
    )
    settings = runtime.settings
    stopping = runtime.lifetime.stopping
    return serve_app(app, settings.host, settings.api_port, stopping)


def _front(runtime: Runtime[Settings], feed: Feed) -> "Front":
    from services.ingest.api import Front
    from shared.web.cursors import Cursors

    settings = runtime.settings
    return Front(
        cursors=Cursors(settings.cursor_secret.get_secret_value()),
        feed=feed,
        sessions=Sessions(runtime.pool),
        rates=KeyedBuckets(
            runtime.pool, rate_per_s=settings.key_rate_per_s, burst=settings.key_burst
        ),
        review_url=settings.review_url,
    )


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    use, settings = _ports(runtime), runtime.settings
    patience = Patience(
        queued_stale_s=settings.queued_stale_s,
        processing_stale_s=settings.processing_stale_s,
        sweep_every_s=settings.sweep_every_s,
    )
    return {
        "releaser": partial(keep_releasing, use, BELL, every_s=settings.release_poll_s),
        "sweeper": partial(keep_sweeping, use, patience, also=[Sessions(runtime.pool).purge]),
    }


def _ports(runtime: Runtime[Settings]) -> Ports:
    return Ports(
        documents=PostgresDocuments(runtime.pool),
        endings=PostgresEndings(),
        contents=PostgresContents(),
        trail=AuditTrail(),
        releases=PostgresReleases(
            runtime.pool,
            window=runtime.settings.pipeline_window,
            place_s=runtime.settings.queued_stale_s,
        ),
        sweeps=PostgresSweeps(runtime.pool),
        batches=PostgresBatches(runtime.pool, at_once=runtime.settings.max_concurrent_tasks),
        ring=BELL.ring,
        blobs=runtime.blobs,
        ledger=runtime.ledger,
        clock=runtime.clock,
        upload_bytes_max=runtime.settings.upload_bytes_max,
        idempotency_ttl_s=runtime.settings.idempotency_ttl_s,
    )


SERVICE = Service(
    name="ingest",
    settings=Settings,
    migrations=(MIGRATIONS, shared.limits.MIGRATIONS, shared.audit.MIGRATIONS),
    consumptions=consumptions,
    tasks=tasks,
    api=api,
    # Every service reads the keys; only this one writes and migrates them.
    extra_schemas={"access": (ACCESS_MIGRATIONS,)},
)
