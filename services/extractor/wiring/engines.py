"""Which engines there are, and how they become one: by the settings and the rules."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from services.extractor.adapters.einvoice import EInvoiceEngine
from services.extractor.adapters.offline import OfflineEngine
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.adapters.rule_book import rule_book
from services.extractor.adapters.vendors import PostgresVendors
from services.extractor.domain.reading import Reading, Scan
from services.extractor.domain.trust.calibrators import ColdStart
from services.extractor.domain.trust.judging import Judge
from services.extractor.domain.vendors import Memory, vendor_key
from services.extractor.handlers.chain import Chain, Recall
from services.extractor.ports import Engine
from services.extractor.settings import Settings
from services.extractor.wiring.parsers import sandbox_of
from shared.configuration.load import DEFAULT_FILE, load_configuration
from shared.ledger.port import Ledger

DIGEST_CHARS = 12


@asynccontextmanager
async def engines(settings: Settings) -> AsyncIterator[Mapping[str, Engine]]:
    """Each by its name, for whoever wants to know how well it reads. Nothing is remembered."""
    async with sandbox_of(settings) as sandbox:
        chain = chain_of(settings, sandbox, _nothing_known)
        alone = (EInvoiceEngine(sandbox), OfflineEngine(sandbox))
        yield {one.name: one for one in (*alone, chain)}


def chain_of(settings: Settings, sandbox: Sandbox, recall: Recall) -> Chain:
    loaded = load_configuration(settings.extraction_config or DEFAULT_FILE)
    return Chain(
        einvoice=EInvoiceEngine(sandbox),
        offline=OfflineEngine(sandbox),
        provider=None,
        judge=Judge(rule_book(loaded), loaded.digest[:DIGEST_CHARS], ColdStart()),
        recall=recall,
    )


def recall_from(ledger: Ledger, vendors: PostgresVendors) -> Recall:
    async def recall(scan: Scan, reading: Reading) -> Memory:
        vendor = vendor_key(reading)
        if vendor is None:
            return Memory()
        async with ledger.unit() as unit:
            return await vendors.recall_vendor(unit, scan.owner_id, vendor, scan.document_id)

    return recall


async def _nothing_known(scan: Scan, reading: Reading) -> Memory:
    return Memory()
