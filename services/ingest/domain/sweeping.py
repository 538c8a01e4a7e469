"""When a document that no fact moves is taken for lost, and how often it is begun anew."""

from dataclasses import dataclass

SWEEPS_MAX = 3


@dataclass(frozen=True, slots=True)
class Patience:
    """The last bound on a lost message; everything before it loses none."""

    queued_stale_s: float
    # Counted from the next attempt, where one was announced.
    processing_stale_s: float
    sweep_every_s: float
