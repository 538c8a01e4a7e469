"""The offline engine, as far as a PDF brings its own text: no key, no network, no provider.

What has no text layer is rejected by name for now; recognising images is the next engine's
part, behind the same port.
"""

from services.extractor.adapters.parser.answers import heard
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.domain.reading import Reading, Scan
from services.extractor.ports import Progress

# Part of every cache key: raise it with every change of the rules, or old answers live on.
RULES_VERSION = "1"


class OfflineEngine:
    name = "offline"
    config = f"offline/{RULES_VERSION}"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def read(self, scan: Scan, progress: Progress) -> Reading:
        return heard(await self._sandbox.ask("offline", scan))
