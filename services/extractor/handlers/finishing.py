"""The end of a document here: marked as done, its issuer remembered, and sent on to be stored.

Documents that are read at the same time end in one commit, as long as all of them end well. One
that was done before, is withdrawn, or is in other hands just now would have to be told apart in
the middle of it: then nothing of it has happened, and each ends in a commit of its own.
"""

from collections.abc import Sequence
from functools import partial

from services.extractor.domain.sightings import Sighting
from services.extractor.handlers.messages import extracted, store
from services.extractor.ports import Finished, Noted, Ports
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Withdrawn
from shared.ledger.together import NotTogether, Turn
from shared.observability.tracing import carrier, continuing


async def finish(
    job: Job[ExtractDocumentV1],
    extraction: ExtractionV1,
    extraction_key: str,
    seen: Sighting | None,
    use: Ports,
) -> None:
    """Raises Withdrawn and AlreadyHandled, and then nothing was sent."""
    order = job.body
    finished = Finished(
        job,
        Noted(order.document_id, order.owner_id, seen),
        (store(order, extraction, extraction_key), extracted(job, extraction)),
        carrier(),
    )
    await use.finishing(finished, partial(_finish_together, use=use))


async def _finish_together(turn: Turn[Finished], use: Ports) -> Sequence[None]:
    several = await turn.take()
    if len({one.job.job_id for one in several}) < len(several):
        # Delivered again while it is still at work here: only one of the two may do it.
        raise NotTogether
    async with use.ledger.handling(*(one.job for one in several)) as unit:
        if len(unit.jobs) < len(several):
            raise NotTogether
        # It may have been withdrawn while we were reading, or be just now.
        if not await use.vendors.note_unless_withdrawn(unit, [one.noted for one in several]):
            raise Withdrawn if len(several) == 1 else NotTogether
        for one in several:
            with continuing(one.carried):
                for body in one.messages:
                    unit.send(body, cause=one.job)
    return [None] * len(several)
