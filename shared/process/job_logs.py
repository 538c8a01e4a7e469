"""What a job had to say, kept beside its document: one object per attempt.

Best effort by design: a log that cannot be kept is a line in the service's own log, and never
the reason why a job fails.
"""

import asyncio
import logging
import sys
from functools import wraps
from typing import TypeVar

from shared.blobs.port import Blobs
from shared.bus.jobs import Job, JobHandler
from shared.contracts.body import DocumentBody
from shared.errors import Deferred, Retryable, Withdrawn
from shared.observability.logging import collect

log = logging.getLogger(__name__)

KEEP_TIMEOUT_S = 5.0


D = TypeVar("D", bound=DocumentBody)


def with_log(handle: JobHandler[D], blobs: Blobs) -> JobHandler[D]:
    """The same handler, and `logs/{document_id}/{job_id}.{run}.{attempt}.log` after it. Waiting
    for one's turn is no story: what was deferred leaves no log."""

    @wraps(handle)
    async def logged(job: Job[D]) -> None:
        with collect() as lines:
            try:
                await handle(job)
            finally:
                await _keep_what_was_said(job, lines, blobs)

    return logged


async def _keep_what_was_said(job: Job[D], lines: list[str], blobs: Blobs) -> None:
    error = sys.exception()
    if isinstance(error, (Deferred, Withdrawn, asyncio.CancelledError)):
        return
    if error is not None:
        level = logging.INFO if isinstance(error, Retryable) else logging.WARNING
        log.log(level, "job_ended_badly", exc_info=error)
    if lines:
        await _keep(job, lines, blobs)


async def _keep(job: Job[D], lines: list[str], blobs: Blobs) -> None:
    key = f"logs/{job.body.document_id}/{job.job_id}.{job.run}.{job.attempt}.log"
    try:
        async with asyncio.timeout(KEEP_TIMEOUT_S):
            await blobs.put(key, ("\n".join(lines) + "\n").encode(), durable=False)
    except (Retryable, TimeoutError) as error:
        log.warning("job_log_not_kept", extra={"error": str(error)})
