"""Which engines there are, and how they become one: by the settings and the rules."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from math import inf

from services.extractor.adapters.einvoice import EInvoiceEngine, WhereThereMayBeOne
from services.extractor.adapters.offline import OfflineEngine
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.domain.reading import Reading, Scan
from services.extractor.domain.sightings import identities
from services.extractor.domain.trust.calibrators import ColdStart
from services.extractor.domain.trust.judging import Judge
from services.extractor.domain.vendors import Memory
from services.extractor.handlers.chain import Chain, Recall
from services.extractor.ports import Asking, Engine, Vendors
from services.extractor.ports.protection import Charge
from services.extractor.settings import Settings
from services.extractor.wiring.parsers import sandbox_of
from services.extractor.wiring.provider import engine_names, gemini_behind
from shared.checks.configured import rule_book
from shared.configuration.load import DEFAULT_FILE, Loaded, load_configuration
from shared.ledger.port import Ledger
from shared.ledger.together import Together, Turn

DIGEST_CHARS = 12


@asynccontextmanager
async def engines(settings: Settings) -> AsyncIterator[Mapping[str, Engine]]:
    """Each by its name, for whoever wants to know how well it reads. Nothing is remembered, and
    nobody guards the provider but whoever pays for it."""
    loaded = configuration_of(settings)
    async with sandbox_of(settings, loaded.configuration) as sandbox:
        provider = gemini_behind(Unguarded(), settings, loaded, sandbox)
        chain = chain_of(settings, loaded, sandbox, provider, _nothing_known)
        alone = (EInvoiceEngine(sandbox), OfflineEngine(sandbox), provider, chain)
        yield {one.name: one for one in alone if one is not None}


def configuration_of(settings: Settings) -> Loaded:
    return load_configuration(settings.extraction_config or DEFAULT_FILE)


def chain_of(
    settings: Settings,
    loaded: Loaded,
    sandbox: Sandbox,
    provider: Engine | None,
    recall: Recall,
) -> Chain:
    names = engine_names(settings, loaded.configuration)
    return Chain(
        einvoice=WhereThereMayBeOne(sandbox) if "einvoice" in names else None,
        offline=OfflineEngine(sandbox),
        provider=provider,
        judge=Judge(rule_book(loaded), loaded.digest[:DIGEST_CHARS], ColdStart()),
        recall=recall,
        rules_in_key="rules" in loaded.configuration.idempotency.key,
    )


def recall_from(ledger: Ledger, vendors: Vendors) -> Recall:
    """Whoever asks at the same time is answered by the same look."""
    together: Together[Asking, Memory] = Together(or_each_alone=True)

    async def look(turn: Turn[Asking]) -> Sequence[Memory]:
        asking = await turn.take()
        async with ledger.apart() as unit:
            return await vendors.recall_vendor(unit, asking)

    async def recall(scan: Scan, reading: Reading) -> Memory:
        asked = identities(reading)
        if not asked:
            return Memory()
        return await together(Asking(scan.owner_id, scan.document_id, asked), look)

    return recall


class Unguarded:
    """Implements `ports.Gate` for a single person at a terminal: every call passes."""

    @asynccontextmanager
    async def call(
        self, owner_id: str, estimate: Decimal, left_s: float = inf
    ) -> AsyncIterator[Charge]:
        yield Untold()


class Untold:
    def tell(self, cost: Decimal) -> None:
        """It stands in the reading's usage."""


async def _nothing_known(scan: Scan, reading: Reading) -> Memory:
    return Memory()
