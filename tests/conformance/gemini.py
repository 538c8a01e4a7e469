"""The model's engine in front of a double of its provider, and a document to read."""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from services.extractor.adapters.gemini import GeminiOptions, Price, gemini_engine
from services.extractor.adapters.gemini.engine import GeminiEngine, Pictures
from services.extractor.domain.reading import Reading, Scan
from tests import builders
from tests.fakes.extractor import unwatched
from tests.fakes.gate import OpenGate
from tests.gemini_double.server import GeminiDouble

SAMPLE = Path(__file__).parents[2] / "deploy/samples/de-nordwind-werkzeuge.pdf"
KEY = "AIza-not-a-key-of-anybody"
PRICE = Price(Decimal("0.75"), Decimal("0.075"), Decimal("3.75"))
OPTIONS = GeminiOptions("gemini-3.8-flash", PRICE, deadline_s=20, connections_max=8)


@dataclass(slots=True)
class Provider:
    double: GeminiDouble
    gate: OpenGate = field(default_factory=OpenGate)
    _made: list[GeminiEngine] = field(default_factory=list)

    def engine(
        self, *, key: str = KEY, pictures: Pictures | None = None, **changed: object
    ) -> GeminiEngine:
        told: Any = {"base_url": self.double.url, **changed}
        options = replace(OPTIONS, **told)
        self._made.append(gemini_engine(options, key, self.gate, pictures))
        return self._made[-1]

    async def read(
        self, document: Scan | None = None, engine: GeminiEngine | None = None
    ) -> Reading:
        if engine is None:
            engine = self._made[0] if self._made else self.engine()
        return await engine.read(document or scan(), unwatched)

    async def close(self) -> None:
        for engine in self._made:
            await engine.close()


@pytest.fixture
async def gemini() -> AsyncIterator[Provider]:
    async with GeminiDouble() as double:
        made = Provider(double)
        yield made
        await made.close()


def scan(content: bytes = b"", media_type: str = "application/pdf") -> Scan:
    content = content or SAMPLE.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return Scan(uuid4(), builders.OWNER, digest, media_type, content)
