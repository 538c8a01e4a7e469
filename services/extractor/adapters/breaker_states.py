"""Where a breaker goes after a call: pybreaker's states, run over a copy of the shared row.

Its own wrappers never see a coroutine fail, and its own clock is one of many hosts'. So it is
told how each awaited call ended and decides about nothing else: when a probe is due, and who
makes it, is the row's to say.
"""

from contextlib import suppress

from pybreaker import (
    STATE_CLOSED,
    STATE_HALF_OPEN,
    STATE_OPEN,
    CircuitBreaker,
    CircuitMemoryStorage,
)

from services.extractor.domain.protection import BreakerState

STATES: dict[str, BreakerState] = {
    STATE_CLOSED: "closed",
    STATE_HALF_OPEN: "half-open",
    STATE_OPEN: "open",
}


class _FailedError(Exception):
    """Stands for whatever the provider did."""


def next_state(
    state: BreakerState, failures: int, *, failed: bool, threshold: int
) -> tuple[BreakerState, int]:
    """Never from `open`: that one is left by a probe, and the probe is half-open."""
    copy = CircuitMemoryStorage(state)
    for _ in range(failures):
        copy.increment_counter()
    breaker = CircuitBreaker(
        fail_max=threshold, state_storage=copy, throw_new_error_on_trip=False
    )
    with suppress(_FailedError):
        breaker.call(_ended, failed)
    return STATES[breaker.current_state], breaker.fail_counter


def _ended(failed: bool) -> None:
    if failed:
        raise _FailedError
