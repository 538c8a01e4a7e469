"""Identities of jobs and documents: time-ordered, so that tables can be cut by day.

The ledger's inbox is partitioned on the time inside a UUIDv7; an id made elsewhere is just
as good an identity and merely lands in the default partition.
"""

import secrets
import time
from uuid import UUID, uuid5

_VERSION_7 = 0x7 << 76
_VARIANT = 0b10 << 62


def new_id() -> UUID:
    # 48 bits of milliseconds, then randomness: two ids of one millisecond have no order, and
    # nothing here relies on one.
    stamp = time.time_ns() // 1_000_000
    # One system call for both parts: an upload alone needs several ids.
    random_a, random_b = divmod(secrets.randbits(74), 1 << 62)
    return UUID(int=stamp << 80 | _VERSION_7 | random_a << 64 | _VARIANT | random_b)


def derived_id(document_id: UUID, stage: str, run: int) -> UUID:
    """The same document, stage and run always give the same id, whoever orders it again."""
    return uuid5(document_id, f"{stage}:{run}")
