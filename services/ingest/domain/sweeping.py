"""When a document that no fact moves is taken for lost, and how often it is begun anew.

Silence alone proves little: a slow pipeline is silent too. What proves a loss is that others
came through: at first those that may not overtake, of the same or a lower priority. After
`lost_after_s` anybody, since else the last of the lowest priority would never be found; one
that is only starved by urgent work for so long is ordered as urgent then, which harms nobody.
After the patience of its own queue nobody need come through: an order that was still there
would have become a dead letter. Then it is begun anew but never given up, because nobody has
seen that the pipeline works at all.
"""

from dataclasses import dataclass

from shared.topology.queues import EXTRACT

SWEEPS_MAX = 3


@dataclass(frozen=True, slots=True)
class Patience:
    """The last bound on a lost message; everything before it loses none."""

    queued_stale_s: float
    # Counted from the next attempt, where one was announced.
    processing_stale_s: float
    sweep_every_s: float
    # Whoever came through after it, whatever its priority, proves it lost by now.
    lost_after_s: float = 6 * 3_600
    # Nobody's order waits longer than that.
    order_s: float = EXTRACT.patience_s
