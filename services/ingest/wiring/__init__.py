"""What stands behind each port of ingest, and which handler takes which queue."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shared.access
import shared.audit
import shared.limits
from services.ingest.adapters.batches import PostgresBatches, PostgresStandings
from services.ingest.adapters.courier_when_needed import CourierWhenNeeded
from services.ingest.adapters.deliveries import PostgresDeliveries
from services.ingest.adapters.documents import PostgresDocuments
from services.ingest.adapters.endings import PostgresContents, PostgresEndings
from services.ingest.adapters.erasing import PostgresErasures, PostgresOrphans
from services.ingest.adapters.quotas import PostgresQuotas
from services.ingest.adapters.releases import PostgresReleases
from services.ingest.adapters.retention import PostgresRetention
from services.ingest.adapters.splitting import PostgresSplits
from services.ingest.adapters.sweeps import PostgresSweeps
from services.ingest.adapters.timelines import PostgresTimelines
from services.ingest.adapters.trail import AuditTrail
from services.ingest.adapters.webhooks import PostgresDeliveryLog, PostgresWebhooks
from services.ingest.domain.addresses import Policy, networks_of
from services.ingest.domain.erasing import OrphanRules
from services.ingest.domain.retention import rules_of
from services.ingest.domain.sweeping import Patience
from services.ingest.domain.webhooks import Secrets
from services.ingest.handlers import (
    record_facts,
    reextract_document,
    split_document,
    submit_documents,
)
from services.ingest.handlers.advance import keep_advancing
from services.ingest.handlers.deliver import keep_delivering, keep_measuring
from services.ingest.handlers.erase import erase_orphans, keep_erasing
from services.ingest.handlers.follow import Feed
from services.ingest.handlers.release import Bell, keep_releasing
from services.ingest.handlers.retain import Keeping, expire_documents
from services.ingest.handlers.sweep import keep_measuring_sweeps, keep_sweeping
from services.ingest.ports import Ports, WebhookRules
from services.ingest.ports.webhooks import Courier, Sending
from services.ingest.settings import Settings
from services.ingest.wiring.opening import archives, cutter, unlocker
from shared.access.sessions import Sessions
from shared.blobs.open import open_sources
from shared.blobs.source import named_sources
from shared.configuration.document import ExtractionConfiguration
from shared.configuration.load import DEFAULT_FILE, load_configuration
from shared.configuration.precedence import environment_first
from shared.process.runtime import Consumption, Runtime, Service, looks_every_s
from shared.topology.queues import REEXTRACT, SPLIT, STATUS, SUBMIT

if TYPE_CHECKING:
    from services.ingest.api import Front
    from shared.web.entrance import Entrance

MIGRATIONS = Path(__file__).parents[1] / "migrations"
ACCESS_MIGRATIONS = Path(shared.access.__file__).parent / "migrations"
DAY_S = 86_400.0
# What is left of a delivery's lease after the longest attempt.
SETTLED_WITHIN_S = 30.0
MEASURED_EVERY_S = 15.0
# One per process: its API and its consumers ring, its releaser hears.
BELL = Bell()
# The same for its eraser.
ERASER_BELL = Bell()
# A look at a batch is a look at all of its documents: less often, and fewer may watch.
BATCH_FEED_EVERY_S = 1.0
BATCH_STREAMS_ONE_IN = 10


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    use = _ports(runtime)
    return (
        Consumption(SUBMIT, many=partial(submit_documents, use=use)),
        Consumption(REEXTRACT, one=partial(reextract_document, use=use)),
        Consumption(SPLIT, one=partial(split_document, use=use)),
        Consumption(STATUS, many=partial(record_facts, use=use)),
    )


def api(runtime: Runtime[Settings]) -> Coroutine[Any, Any, None]:
    # Here, because doors without an API load no web framework.
    from services.ingest.api import build
    from shared.web.entrance import open_entrance
    from shared.web.server import serve_app

    feed = Feed(PostgresTimelines(runtime.pool), streams_max=runtime.settings.event_streams_max)
    runtime.lifetime.spawn("event-feed", feed.run(runtime.lifetime.stopping))
    batch_feed = Feed(
        PostgresStandings(runtime.pool),
        every_s=BATCH_FEED_EVERY_S,
        streams_max=max(runtime.settings.event_streams_max // BATCH_STREAMS_ONE_IN, 1),
    )
    runtime.lifetime.spawn("batch-feed", batch_feed.run(runtime.lifetime.stopping))
    entrance = open_entrance(
        runtime.pool, runtime.settings, runtime.clock, runtime.settings.openid_client()
    )
    app = build(
        _ports(runtime),
        entrance.authenticator,
        _front(runtime, entrance, feed, batch_feed),
        upload_s=runtime.settings.upload_s,
        requests_max=runtime.settings.requests_max,
    )
    return serve_app(app, runtime.settings, runtime.lifetime.stopping)


def _front(
    runtime: Runtime[Settings], entrance: "Entrance", feed: Feed, batch_feed: Feed
) -> "Front":
    from services.ingest.api import Front

    settings = runtime.settings
    return Front(
        cursors=entrance.cursors,
        feed=feed,
        batch_feed=batch_feed,
        batch_bytes_max=settings.batch_bytes_max,
        batch_s=settings.batch_s,
        archive_bytes_max=settings.archive_bytes_max,
        detail_cache_ttl_s=settings.detail_cache_ttl_s,
        detail_cache_bytes_max=settings.detail_cache_bytes_max,
        sessions=entrance.sessions,
        rates=entrance.rates,
        quotas=PostgresQuotas(runtime.pool),
        provider=entrance.provider,
        sign_ins=entrance.sign_ins,
        sign_in_label=settings.oidc_label,
        key_sign_in=settings.keys_sign_in(),
        audit=entrance.audit,
        review_url=settings.review_url,
        console_url=settings.console_url,
        keeping=_keeping(settings),
    )


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    use, settings = _ports(runtime), runtime.settings
    patience = Patience(
        queued_stale_s=settings.queued_stale_s,
        processing_stale_s=settings.processing_stale_s,
        sweep_every_s=settings.sweep_every_s,
        lost_after_s=settings.lost_after_s,
    )
    deliveries, keeping = _deliveries(runtime), _keeping(settings)
    release_s = looks_every_s(runtime.door, settings.release_poll_s)
    return {
        "releaser": partial(keep_releasing, use, BELL, every_s=release_s),
        "advancer": partial(keep_advancing, use, every_s=settings.advance_every_s),
        "sweeper": partial(
            keep_sweeping,
            use,
            patience,
            also=[
                Sessions(runtime.pool).purge,
                PostgresQuotas(runtime.pool).purge,
                partial(deliveries.purge_deliveries, settings.webhook_log_days * DAY_S),
                partial(erase_orphans, use, _orphan_rules(settings)),
                *([partial(expire_documents, use, keeping)] if keeping else []),
            ],
        ),
        "sweeps-measured": partial(keep_measuring_sweeps, use, every_s=MEASURED_EVERY_S),
        "eraser": partial(keep_erasing, use, ERASER_BELL, every_s=settings.erase_poll_s),
        "webhooks": partial(
            keep_delivering, _sending(runtime, deliveries), runtime.lifetime.stopping
        ),
        "webhooks-age": partial(keep_measuring, deliveries, every_s=MEASURED_EVERY_S),
    }


def _ports(runtime: Runtime[Settings]) -> Ports:
    return Ports(
        documents=PostgresDocuments(runtime.pool),
        endings=PostgresEndings(),
        contents=PostgresContents(),
        erasures=PostgresErasures(runtime.pool),
        orphans=PostgresOrphans(runtime.pool),
        trail=AuditTrail(),
        retention=PostgresRetention(),
        releases=PostgresReleases(
            runtime.pool,
            window=runtime.settings.pipeline_window,
            place_s=runtime.settings.queued_stale_s,
        ),
        sweeps=PostgresSweeps(runtime.pool),
        batches=PostgresBatches(runtime.pool, at_once=batch_at_once(runtime.settings)),
        webhooks=PostgresWebhooks(runtime.pool),
        delivery_log=PostgresDeliveryLog(runtime.pool),
        webhook_rules=_webhook_rules(runtime.settings),
        ring=BELL.ring,
        wake_eraser=ERASER_BELL.ring,
        blobs=runtime.blobs,
        unlocker=unlocker(runtime.settings),
        cutter=cutter(runtime.settings),
        splits=PostgresSplits(runtime.pool),
        archives=archives(runtime.settings),
        ledger=runtime.ledger,
        clock=runtime.clock,
        upload_bytes_max=runtime.settings.upload_bytes_max,
        idempotency_ttl_s=runtime.settings.idempotency_ttl_s,
        sources=open_sources(
            named_sources(runtime.settings.source_buckets), runtime.settings.blob_options()
        ),
    )


def batch_at_once(settings: Settings) -> int:
    told = _configuration(settings.extraction_config or DEFAULT_FILE).processing
    return environment_first(settings, "max_concurrent_tasks", told.max_concurrent_tasks)


@cache
def _configuration(file: Path) -> ExtractionConfiguration:
    """Once for all doors of the process: it is the same file for each."""
    return load_configuration(file).configuration


def _orphan_rules(settings: Settings) -> OrphanRules:
    return OrphanRules(
        after_s=settings.orphan_after_s,
        keys_max=settings.orphan_keys_max,
        sweep_every_s=settings.sweep_every_s,
    )


def _keeping(settings: Settings) -> Keeping | None:
    """None when the configuration says nothing of how long documents are kept."""
    retention = _configuration(settings.extraction_config or DEFAULT_FILE).retention
    if retention is None:
        return None
    return Keeping(
        rules_of(retention),
        dry_run=settings.retention_dry_run,
        erased_max=settings.retention_erased_max,
    )


def _webhook_rules(settings: Settings) -> WebhookRules:
    policy = Policy(
        allowed=networks_of(settings.webhook_allowed_networks),
        plain_http=settings.webhook_plain_http or settings.environment == "local",
    )
    return WebhookRules(
        policy=policy,
        secrets=Secrets(settings.webhook_secret.get_secret_value()),
        webhooks_max=settings.webhooks_max,
        overlap_s=settings.webhook_overlap_s,
    )


def _deliveries(runtime: Runtime[Settings]) -> PostgresDeliveries:
    settings = runtime.settings
    return PostgresDeliveries(
        runtime.pool,
        at_once=settings.webhook_at_once,
        lease_s=settings.webhook_timeout_s + SETTLED_WITHIN_S,
        failing_s=settings.webhook_failing_s,
    )


def _sending(runtime: Runtime[Settings], deliveries: PostgresDeliveries) -> Sending:
    settings = runtime.settings
    rules = _webhook_rules(settings)
    return Sending(
        deliveries=deliveries,
        courier=CourierWhenNeeded(partial(_courier, rules.policy, settings.webhook_timeout_s)),
        secrets=rules.secrets,
        clock=runtime.clock,
        slots=settings.webhook_slots,
        attempts_max=settings.webhook_attempts_max,
        poll_s=settings.webhook_poll_s,
    )


def _courier(policy: Policy, timeout_s: float) -> Courier:
    # Not for the wiring: it loads a client for HTTP.
    from services.ingest.adapters.courier import HttpCourier

    return HttpCourier(policy, timeout_s=timeout_s)


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
