"""What stands behind each port of storage, and which handler takes which queue."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from services.storage.adapters.days import PostgresDays
from services.storage.adapters.encoders import FileEncoders
from services.storage.adapters.erasures import PostgresErasures
from services.storage.adapters.exports import PostgresExports
from services.storage.adapters.handovers import PostgresHandovers
from services.storage.adapters.merging import ParquetMerger
from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.adapters.trail import AuditTrail
from services.storage.adapters.ubl import UblInvoices
from services.storage.adapters.withdrawals import PostgresWithdrawals
from services.storage.domain.layout import Layout, layout_of
from services.storage.handlers.collecting import catch_up_days, collect_strays, measure_tables
from services.storage.handlers.compacting import compact_days, prune_days
from services.storage.handlers.exporting import clear_exports, run_next_export
from services.storage.handlers.listing import catch_up
from services.storage.handlers.manifests import write_manifests
from services.storage.handlers.minding import mind_blobs, sweep_drafts
from services.storage.handlers.publishing import repair_outputs
from services.storage.handlers.reporting import report_erased
from services.storage.handlers.storing import finalise_documents, store_documents
from services.storage.handlers.withdrawing import withdraw_documents
from services.storage.ports import Ports
from services.storage.ports.days import DayPorts, Pace
from services.storage.ports.outlets import Limits, Outlets
from services.storage.settings import Settings
from shared import audit, limits
from shared.bus.waiting import until_beat
from shared.configuration.load import DEFAULT_FILE, load_configuration
from shared.errors import Retryable
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import FINALISE, STORAGE_WITHDRAW, STORE

# How often erasures are looked for that may be reported by now.
ERASURES_EVERY_S = 2.0

log = logging.getLogger(__name__)


def ports(runtime: Runtime[Settings]) -> Ports:
    return Ports(
        blobs=runtime.blobs,
        tables=ParquetTables(_layout(runtime.settings.extraction_config).compression),
        results=PostgresStoredResults(),
        withdrawals=PostgresWithdrawals(),
        erasures=PostgresErasures(),
        ledger=runtime.ledger,
        extraction_bytes_max=runtime.settings.extraction_bytes_max,
        layout=_layout(runtime.settings.extraction_config),
        index=PostgresResultIndex(runtime.pool),
        handovers=PostgresHandovers(runtime.pool),
        exports=PostgresExports(runtime.pool),
    )


@cache
def _layout(file: Path | None) -> Layout:
    return layout_of(load_configuration(file or DEFAULT_FILE).configuration.output)


def day_ports(runtime: Runtime[Settings]) -> DayPorts:
    settings, days = runtime.settings, PostgresDays()
    layout = _layout(settings.extraction_config)
    return DayPorts(
        blobs=runtime.blobs,
        days=days,
        leftovers=days,
        merger=ParquetMerger(layout.compression),
        ledger=runtime.ledger,
        clock=runtime.clock,
        layout=layout,
        scratch=settings.scratch_folder or Path(gettempdir()),
        pace=Pace(
            manifest_debounce_s=settings.manifest_debounce_s,
            compact_after_s=settings.compact_after_s,
            compact_quiet_s=settings.compact_quiet_s,
            compact_share=settings.compact_share,
            prune_after_days=settings.prune_after_days,
            stray_after_s=settings.stray_after_s,
        ),
    )


def outlets(runtime: Runtime[Settings]) -> Outlets:
    settings = runtime.settings
    return Outlets(
        blobs=runtime.blobs,
        ledger=runtime.ledger,
        index=PostgresResultIndex(runtime.pool),
        exports=PostgresExports(runtime.pool),
        handovers=PostgresHandovers(runtime.pool),
        encoders=FileEncoders(settings.scratch_folder),
        invoices=UblInvoices(),
        trail=AuditTrail(),
        clock=runtime.clock,
        limits=Limits(
            result_bytes_max=settings.extraction_bytes_max,
            page_results=settings.export_page_results,
            page_reads=settings.export_page_reads,
            lease_s=settings.export_lease_s,
            keep_s=settings.export_keep_s,
            open_max=settings.exports_open_max,
            streams_max=settings.export_streams_max,
            batch_max=settings.handover_batch_max,
            link_s_max=settings.link_max_s,
        ),
    )


def api(runtime: Runtime[Settings]) -> Coroutine[Any, Any, None]:
    # Here, because doors without an API load no web framework.
    from services.storage.api import build
    from shared.web.entrance import open_entrance
    from shared.web.server import serve_app

    settings = runtime.settings
    app = build(outlets(runtime), open_entrance(runtime.pool, settings, runtime.clock))
    stopping = runtime.lifetime.stopping
    return serve_app(app, settings, stopping)


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    use = ports(runtime)
    return (
        Consumption(STORE, many=partial(store_documents, use=use)),
        Consumption(FINALISE, many=partial(finalise_documents, use=use)),
        Consumption(STORAGE_WITHDRAW, many=partial(withdraw_documents, use=use)),
    )


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    blobs, settings, days = runtime.blobs, runtime.settings, day_ports(runtime)
    use = outlets(runtime)
    return {
        "exports": partial(do_forever, partial(run_next_export, use), settings.exports_every_s),
        "clearing": partial(do_forever, partial(clear_exports, use), settings.clear_every_s),
        "catching_up": partial(do_forever, partial(catch_up, use), settings.catch_up_every_s),
        "catching_up_days": partial(
            do_forever, partial(catch_up_days, days), settings.catch_up_every_s
        ),
        "repair_outputs": partial(repair_forever, runtime),
        "manifests": partial(
            do_forever, partial(write_manifests, days), settings.manifests_every_s
        ),
        "compaction": partial(
            do_forever, partial(compact_days, days), settings.compact_every_s
        ),
        "pruning": partial(do_forever, partial(prune_days, days), settings.compact_every_s),
        "measuring": partial(
            do_forever, partial(measure_tables, days), settings.compact_every_s
        ),
        "strays": partial(do_forever, partial(collect_strays, days), settings.compact_every_s),
        "erasures": partial(
            do_forever,
            partial(report_erased, days, PostgresErasures(), use.exports),
            ERASURES_EVERY_S,
        ),
        "mind_blobs": partial(mind_blobs, blobs, every_s=settings.mind_blobs_every_s),
        "sweep_drafts": partial(
            sweep_drafts,
            blobs,
            older_than_s=settings.drafts_older_than_s,
            every_s=settings.drafts_older_than_s / 24,
        ),
    }


async def repair_forever(runtime: Runtime[Settings]) -> None:
    use, settings = ports(runtime), runtime.settings
    while True:
        repaired = 0
        try:
            repaired = await repair_outputs(use, older_than_s=settings.repair_older_than_s)
        except Retryable as error:
            # What is away for us is away for the consumers too, and they say so.
            log.warning("outputs_not_repaired", extra={"cause": str(error)})
        if repaired:
            log.info("outputs_repaired", extra={"count": repaired})
        else:
            await asyncio.sleep(settings.repair_every_s)


async def do_forever(work: Callable[[], Awaitable[int]], every_s: float) -> None:
    """As long as there is something to do at once, else now and then."""
    while True:
        done = 0
        try:
            done = await work()
        except Retryable as error:
            log.warning("left_for_later", extra={"work": work_name(work), "cause": str(error)})
        if not done:
            await asyncio.sleep(until_beat(every_s))


def work_name(work: Callable[[], Awaitable[int]]) -> str:
    return str(work.func.__name__ if isinstance(work, partial) else work)


SERVICE = Service(
    name="storage",
    settings=Settings,
    migrations=(Path(__file__).parent / "migrations", limits.MIGRATIONS, audit.MIGRATIONS),
    consumptions=consumptions,
    tasks=tasks,
    api=api,
)
