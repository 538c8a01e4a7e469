"""Look after the store of the results: has it room, and what did killed writers leave in it?

The queues pause and resume by what their own writes meet. This tells people: a disk that fills
while nothing is written would otherwise be noticed by the first document after the week-end.
"""

import asyncio
import logging

from shared.blobs.port import Blobs
from shared.errors import Retryable

log = logging.getLogger(__name__)


async def mind_blobs(blobs: Blobs, *, every_s: float) -> None:
    """Until cancelled."""
    away = False
    while True:
        try:
            await blobs.check()
        except Retryable as error:
            if not away:
                log.warning("blobs_cannot_be_written", extra={"cause": str(error)})
            away = True
        else:
            if away:
                log.info("blobs_can_be_written")
            away = False
        await asyncio.sleep(every_s)


async def sweep_drafts(blobs: Blobs, *, older_than_s: float, every_s: float) -> None:
    """Until cancelled. What nobody has gone on with for so long was left by a killed writer."""
    while True:
        try:
            if count := await blobs.sweep_temp(older_than_s=older_than_s):
                log.info("drafts_swept", extra={"count": count})
        except Retryable as error:
            log.info("drafts_not_swept", extra={"cause": str(error)})
        await asyncio.sleep(every_s)
