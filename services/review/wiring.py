"""What stands behind each port of the review service, and which handler takes which queue."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from services.review.adapters.review_items import PostgresReviewItems
from services.review.adapters.trail import AuditTrail
from services.review.adapters.withdrawals import PostgresWithdrawals
from services.review.handlers.opening import open_items
from services.review.handlers.withdrawing import withdraw_items
from services.review.ports import Limits, Ports
from services.review.settings import Settings
from shared import audit, limits
from shared.errors import Retryable
from shared.observability.metrics import REVIEW_OLDEST_AGE, REVIEW_OPEN
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import REVIEW, REVIEW_WITHDRAW

HERE = Path(__file__).parent

log = logging.getLogger(__name__)


def ports(runtime: Runtime[Settings]) -> Ports:
    settings = runtime.settings
    return Ports(
        items=PostgresReviewItems(runtime.pool),
        withdrawals=PostgresWithdrawals(runtime.pool),
        trail=AuditTrail(runtime.pool),
        blobs=runtime.blobs,
        ledger=runtime.ledger,
        limits=Limits(
            claim_lease_s=settings.claim_lease_s,
            extraction_bytes_max=settings.extraction_bytes_max,
            extraction_reads_max=settings.extraction_reads_max,
        ),
    )


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    use = ports(runtime)
    return (
        Consumption(REVIEW, many=partial(open_items, use=use)),
        Consumption(REVIEW_WITHDRAW, many=partial(withdraw_items, use=use)),
    )


def api(runtime: Runtime[Settings]) -> Coroutine[Any, Any, None]:
    # Here, because doors without an API load no web framework.
    from services.review.api import build
    from shared.web.entrance import open_entrance
    from shared.web.server import serve_app

    settings = runtime.settings
    app = build(ports(runtime), open_entrance(runtime.pool, settings, runtime.clock))
    stopping = runtime.lifetime.stopping
    return serve_app(app, settings.host, settings.api_port, stopping)


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    return {"gauges": partial(measure_forever, runtime)}


async def measure_forever(runtime: Runtime[Settings]) -> None:
    items = PostgresReviewItems(runtime.pool)
    while True:
        try:
            open_count, oldest_age_s = await items.measure_queue()
            REVIEW_OPEN.set(open_count)
            REVIEW_OLDEST_AGE.set(oldest_age_s)
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
