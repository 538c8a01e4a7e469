"""Follow every fact: how replays end, who pauses, where each document stands.

Nothing here is marked in an inbox, because each effect is idempotent by itself: a fact that
comes twice or late moves nothing.
"""

from collections.abc import Sequence

from services.monitor.domain.sightings import (
    RANK_DELETED,
    RANK_ENDED,
    Sighting,
    latest_sightings,
)
from services.monitor.handlers.settling import settle_replays
from services.monitor.ports import PauseNote, Ports
from shared.bus.jobs import Job
from shared.contracts.body import Body
from shared.contracts.facts import (
    ConsumptionPausedV1,
    ConsumptionResumedV1,
    ReplaySettledV1,
)
from shared.observability.metrics import DOCUMENTS_PROCESSED, END_TO_END_SECONDS


async def watch_facts(jobs: Sequence[Job[Body]], use: Ports) -> None:
    sightings = latest_sightings(jobs)
    notes = _latest_notes(jobs)
    outcomes = {
        job.body.replay_id: job.body.outcome
        for job in jobs
        if isinstance(job.body, ReplaySettledV1)
    }

    async with use.ledger.unit() as unit:
        moved = await use.documents.move_documents(unit, sightings) if sightings else set()
        if notes:
            await use.pauses.note_pauses(unit, notes)
        settled = await settle_replays(unit, outcomes, use)
    settled.count()
    _count([one for one in sightings if one.document_id in moved], use)


def _latest_notes(jobs: Sequence[Job[Body]]) -> list[PauseNote]:
    latest: dict[tuple[str, str], PauseNote] = {}
    for job in sorted(jobs, key=lambda job: job.job_id):
        if isinstance(job.body, ConsumptionPausedV1 | ConsumptionResumedV1):
            paused = isinstance(job.body, ConsumptionPausedV1)
            note = PauseNote(job.body.queue, job.body.reason, paused, job.job_id)
            latest[note.queue, note.reason] = note
    return [latest[key] for key in sorted(latest)]


def _count(moved: Sequence[Sighting], use: Ports) -> None:
    now = use.clock.now()
    for sighting in moved:
        if sighting.rank < RANK_ENDED:
            continue
        DOCUMENTS_PROCESSED.labels(sighting.status).inc()
        if sighting.rank < RANK_DELETED:
            waited_s = (now - sighting.accepted_at).total_seconds()
            END_TO_END_SECONDS.labels(sighting.status).observe(max(waited_s, 0.0))
