"""What is handed over to whom: consumers, batches, receipts.

An approved version goes to each consumer once. Until a batch is acknowledged it is the only
one and is given again as it was, so a consumer that dies loses nothing; who puts the ids away
with the effect has each of them once.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

CONSUMER_NAME = r"[a-z0-9][a-z0-9_-]{0,63}"


@dataclass(frozen=True, slots=True)
class Consumer:
    consumer_id: UUID
    owner_id: str
    name: str
    # None is everybody's.
    of_owner: str | None
    position: int
    created_at: datetime

    def is_within(self, reach: str | None) -> bool:
        """Whether somebody who may hand over these documents, None being all, may take its
        batches: keys of one owner may not all do the same, nor one key for ever."""
        return reach is None or self.of_owner == reach


@dataclass(frozen=True, slots=True)
class Approval:
    """One approved version, at its place in the one order that all consumers share."""

    document_id: UUID
    version: int
    owner_id: str
    verdict: str
    approved_at: datetime
    position: int
    # Its document was deleted: there is nothing to fetch any more.
    erased_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    batch_id: UUID
    consumer_id: UUID
    last_position: int
    count: int
    sha256: str
    created_at: datetime
    times_given: int
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """A batch with what is in it."""

    batch: Batch
    items: tuple[Approval, ...]


class NoSuchConsumer(LookupError):
    """This owner has no consumer of that name."""


class NoSuchBatch(LookupError):
    """This consumer was never given such a batch."""


class NotAllowed(ValueError):
    """What is there forbids the action."""


class TooManyConsumers(NotAllowed):
    """The owner has taken too many names."""


class ScopeDiffers(NotAllowed):
    """The name stands for other documents already."""


class OtherContent(NotAllowed):
    """What was put away is not what was given."""


def digest(items: Iterable[Approval]) -> str:
    """SHA-256 over `<document_id> <version>` and a line feed for each, in the order given."""
    lines = (f"{one.document_id} {one.version}\n" for one in items)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def resource_of(consumer: Consumer) -> str:
    """How the audit log names a consumer."""
    return f"consumer/{consumer.owner_id}/{consumer.name}"
