"""Takes the lock off a PDF whose password came with it, so that neither has to be kept.

The password is in the memory of this process, in a pipe and in a child that lives for one
document; never in an argument, a variable of the environment, a file or a message.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import BinaryIO

from services.ingest.adapters.spool import spooled
from services.ingest.adapters.unlocking_child import NOT_LOCKED, OPENED, WRONG_PASSWORD
from shared.blobs.pieces import PIECE_BYTES
from shared.errors import Rejected, Retryable
from shared.observability.metrics import DOCUMENTS_UNLOCKED
from shared.sandbox.frames import Frame
from shared.sandbox.pool import Kind, Pool
from shared.sandbox.worker import Bounds

log = logging.getLogger(__name__)

OUTCOMES = (OPENED, NOT_LOCKED, WRONG_PASSWORD)
CHILD = "services.ingest.adapters.unlocking_child"
AGAIN_IN_S = 5.0
# Who would wait behind more than these is told to come back.
WAITING_MAX = 16
PDF_MARK, PDF_MARK_WITHIN = b"%PDF-", 2 * 1024


class PdfUnlocker:
    def __init__(self, bounds: Bounds, *, at_once: int, limit_bytes: int) -> None:
        # Each for one document, since a password is in its memory: so none is ever idle, and
        # how long one may be, or how much it may hold by then, does not matter.
        only_one = replace(bounds, documents_max=1)
        kind = Kind("unlocking", CHILD, only_one, at_once, bounds.memory_bytes, idle_s=1)
        self._children = Pool(kind)
        self._limit_bytes = limit_bytes
        # Taken before a document is read: whoever waits for a child waits on the disk.
        self._turn = asyncio.Semaphore(at_once)
        self._waiting = 0

    async def unlocked(
        self, chunks: AsyncIterator[bytes], password: str
    ) -> AsyncIterator[bytes]:
        # Kept until it has arrived: a client who drips would keep a child waiting.
        async with spooled(chunks, limit_bytes=self._limit_bytes) as file:
            opened = await self._opened(file, password)
            if opened is not None:
                yield opened
                return
            file.seek(0)
            while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
                yield piece

    async def _opened(self, file: BinaryIO, password: str) -> bytes | None:
        """None when there is no lock on it."""
        if PDF_MARK not in file.read(PDF_MARK_WITHIN):
            DOCUMENTS_UNLOCKED.labels("not_locked").inc()
            return None
        if self._waiting >= WAITING_MAX:
            raise Retryable("enough documents are being unlocked", after_s=AGAIN_IN_S)
        self._waiting += 1
        try:
            async with self._turn:
                found, opened = await self._ask(file, password.encode())
        finally:
            self._waiting -= 1
        outcome = found if found in OUTCOMES else "unreadable"
        DOCUMENTS_UNLOCKED.labels(outcome).inc()
        if outcome == WRONG_PASSWORD:
            raise Rejected("wrong_password", "The password does not open this document.")
        if outcome == "unreadable":
            raise Rejected("unreadable", "The document cannot be opened.")
        return opened if outcome == OPENED else None

    async def _ask(self, file: BinaryIO, password: bytes) -> tuple[str, bytes]:
        file.seek(0)
        document = await asyncio.to_thread(file.read)
        try:
            answer = await self._children.ask(Frame({}, (password, document)))
        except Rejected as error:
            if error.reason == "too_large":
                raise Rejected("too_large", "Without its lock it is too large.") from error
            # How the child died is for us, and says nothing of use to the client.
            DOCUMENTS_UNLOCKED.labels("unreadable").inc()
            log.warning("unlock_failed", extra={"reason": error.reason, "cause": error.detail})
            raise Rejected("unreadable", "The document cannot be opened.") from error
        return str(answer.said.get("found")), b"".join(answer.parts)
