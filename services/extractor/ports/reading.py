"""Who comes to a content with what, and what he finds there, as the ports speak of it.

Where several are asked about at once, each of them is one of these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from services.extractor.domain.sightings import Sighting
from shared.bus.jobs import Job
from shared.clock import since_boot
from shared.contracts.body import Body
from shared.contracts.orders import ExtractDocumentV1


@dataclass(frozen=True, slots=True)
class ContentKey:
    """The same bytes of the same owner, read in the same way, have one answer."""

    owner_id: str
    sha256: str
    config: str


@dataclass(frozen=True, slots=True)
class Processed:
    """An answer that is kept: for which document and job it was given, and where it lies."""

    document_id: UUID
    extraction_key: str
    # Unknown of answers that were kept before jobs were noted.
    job_id: UUID | None = None
    # Read while an engine was away: of use to its own job, and to no later upload.
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one delivery to have a content read, for a while and renewed."""

    content: ContentKey
    document_id: UUID
    job_id: UUID
    run: int
    # Another for each time it is taken. Whoever was taken for dead has the wrong one.
    token: UUID
    # By the clock of this machine: it counts from then on, if not from later.
    asked_at: float = field(default_factory=since_boot, compare=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a content can never be read, in the words of the first who tried."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What keeps others from a content: somebody who reads it, or what became of that."""

    document_id: UUID
    job_id: UUID
    left_s: float
    refusal: Refusal | None = None


Taking = Literal["taken", "taken_over", "held"]


@dataclass(frozen=True, slots=True)
class Found:
    """What there is for whoever comes to read a content: its answer, the lease, or neither."""

    is_withdrawn: bool = False
    answer: Processed | None = None
    # Taken over is one that ran out without being given up: its holder has died.
    taking: Taking = "held"
    # What is in the way; None for what has got out of it meanwhile.
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class Beginner:
    """Who comes to read a content, and the trace in which he comes."""

    job: Job[ExtractDocumentV1]
    lease: Lease
    carried: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answered:
    """Where the answer lies that was found under a lease."""

    lease: Lease
    extraction_key: str
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class Asking:
    """A document, and by what its issuer is looked for."""

    owner_id: str
    document_id: UUID
    identities: Sequence[str]


@dataclass(frozen=True, slots=True)
class Noted:
    """What a document told of its issuer, if anything."""

    document_id: UUID
    owner_id: str
    seen: Sighting | None


@dataclass(frozen=True, slots=True)
class Finished:
    """A document that was read, and what is to be said of it in which trace."""

    job: Job[ExtractDocumentV1]
    noted: Noted
    messages: Sequence[Body]
    carried: Mapping[str, str]
