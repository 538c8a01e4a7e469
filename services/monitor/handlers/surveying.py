"""Put together the overview. A broker that does not answer leaves a gap, not an error.

That page is opened when something is wrong, so it must come up while something is.
"""

import logging
from collections import Counter

from services.monitor.domain.duties import CONSERVATION, LEVELS
from services.monitor.domain.health import Overview, examine
from services.monitor.domain.overview import OpenLetters, QueueState
from services.monitor.domain.processes import SILENT_S_MAX
from services.monitor.domain.queues import Seen, Workings, put_together
from services.monitor.domain.replays import REPLAYABLE_QUEUES
from services.monitor.domain.sightings import STAGES, STATUSES
from services.monitor.ports import Ports
from shared.errors import Retryable
from shared.observability.metrics import (
    CHECKED,
    DEAD_LETTERS_OPEN,
    DOCUMENTS,
    INVARIANT_VIOLATIONS,
    MEASURED,
    OLDEST_AGE_SECONDS,
    QUEUE_MESSAGES,
    SLA_BREACHED,
)
from shared.topology.queues import UNROUTABLE

# Of failures, the largest.
GROUPS = 5

log = logging.getLogger(__name__)


async def survey(use: Ports) -> Overview:
    states, open_letters = await _queues(use), await use.letters.count_open_letters()
    workings = await _workings(states, open_letters, use)
    results = {done.name: done.result for done in await use.duties.list_duties()}
    levels, violations = results.get(LEVELS), results.get(CONSERVATION)
    return Overview(
        queues=states,
        open_letters=open_letters,
        pauses=await use.pauses.list_pauses(),
        documents=await use.documents.count_documents(),
        running_replays=await use.replays.count_running_replays(),
        groups=await use.groups.list_groups(GROUPS),
        workings=workings,
        levels=levels,
        violations=violations,
        checks=examine(workings, open_letters, levels, violations),
    )


async def look_at_queues(use: Ports) -> Workings:
    return await _workings(await _queues(use), await use.letters.count_open_letters(), use)


async def _workings(
    states: list[QueueState] | None, open_letters: list[OpenLetters], use: Ports
) -> Workings:
    return put_together(
        Seen(
            states=states,
            open_letters=open_letters,
            pauses=await use.pauses.list_pauses(),
            reports=await use.processes.list_processes(SILENT_S_MAX),
            ages=await use.documents.measure_stages(),
            now=use.clock.now(),
        )
    )


async def measure(use: Ports) -> None:
    """Bring the gauges up to date."""
    found = await use.letters.count_open_letters()
    open_letters = Counter(dict.fromkeys((*REPLAYABLE_QUEUES, UNROUTABLE), 0))
    for group in found:
        open_letters[_queue_of(group)] += group.letters - group.muted
    for name, letters in open_letters.items():
        DEAD_LETTERS_OPEN.labels(name).set(letters)
    await _measure_documents(use)
    await _measure_duties(use)
    queues = await _queues(use) or ()
    # What nobody knows is shown as a gap: an old number would look like a new one. A gap while
    # the broker is asked would end every alert that has begun to wait.
    QUEUE_MESSAGES.clear()
    for queue in queues:
        QUEUE_MESSAGES.labels(queue.name, "ready").set(queue.ready)
        if queue.unacked is not None:
            QUEUE_MESSAGES.labels(queue.name, "unacked").set(queue.unacked)
    MEASURED.set_to_current_time()


async def _measure_documents(use: Ports) -> None:
    documents = await use.documents.count_documents()
    oldest = await use.documents.measure_stages()
    for status in STATUSES:
        DOCUMENTS.labels(status).set(documents.get(status, 0))
    for stage in STAGES.values():
        OLDEST_AGE_SECONDS.labels(stage).set(oldest.get(stage, 0.0))


async def _measure_duties(use: Ports) -> None:
    # Every process shows what came of them, whichever did them.
    for done in await use.duties.list_duties():
        if done.name == LEVELS:
            for name, told in done.result.items():
                SLA_BREACHED.labels(name).set(told["is_breached"])
        if done.name == CONSERVATION:
            for name, total in done.result.items():
                INVARIANT_VIOLATIONS.labels(name).set(total)
        if done.name in (LEVELS, CONSERVATION):
            # The figures stay when nobody checks any more, and would look like health.
            CHECKED.labels(done.name).set(done.done_at.timestamp())


def _queue_of(group: OpenLetters) -> str:
    """Where a client's message arrived nowhere, the queue is whatever the client wrote."""
    known = group.queue in REPLAYABLE_QUEUES and group.reason != UNROUTABLE
    return group.queue if known else UNROUTABLE


async def _queues(use: Ports) -> list[QueueState] | None:
    try:
        return await use.broker.list_queues()
    except Retryable as error:
        log.warning("broker_api_away", extra={"reason": str(error)})
        return None
