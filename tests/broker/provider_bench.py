"""The real client of a provider behind the real gate, and a double of the provider's API.

Replicas share the rows of one schema and nothing else, as processes do.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from uuid import uuid4

from services.extractor.adapters.breaker import PostgresBreaker
from services.extractor.adapters.gemini import GeminiOptions, Price, gemini_engine
from services.extractor.adapters.gemini.engine import GeminiEngine
from services.extractor.adapters.model_rate import model_rate
from services.extractor.adapters.spending import PostgresSpending
from services.extractor.domain.protection import BreakerTerms, CallTerms, Ceilings
from services.extractor.domain.reading import Reading, Scan
from services.extractor.handlers.protection import Guards, ProviderGate
from services.extractor.ports.protection import Pauses
from shared.database.pool import Pool
from tests import builders
from tests.fakes.extractor import unwatched
from tests.fakes.providers import FakePauses
from tests.gemini_double.server import GeminiDouble

MODEL = "gemini-3.8-flash"
PRICE = Price(Decimal("0.75"), Decimal("0.075"), Decimal("3.75"))
# What the double says of a content for which it was given no other words.
SAID = {"invoice_number": {"quote": "R-2026-0815", "value": "R-2026-0815"}}


@dataclass(slots=True)
class ProviderTerms:
    """As an operator would set them, but with waits that a test can see the end of."""

    breaker: BreakerTerms = field(
        default_factory=lambda: BreakerTerms(recovery_timeout_s=0.5, patience_s=900)
    )
    calls: CallTerms = field(default_factory=lambda: CallTerms("gemini", nap_s_max=0.2))
    ceilings: Ceilings = field(default_factory=Ceilings)
    calls_per_s: float = 1000.0


@asynccontextmanager
async def engine_behind_gate(
    pool: Pool, double: GeminiDouble, terms: ProviderTerms, pauses: Pauses | None = None
) -> AsyncIterator[GeminiEngine]:
    guards = Guards(
        PostgresBreaker(pool, "gemini", terms.breaker),
        model_rate(pool, MODEL, terms.calls_per_s),
        PostgresSpending(pool, terms.ceilings),
        pauses or FakePauses(),
    )
    options = GeminiOptions(MODEL, PRICE, base_url=double.url, deadline_s=20)
    engine = gemini_engine(options, "not-a-key", ProviderGate(guards, terms.calls))
    try:
        yield engine
    finally:
        await engine.close()


def scan_of(content: bytes) -> Scan:
    digest = sha256(content).hexdigest()
    return Scan(uuid4(), builders.OWNER, digest, "application/pdf", content)


async def read(engine: GeminiEngine, content: bytes = builders.PDF) -> Reading:
    return await engine.read(scan_of(content), unwatched)
