"""What stands behind each port of the extractor, and which handler takes which queue."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import shared.limits
from services.extractor.adapters.leases import PostgresLeases
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.adapters.vendors import PostgresVendors
from services.extractor.adapters.withdrawals import PostgresWithdrawals
from services.extractor.handlers import extract_document, withdraw_documents
from services.extractor.handlers.chain import Chain
from services.extractor.handlers.forget import keep_forgetting
from services.extractor.ports import Ports, Terms
from services.extractor.settings import Settings
from services.extractor.wiring.engines import (
    chain_of,
    configuration_of,
    engines,
    recall_from,
)
from services.extractor.wiring.parsers import TURN_S, sandbox_of
from services.extractor.wiring.provider import gate_of, gemini_behind
from shared.process.job_logs import with_log
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import EXTRACT, EXTRACTOR_WITHDRAW

__all__ = ["SERVICE", "engines"]


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    settings = runtime.settings
    sandbox = sandbox_of(settings, patience_s=TURN_S)
    vendors = PostgresVendors()
    use = Ports(
        blobs=runtime.blobs,
        engine=_engine(runtime, sandbox, vendors),
        processed=PostgresProcessedDocuments(),
        leases=PostgresLeases(),
        withdrawals=PostgresWithdrawals(),
        vendors=vendors,
        ledger=runtime.ledger,
        terms=Terms(settings.cache_ttl_s, settings.lease_s, settings.refusal_s),
        scan_bytes_max=settings.scan_bytes_max,
    )
    runtime.lifetime.spawn("forgetting", keep_forgetting(use))
    # Background work ends after the last handler: then no child is left.
    runtime.lifetime.spawn("parsers", sandbox.keep())
    extract = with_log(partial(extract_document, use=use), runtime.blobs)
    return (
        Consumption(replace(EXTRACT, slots=settings.extract_slots), one=extract),
        Consumption(EXTRACTOR_WITHDRAW, many=partial(withdraw_documents, use=use)),
    )


def _engine(runtime: Runtime[Settings], sandbox: Sandbox, vendors: PostgresVendors) -> Chain:
    loaded = configuration_of(runtime.settings)
    provider = None
    if runtime.settings.gemini_key() is not None:
        gate = gate_of(runtime, loaded.configuration)
        provider = gemini_behind(gate, runtime.settings, loaded, sandbox)
    recall = recall_from(runtime.ledger, vendors)
    return chain_of(runtime.settings, loaded, sandbox, provider, recall)


SERVICE = Service(
    name="extractor",
    settings=Settings,
    # The package's own folder is one below the service's.
    migrations=(Path(__file__).parents[1] / "migrations", shared.limits.MIGRATIONS),
    consumptions=consumptions,
)
