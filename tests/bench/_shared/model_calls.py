"""The double of the provider, as a benchmark sets it up and asks it what it has seen.

Its answers are made beforehand: reading the documents itself would take the processor from
whom we measure, and a provider's own machines do not.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import httpx

from deploy.local import gemini_double, services
from tests.bench._shared.pages import PDF
from tests.gemini_double import invoices
from tests.system.stack import Stack


class Model:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def thinks_for(self, seconds: float) -> None:
        await self._tell("mode", {"mode": "ok", "options": {"delay_s": seconds}})

    async def knows(self, contents: Sequence[bytes], like: Sequence[bytes]) -> None:
        """Each of the contents is answered as one of those that it is like, in their order."""
        known: dict[bytes, dict[str, Any]] = {}
        for content, original in zip(contents, like, strict=True):
            if original not in known:
                known[original] = invoices.read(original, (PDF,), sha256(original).hexdigest())
            told = {"sha256": sha256(content).hexdigest(), "answer": known[original]}
            await self._tell("answer", told)

    async def seen(self) -> dict[str, Any]:
        answer = await self._http.get("/__double__/ledger")
        told: dict[str, Any] = answer.raise_for_status().json()
        return told

    async def _tell(self, what: str, told: dict[str, Any]) -> None:
        (await self._http.post(f"/__double__/{what}", json=told)).raise_for_status()


@asynccontextmanager
async def model_of(stack: Stack) -> AsyncIterator[Model]:
    """As long as it runs, the stack's extractors are told where it is."""
    state = stack.state
    await asyncio.to_thread(gemini_double.start, state, services.surroundings())
    url = gemini_double.variables(state)["GEMINI_BASE_URL"]
    try:
        async with httpx.AsyncClient(base_url=url, timeout=30.0) as http:
            yield Model(http)
    finally:
        await asyncio.to_thread(gemini_double.stop, state)
