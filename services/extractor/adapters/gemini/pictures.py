"""Frames of a TIFF, a GIF or a BMP as PNG, made in the child: the provider takes no other.

Nothing of ours opens bytes of strangers in the process that holds the key.
"""

from collections.abc import Sequence

from services.extractor.adapters.gemini.options import Document
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.domain.reading import Scan

TASK = "pages"


class SandboxPictures:
    """Implements `engine.Pictures`."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def pictures(self, scan: Scan) -> Sequence[Document]:
        answer, parts = await self._sandbox.ask_for_parts(TASK, scan)
        return [Document(part, str(answer["media_type"])) for part in parts]
