"""What stands behind each port of the review service, and which handler takes which queue."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from services.review.adapters.decisions import PostgresDecisions
from services.review.adapters.forms import PostgresForms
from services.review.adapters.insight import PostgresInsight
from services.review.adapters.page_records import PostgresPageRecords
from services.review.adapters.painter.pooled import PainterLimits, PooledPainter
from services.review.adapters.queue import PostgresQueue
from services.review.adapters.review_items import PostgresReviewItems
from services.review.adapters.reviewers import PostgresReviewers
from services.review.adapters.trail import AuditTrail
from services.review.adapters.withdrawals import PostgresWithdrawals
from services.review.domain.ranking import Plan
from services.review.domain.rules import Rules
from services.review.domain.turns import Turns
from services.review.domain.wishes import Wishes
from services.review.handlers.ahead import keep_drawing_ahead
from services.review.handlers.approving import BATCH as APPROVED_AT_ONCE
from services.review.handlers.approving import approve_automatic
from services.review.handlers.drafts import AT_ONCE as COLLECTED_AT_ONCE
from services.review.handlers.drafts import collect_drafts
from services.review.handlers.drawn import keep_dropping
from services.review.handlers.minding import BATCH as MINDED_AT_ONCE
from services.review.handlers.minding import mind_queue, rank_anew
from services.review.handlers.opening import open_items
from services.review.handlers.recognising import BATCH as RECOGNISED_AT_ONCE
from services.review.handlers.recognising import rebuild_keys
from services.review.handlers.splitting import take_split_back
from services.review.handlers.withdrawing import withdraw_items
from services.review.ports import Limits, Ports
from services.review.ports.pages import PageLimits, PagePorts
from services.review.settings import Settings
from shared import audit, limits
from shared.bus.waiting import until_beat
from shared.checks.configured import rule_book
from shared.configuration.document import ExtractionConfiguration
from shared.configuration.engines import engines_here
from shared.configuration.load import DEFAULT_FILE, load_configuration
from shared.configuration.precedence import environment_first
from shared.errors import Retryable
from shared.observability.metrics import REVIEW_OLDEST_AGE, REVIEW_OPEN, REVIEW_OVERDUE
from shared.pages.limits import ShowLimits
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import REVIEW, REVIEW_SPLIT, REVIEW_WITHDRAW

HERE = Path(__file__).parent
# What a killed process or an older version left: nobody waits for it.
LEFT_BEHIND_EVERY_S = 60.0
# The plan of a process never changes, so its start is when ranks do. Later only a process with
# an older configuration can have written others, in the minutes of a deploy that go by; looking
# for them reads every open item, of which there may be a million.
RANKED_EVERY_S = 600.0

log = logging.getLogger(__name__)


def ports(runtime: Runtime[Settings], painter: PooledPainter | None = None) -> Ports:
    settings = runtime.settings
    return Ports(
        items=PostgresReviewItems(runtime.pool),
        withdrawals=PostgresWithdrawals(runtime.pool),
        decisions=PostgresDecisions(runtime.pool),
        forms=PostgresForms(runtime.pool),
        rules=_rules(settings),
        trail=AuditTrail(runtime.pool),
        blobs=runtime.blobs,
        ledger=runtime.ledger,
        pages=_pages(runtime, painter or _painter(settings)),
        queue=PostgresQueue(runtime.pool),
        reviewers=PostgresReviewers(runtime.pool),
        insight=PostgresInsight(runtime.pool),
        clock=runtime.clock,
        limits=Limits(
            claim_lease_s=settings.claim_lease_s,
            extraction_bytes_max=settings.extraction_bytes_max,
            extraction_reads_max=settings.extraction_reads_max,
            undo_s=settings.undo_s,
            reextract_wait_s=settings.reextract_wait_s,
            away_after_s=settings.reviewer_away_after_s,
        ),
        plan=_plan(settings),
        engines=engines(settings),
    )


def engines(settings: Settings) -> Sequence[str]:
    """Those the extractor has: it is told by the same words."""
    return engines_here(settings.engines, _told(settings).engines)


def _painter(settings: Settings) -> PooledPainter:
    """Starts nothing before it is asked for something."""
    return PooledPainter(
        PainterLimits(
            read=ShowLimits(
                pages=settings.page_numbers_max,
                chars=settings.page_chars_max,
                pixels=settings.page_pixels_max,
            ),
            memory_bytes=settings.painter_memory_bytes_max,
            cpu_s=settings.painter_cpu_s,
            wall_s=settings.painter_wall_s,
            at_once=settings.painters_max,
            idle_s=settings.painter_idle_s,
        )
    )


def _pages(runtime: Runtime[Settings], painter: PooledPainter) -> PagePorts:
    settings = runtime.settings
    return PagePorts(
        painter=painter,
        records=PostgresPageRecords(runtime.pool),
        turns=Turns(
            settings.painters_max,
            patience_s=settings.page_patience_s,
            refusal_s=settings.page_refusal_s,
        ),
        wishes=Wishes(),
        limits=PageLimits(
            content_bytes_max=settings.page_content_bytes_max,
            drawn_bytes_max=settings.drawn_bytes_max,
            unused_s=settings.drawn_unused_s,
        ),
    )


def _rules(settings: Settings) -> Rules:
    return _compiled(settings.extraction_config or DEFAULT_FILE)


@cache
def _compiled(file: Path) -> Rules:
    """Once: the doors of a process go by the same rules."""
    loaded = load_configuration(file)
    return Rules(rule_book(loaded), loaded.configuration.fields)


def _plan(settings: Settings) -> Plan:
    configuration = _told(settings)
    review = configuration.review
    enabled = environment_first(
        settings, "straight_through", otherwise=review.straight_through.enabled
    )
    passing = review.straight_through.model_copy(update={"enabled": enabled})
    critical = {
        path: rules.critical == "always"
        for path, rules in configuration.fields.items()
        if rules.critical != "never"
    }
    return Plan(review.model_copy(update={"straight_through": passing}), critical)


def _told(settings: Settings) -> ExtractionConfiguration:
    return _configuration(settings.extraction_config or DEFAULT_FILE)


@cache
def _configuration(file: Path) -> ExtractionConfiguration:
    """Read once: the doors of a process go by the same file."""
    return load_configuration(file).configuration


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    use = ports(runtime)
    return (
        Consumption(REVIEW, many=partial(open_items, use=use)),
        Consumption(REVIEW_SPLIT, one=partial(take_split_back, use=use)),
        Consumption(REVIEW_WITHDRAW, many=partial(withdraw_items, use=use)),
    )


def api(runtime: Runtime[Settings]) -> Coroutine[Any, Any, None]:
    # Here, because doors without an API load no web framework.
    from services.review.api import build
    from shared.web.entrance import open_entrance
    from shared.web.server import serve_app

    settings, painter = runtime.settings, _painter(runtime.settings)
    use = ports(runtime, painter)
    # Background work ends after the last request: then no child is left.
    runtime.lifetime.spawn("painters", painter.keep())
    runtime.lifetime.spawn("drawing-ahead", keep_drawing_ahead(use))
    entrance = open_entrance(runtime.pool, settings, runtime.clock)
    app = build(use, entrance, sign_in_url=settings.sign_in_url)
    stopping = runtime.lifetime.stopping
    return serve_app(app, settings, stopping)


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    every_s, swept_s = runtime.settings.mind_queue_every_s, runtime.settings.drawn_sweep_every_s
    mind = partial(mind_forever, runtime)
    return {
        "dropping": partial(keep_dropping, ports(runtime), every_s=swept_s),
        "collecting": partial(mind, collect_drafts, COLLECTED_AT_ONCE, LEFT_BEHIND_EVERY_S),
        "gauges": partial(measure_forever, runtime),
        "minding": partial(mind, mind_queue, MINDED_AT_ONCE, every_s),
        "ranking": partial(mind, rank_anew, MINDED_AT_ONCE, RANKED_EVERY_S),
        "recognising": partial(mind, rebuild_keys, RECOGNISED_AT_ONCE, LEFT_BEHIND_EVERY_S),
        "approving": partial(mind, approve_automatic, APPROVED_AT_ONCE, every_s),
    }


async def mind_forever(
    runtime: Runtime[Settings],
    work: Callable[[Ports], Awaitable[int]],
    at_once: int,
    every_s: float,
) -> None:
    """As long as a round finds a whole batch at once, else now and then."""
    use = ports(runtime)
    while True:
        done, wait_s = 0, every_s
        try:
            done = await work(use)
        except Retryable as error:
            # What is done rarely must not wait so long because the database was away once.
            wait_s = min(every_s, LEFT_BEHIND_EVERY_S)
            told = {"work": getattr(work, "__name__", ""), "reason": str(error)}
            log.warning("queue_not_minded", extra=told)
        if done < at_once:
            await asyncio.sleep(until_beat(wait_s))


async def measure_forever(runtime: Runtime[Settings]) -> None:
    insight = PostgresInsight(runtime.pool)
    while True:
        try:
            measured = await insight.measure_queue()
            REVIEW_OPEN.set(measured.open_items)
            REVIEW_OVERDUE.set(measured.overdue_items)
            REVIEW_OLDEST_AGE.set(measured.oldest_age_s)
        except Retryable as error:
            # Only the gauges stand still; readiness tells what is away.
            log.warning("gauges_not_measured", extra={"reason": str(error)})
        await asyncio.sleep(runtime.settings.gauges_every_s)


SERVICE = Service(
    name="review",
    settings=Settings,
    migrations=(HERE / "migrations", limits.MIGRATIONS, audit.MIGRATIONS),
    consumptions=consumptions,
    tasks=tasks,
    api=api,
)
