"""What stands behind each port of the extractor, and which handler takes which queue."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import shared.limits
from services.extractor.adapters.conditions import tell_conditions
from services.extractor.adapters.leases import PostgresLeases
from services.extractor.adapters.offline import OfflineEngine
from services.extractor.adapters.own_readings import PostgresOwnReadings
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.adapters.vendors import PostgresVendors
from services.extractor.adapters.withdrawals import PostgresWithdrawals
from services.extractor.handlers import (
    extract_document,
    learn_from_decision,
    withdraw_documents,
)
from services.extractor.handlers.chain import Chain
from services.extractor.handlers.forget import keep_forgetting
from services.extractor.handlers.leasing import keep_renewing
from services.extractor.handlers.progress import keep_telling
from services.extractor.handlers.waiting import WaitingRoom
from services.extractor.ports import Ports
from services.extractor.settings import Settings
from services.extractor.wiring.engines import (
    chain_of,
    configuration_of,
    engines,
    recall_from,
)
from services.extractor.wiring.parsers import TURN_S, sandbox_of
from services.extractor.wiring.provider import gate_of, gemini_behind, options_of
from services.extractor.wiring.terms import model_time_s, queue_of, terms_of
from shared.configuration.load import Loaded
from shared.process.job_logs import with_log
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import EXTRACTOR_LEARN, EXTRACTOR_WITHDRAW

__all__ = ["SERVICE", "engines"]


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    settings = runtime.settings
    loaded = configuration_of(settings)
    sandbox = sandbox_of(settings, loaded.configuration, patience_s=TURN_S)
    vendors = PostgresVendors()
    use = Ports(
        blobs=runtime.blobs,
        engine=_engine(runtime, loaded, sandbox, vendors),
        processed=PostgresProcessedDocuments(),
        leases=PostgresLeases(),
        withdrawals=PostgresWithdrawals(),
        vendors=vendors,
        own_readings=PostgresOwnReadings(),
        ledger=runtime.ledger,
        terms=terms_of(settings, loaded.configuration),
        scan_bytes_max=settings.scan_bytes_max,
        result_bytes_max=settings.result_bytes_max,
    )
    for name, task in (
        ("forgetting", keep_forgetting(use)),
        ("renewing", keep_renewing(use)),
        ("telling", keep_telling(use)),
    ):
        runtime.lifetime.spawn(name, task)
    # Background work ends after the last handler: then no child is left.
    runtime.lifetime.spawn("parsers", sandbox.keep())
    extract = with_log(partial(extract_document, use=use), runtime.blobs)
    return (
        Consumption(queue_of(settings, loaded.configuration), one=extract),
        Consumption(EXTRACTOR_LEARN, one=partial(learn_from_decision, use=use)),
        Consumption(EXTRACTOR_WITHDRAW, many=partial(withdraw_documents, use=use)),
    )


def _engine(
    runtime: Runtime[Settings], loaded: Loaded, sandbox: Sandbox, vendors: PostgresVendors
) -> Chain:
    provider = waiting = None
    if runtime.settings.gemini_key() is not None:
        gate = gate_of(runtime, loaded.configuration)
        provider = gemini_behind(gate, runtime.settings, loaded, sandbox)
        waiting = _waiting_room(runtime, loaded)
    recall = recall_from(runtime.ledger, vendors)
    chain = chain_of(runtime.settings, loaded, sandbox, provider, recall)
    return replace(chain, waiting=waiting)


def _waiting_room(runtime: Runtime[Settings], loaded: Loaded) -> WaitingRoom:
    terms = terms_of(runtime.settings, loaded.configuration)
    return WaitingRoom(
        config=OfflineEngine.config,
        provider_s=model_time_s(terms, options_of(runtime.settings, loaded).deadline_s),
        readings=PostgresOwnReadings(),
        withdrawals=PostgresWithdrawals(),
        ledger=runtime.ledger,
    )


SERVICE = Service(
    name="extractor",
    settings=Settings,
    # The package's own folder is one below the service's.
    migrations=(Path(__file__).parents[1] / "migrations", shared.limits.MIGRATIONS),
    consumptions=consumptions,
    conditions=lambda runtime: tell_conditions(runtime.pool),
)
