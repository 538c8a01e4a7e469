"""How far the reading of a document has come, for those who wait for it.

It is state of the task and not best effort: each step that is told commits through the outbox
in a short transaction of its own. So it is told only when it says something new.
"""

import time
from collections.abc import Callable

from services.extractor.handlers.withdraw import refuse_withdrawn
from services.extractor.ports import Ports
from shared.bus.jobs import Job
from shared.contracts.facts import DocumentProgressV1
from shared.contracts.orders import ExtractDocumentV1

STEP_PERCENT = 5
STEP_S = 1.0


class Reporter:
    """Tells a step that is far enough from the last, in percent or in time; never backwards.
    Raises Withdrawn when there is nobody left to tell."""

    def __init__(
        self,
        job: Job[ExtractDocumentV1],
        use: Ports,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job = job
        self._use = use
        self._now = now
        self._percent = 0
        self._told_at = now()

    async def __call__(self, percent: int, stage: str) -> None:
        is_far = percent >= self._percent + STEP_PERCENT
        is_late = self._now() >= self._told_at + STEP_S
        if percent <= self._percent or not (is_far or is_late):
            return
        self._percent, self._told_at = percent, self._now()
        async with self._use.ledger.unit() as unit:
            # Nobody waits for it any more: the rest need not be read, nor a model be paid.
            await refuse_withdrawn(unit, self._job.body.document_id, self._use)
            unit.send(self._fact(percent, stage), cause=self._job)

    def _fact(self, percent: int, stage: str) -> DocumentProgressV1:
        order = self._job.body
        return DocumentProgressV1(
            percent=percent,
            stage=stage,
            cause_id=self._job.job_id,
            document_id=order.document_id,
            owner_id=order.owner_id,
            accepted_at=order.accepted_at,
            priority=order.priority,
        )
