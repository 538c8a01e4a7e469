"""What stands behind each port of the extractor, and which handler takes which queue."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from services.extractor.adapters.leases import PostgresLeases
from services.extractor.adapters.offline import OfflineEngine
from services.extractor.adapters.parser.sandbox import Sandbox, SandboxLimits
from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.adapters.withdrawals import PostgresWithdrawals
from services.extractor.handlers import extract_document, withdraw_documents
from services.extractor.handlers.forget import keep_forgetting
from services.extractor.ports import Engine, Ports, Terms
from services.extractor.settings import Settings
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import EXTRACT, EXTRACTOR_WITHDRAW


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    use = _ports(runtime)
    return (
        Consumption(EXTRACT, one=partial(extract_document, use=use)),
        Consumption(EXTRACTOR_WITHDRAW, many=partial(withdraw_documents, use=use)),
    )


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    return {"forgetting": partial(keep_forgetting, _ports(runtime))}


@asynccontextmanager
async def engines(settings: Settings) -> AsyncIterator[Mapping[str, Engine]]:
    """Each engine by its name, for whoever wants to know how well it reads."""
    offline = OfflineEngine(_sandbox(settings))
    yield {offline.name: offline}


def _sandbox(settings: Settings) -> Sandbox:
    limits = SandboxLimits(
        memory_bytes=settings.parser_memory_bytes_max,
        cpu_s=settings.parser_cpu_s,
        wall_s=settings.parser_wall_s,
        pages=settings.parser_pages_max,
        chars=settings.parser_chars_max,
        at_once=settings.parsers_max,
    )
    return Sandbox(limits)


def _ports(runtime: Runtime[Settings]) -> Ports:
    settings = runtime.settings
    return Ports(
        blobs=runtime.blobs,
        engine=OfflineEngine(_sandbox(settings)),
        processed=PostgresProcessedDocuments(),
        leases=PostgresLeases(),
        withdrawals=PostgresWithdrawals(),
        ledger=runtime.ledger,
        terms=Terms(settings.cache_ttl_s, settings.lease_s, settings.refusal_s),
        scan_bytes_max=settings.scan_bytes_max,
    )


SERVICE = Service(
    name="extractor",
    settings=Settings,
    migrations=(Path(__file__).parent / "migrations",),
    consumptions=consumptions,
    tasks=tasks,
)
