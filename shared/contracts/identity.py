"""Identities of jobs and documents: time-ordered, so that tables can be cut by day.

The ledger's inbox is partitioned on the time inside a UUIDv7; an id made elsewhere is just
as good an identity and merely lands in the default partition.
"""

import os
import time
from datetime import UTC, datetime
from uuid import UUID, uuid5

VERSION = 7
_VERSION_7 = VERSION << 76
# The end of the century: what says more holds no time.
SECONDS_MAX = 4_102_444_800
_VARIANT = 0b10 << 62
# A system call for each of them would also give up the interpreter each time, under load to
# somebody who keeps it for a while.
_RANDOM_BYTES = 10
_RANDOM_MASK = (1 << 74) - 1
_AT_ONCE = 64
_reserve: list[bytes] = []
# Two processes must not begin with the same ones.
os.register_at_fork(after_in_child=_reserve.clear)


def new_id() -> UUID:
    # 48 bits of milliseconds, then randomness: two ids of one millisecond have no order, and
    # nothing here relies on one.
    stamp = time.time_ns() // 1_000_000
    random_a, random_b = divmod(int.from_bytes(_random()) & _RANDOM_MASK, 1 << 62)
    return UUID(int=stamp << 80 | _VERSION_7 | random_a << 64 | _VARIANT | random_b)


def _random() -> bytes:
    try:
        # One step for all threads: nobody else gets the same.
        return _reserve.pop()
    except IndexError:
        fresh = os.urandom(_RANDOM_BYTES * _AT_ONCE)
        starts = range(_RANDOM_BYTES, len(fresh), _RANDOM_BYTES)
        _reserve.extend(fresh[at : at + _RANDOM_BYTES] for at in starts)
        return fresh[:_RANDOM_BYTES]


def written_at(job_id: UUID) -> datetime | None:
    """The time inside an id that was made here: of a fact, when it was told. None of others."""
    seconds = (job_id.int >> 80) / 1000
    if job_id.version != VERSION or seconds > SECONDS_MAX:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def derived_id(document_id: UUID, stage: str, run: int) -> UUID:
    """The same document, stage and run always give the same id, whoever orders it again."""
    return uuid5(document_id, f"{stage}:{run}")
