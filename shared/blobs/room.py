"""How much room a disk has left, and whether anything more may be written to it.

Short of room, writers are turned away while there is still some: the last bytes belong to what
makes room again, and to everything else that shares the disk. Once short, a disk has to have
clearly more before it counts as well again, or each document would end and begin the pause.
"""

import asyncio
import logging
import shutil
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from shared.errors import Retryable
from shared.observability.metrics import BLOBS_FREE_BYTES, BLOBS_SHORT, BLOBS_SIZE_BYTES

RECOVERED = 1.25
# Asking costs as much as opening a file does, and no disk loses in so short a time what is
# kept free.
SEEN_FOR_S = 0.02
MEASURE_EVERY_S = 15.0

log = logging.getLogger(__name__)


async def keep_measuring_room(blobs_url: str, every_s: float = MEASURE_EVERY_S) -> None:
    """Until cancelled, also while nobody writes: others fill the same disk. A bucket's room is
    not ours to know."""
    parts = urlsplit(blobs_url)
    if parts.scheme != "file":
        return
    root = Path(unquote(parts.path))
    while True:
        try:
            await asyncio.to_thread(measure_room, root)
        except OSError as error:
            log.warning("room_not_measured", extra={"error": str(error)})
        await asyncio.sleep(every_s)


def measure_room(root: Path) -> int:
    """The bytes that are free. It blocks: for a thread."""
    seen = shutil.disk_usage(root)
    BLOBS_SIZE_BYTES.set(seen.total)
    BLOBS_FREE_BYTES.set(seen.free)
    return seen.free


class Room:
    def __init__(self, root: Path, free_bytes_min: int) -> None:
        self._root = root
        self._free_bytes_min = free_bytes_min
        self._short = False
        self._seen_until = 0.0

    def require(self) -> None:
        """Raises Retryable, as a store that is away does. It blocks: for a thread."""
        if not self._free_bytes_min or time.monotonic() < self._seen_until:
            return
        free_bytes = measure_room(self._root)
        wanted = self._free_bytes_min * (RECOVERED if self._short else 1)
        self._short = free_bytes < wanted
        BLOBS_SHORT.set(self._short)
        if self._short:
            raise Retryable(
                f"the disk is short: only {free_bytes} bytes are free, {wanted:.0f} are wanted",
                dependency="blobs",
            )
        self._seen_until = time.monotonic() + SEEN_FOR_S
