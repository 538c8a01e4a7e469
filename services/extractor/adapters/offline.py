"""The offline engine: no key, no network, no provider.

A PDF is asked for its text first, which takes milliseconds. Only what has to be looked at goes
to the other child, which holds the models that recognise text in pictures.
"""

import asyncio
from dataclasses import replace

from services.extractor.adapters.parser.answers import Answer, heard
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.domain.reading import LONG, Reading, Scan
from services.extractor.ports import Progress

# Part of every cache key: raise it with every change of the rules, or old answers live on.
RULES_VERSION = "8"


class OfflineEngine:
    name = "offline"
    config = f"offline/{RULES_VERSION}"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def read(self, scan: Scan, progress: Progress) -> Reading:
        answer = await self._answer(scan)
        is_long = len(answer.get("words", ())) > LONG
        reading = await asyncio.to_thread(heard, answer) if is_long else heard(answer)
        return replace(reading, versions={"offline": RULES_VERSION})

    async def _answer(self, scan: Scan) -> Answer:
        if not scan.media_type.startswith("image/"):
            answer = await self._sandbox.ask("offline", scan)
            if not answer.get("recognise"):
                return answer
        return await self._sandbox.ask("recognise", scan)
