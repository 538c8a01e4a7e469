"""Put together the overview. A broker that does not answer leaves a gap, not an error.

That page is opened when something is wrong, so it must come up while something is.
"""

import logging
from collections import Counter

from services.monitor.domain.overview import OpenLetters, Overview, QueueState
from services.monitor.domain.replays import REPLAYABLE_QUEUES
from services.monitor.domain.sightings import STAGES, STATUSES
from services.monitor.ports import Ports
from shared.errors import Retryable
from shared.observability.metrics import (
    DEAD_LETTERS_OPEN,
    DOCUMENTS,
    MEASURED,
    OLDEST_AGE_SECONDS,
    QUEUE_MESSAGES,
)
from shared.topology.queues import UNROUTABLE

log = logging.getLogger(__name__)


async def survey(use: Ports) -> Overview:
    return Overview(
        queues=await _queues(use),
        open_letters=await use.letters.count_open_letters(),
        pauses=await use.pauses.list_pauses(),
        documents=await use.documents.count_documents(),
        running_replays=await use.replays.count_running_replays(),
    )


async def measure(use: Ports) -> None:
    """Bring the gauges up to date."""
    overview = await survey(use)
    oldest = await use.documents.measure_stages()
    open_letters = Counter(dict.fromkeys((*REPLAYABLE_QUEUES, UNROUTABLE), 0))
    for group in overview.open_letters:
        open_letters[_queue_of(group)] += group.letters
    for name, letters in open_letters.items():
        DEAD_LETTERS_OPEN.labels(name).set(letters)
    for status in STATUSES:
        DOCUMENTS.labels(status).set(overview.documents.get(status, 0))
    for stage in STAGES.values():
        OLDEST_AGE_SECONDS.labels(stage).set(oldest.get(stage, 0.0))
    # What nobody knows is shown as a gap: an old number would look like a new one.
    QUEUE_MESSAGES.clear()
    for queue in overview.queues or ():
        QUEUE_MESSAGES.labels(queue.name, "ready").set(queue.ready)
        QUEUE_MESSAGES.labels(queue.name, "unacked").set(queue.unacked)
    MEASURED.set_to_current_time()


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
