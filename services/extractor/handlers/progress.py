"""How far the reading of a document has come, for those who wait for it.

It is state of the task and not best effort: each step that is told is committed to the outbox.
So it is told only when it says something new, and those of all documents together, several
times a second: what is overtaken before then was too quick for anybody to see.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from services.extractor.ports import Ports, Step
from shared.bus.jobs import Job
from shared.bus.waiting import until_beat
from shared.contracts.facts import DocumentProgressV1
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Retryable, Withdrawn

log = logging.getLogger(__name__)

STEP_PERCENT = 10
STEP_S = 1.0
TELL_EVERY_S = 0.25
# What comes later costs no more than the question.
DEAR_UNTIL = 60


@contextmanager
def reporting(job: Job[ExtractDocumentV1], use: Ports) -> Iterator["Reporter"]:
    """What has not been told by the end of the block is not told any more."""
    reporter = Reporter(job, use)
    try:
        yield reporter
    finally:
        reporter.leave()


class Reporter:
    """Tells a step that is far enough from the last, in percent or in time; never backwards.
    Raises Withdrawn when there is nobody left to tell."""

    def __init__(
        self,
        job: Job[ExtractDocumentV1],
        use: Ports,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._use = use
        self._now = now
        self._told_at = now()
        self._step = Step(job, 0, "")

    async def __call__(self, percent: int, stage: str) -> None:
        step = self._step
        if step.is_withdrawn:
            raise Withdrawn
        is_far = percent >= step.percent + STEP_PERCENT
        is_late = self._now() >= self._told_at + STEP_S
        if percent <= step.percent or not (is_far or is_late):
            return
        step.percent, step.stage, self._told_at = percent, stage, self._now()
        self._use.steps[step.job.job_id] = step
        if is_late and percent < DEAR_UNTIL:
            # It takes its time: whether anybody still waits is worth a question, since the
            # rest need not be read then, nor a model be paid.
            await tell_steps(self._use)
            if step.is_withdrawn:
                raise Withdrawn

    def leave(self) -> None:
        self._step.is_over = True
        job_id = self._step.job.job_id
        # A second delivery of the same job has a step of its own.
        if self._use.steps.get(job_id) is self._step:
            del self._use.steps[job_id]


async def keep_telling(use: Ports) -> None:
    """Until cancelled."""
    while True:
        await asyncio.sleep(until_beat(TELL_EVERY_S))
        try:
            await tell_steps(use)
        except Retryable as away:
            log.info("progress_not_told", extra={"error": str(away)})


async def tell_steps(use: Ports) -> None:
    """All that are due. Those that cannot be told now are due again, unless overtaken."""
    due = dict(use.steps)
    if not due:
        return
    use.steps.clear()
    try:
        async with use.ledger.apart() as unit:
            documents = [step.job.body.document_id for step in due.values()]
            withdrawn = await use.withdrawals.find_withdrawn(unit, documents)
            for step in due.values():
                step.is_withdrawn = step.job.body.document_id in withdrawn
                if not step.is_withdrawn:
                    unit.send(_fact(step), cause=step.job)
    except Retryable:
        for job_id, step in due.items():
            if not step.is_over:
                use.steps.setdefault(job_id, step)
        raise


def _fact(step: Step) -> DocumentProgressV1:
    order = step.job.body
    return DocumentProgressV1(
        percent=step.percent,
        stage=step.stage,
        cause_id=step.job.job_id,
        document_id=order.document_id,
        owner_id=order.owner_id,
        accepted_at=order.accepted_at,
        priority=order.priority,
    )
