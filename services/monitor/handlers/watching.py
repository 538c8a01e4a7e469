"""Follow every fact: how replays end, who pauses, where each document stands, whose letters go.

Nothing here is marked in an inbox, because each effect is idempotent by itself: a fact that
comes twice or late moves nothing. A deletion that comes twice is reported twice, and counts
once.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.monitor.domain.processes import ProcessReport, reported
from services.monitor.domain.replays import resource_of
from services.monitor.domain.sightings import (
    RANK_DELETED,
    RANK_ENDED,
    Sighting,
    latest_sightings,
)
from services.monitor.domain.timelines import told_facts
from services.monitor.handlers.settling import settle_replays
from services.monitor.ports import PauseNote, Ports
from shared.audit.chain import Entry
from shared.bus.jobs import Job
from shared.contracts.body import Body
from shared.contracts.facts import (
    ConsumptionPausedV1,
    ConsumptionResumedV1,
    DocumentDeletedV1,
    DocumentErasedV1,
    ReplaySettledV1,
)
from shared.contracts.processes import ProcessReportedV1
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_PROCESSED, END_TO_END_SECONDS


async def watch_facts(jobs: Sequence[Job[Body]], use: Ports) -> None:
    sightings = latest_sightings(jobs)
    notes, reports = _latest_notes(jobs), _latest_reports(jobs)
    facts = told_facts(jobs, use.clock.now())
    outcomes = {
        job.body.replay_id: job.body.outcome
        for job in jobs
        if isinstance(job.body, ReplaySettledV1)
    }
    deleted = [one.document_id for one in sightings if one.is_deleted]

    # Mostly there is one thing to write down: then its statement is the commit.
    is_one = sum(map(bool, (facts, notes, reports))) == 1 and not (outcomes or deleted)
    async with use.ledger.apart() if is_one else use.ledger.unit() as unit:
        if deleted:
            await use.documents.lock_documents(unit, deleted)
        moved = await use.facts.keep_facts(unit, facts, sightings) if facts else set()
        if notes:
            await use.pauses.note_pauses(unit, notes)
        if reports:
            await use.processes.note_processes(unit, reports)
        settled = await settle_replays(unit, outcomes, use)
        if deleted:
            _report_erased(unit, jobs)
            await _erase(unit, deleted, use)
    settled.tell(use)
    _count([one for one in sightings if one.document_id in moved], use)


async def _erase(unit: Unit, document_ids: Sequence[UUID], use: Ports) -> None:
    # As their own steps lock them: operations first, then letters.
    await use.operations.hold_operations(unit, document_ids)
    erased = await use.letters.erase_letters(unit, document_ids)
    await use.facts.strip_facts(unit, document_ids)
    if erased:
        gone = [Entry("system", "letter_erased", resource_of(one)) for one in sorted(erased)]
        await use.trail.record(unit, *gone)


def _report_erased(unit: Unit, jobs: Sequence[Job[Body]]) -> None:
    for job in jobs:
        if isinstance(job.body, DocumentDeletedV1):
            unit.send(
                DocumentErasedV1.after(job.body, service="monitor", cause_id=job.job_id),
                cause=job,
            )


def _latest_notes(jobs: Sequence[Job[Body]]) -> list[PauseNote]:
    latest: dict[tuple[str, str], PauseNote] = {}
    for job in sorted(jobs, key=lambda job: job.job_id):
        if isinstance(job.body, ConsumptionPausedV1 | ConsumptionResumedV1):
            paused = isinstance(job.body, ConsumptionPausedV1)
            note = PauseNote(job.body.queue, job.body.reason, paused, job.job_id)
            if isinstance(job.body, ConsumptionPausedV1):
                note = replace(note, detail=job.body.detail, ends_at=job.body.ends_at)
            latest[note.queue, note.reason] = note
    return [latest[key] for key in sorted(latest)]


def _latest_reports(jobs: Sequence[Job[Body]]) -> list[ProcessReport]:
    told = [reported(j.body, j.job_id) for j in jobs if isinstance(j.body, ProcessReportedV1)]
    latest = {one.process_id: one for one in sorted(told, key=lambda one: one.said_at)}
    return [*latest.values()]


def _count(moved: Sequence[Sighting], use: Ports) -> None:
    now = use.clock.now()
    for sighting in moved:
        if sighting.rank < RANK_ENDED:
            continue
        DOCUMENTS_PROCESSED.labels(sighting.status).inc()
        if sighting.rank < RANK_DELETED:
            waited_s = (now - sighting.accepted_at).total_seconds()
            END_TO_END_SECONDS.labels(sighting.status).observe(max(waited_s, 0.0))
