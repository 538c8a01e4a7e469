"""What processes tell of themselves, and what follows for the queues they take from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.contracts.identity import written_at
from shared.contracts.processes import ProcessReportedV1

# Of one that says something every twenty seconds; a restart of the broker takes some of them.
SILENT_S_MAX = 90.0
# Then it is not worth a line any more.
FORGOTTEN_S = 86_400.0


@dataclass(frozen=True, slots=True)
class ProcessReport:
    process_id: UUID
    service: str
    build: str
    door: str
    queues: tuple[str, ...]
    started_at: datetime
    outbox_unsent: int
    outbox_oldest_age_s: float
    outbox_parked: int
    conditions: Mapping[str, str]
    said_at: datetime
    silent_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ServiceState:
    """One service, as its processes tell of it."""

    service: str
    processes: int
    # How many run which.
    builds: Mapping[str, int]
    said_at: datetime
    silent_s: float
    outbox_unsent: int
    outbox_oldest_age_s: float
    outbox_parked: int
    conditions: Mapping[str, str]


def reported(fact: ProcessReportedV1, job_id: UUID) -> ProcessReport:
    return ProcessReport(
        process_id=fact.process_id,
        service=fact.service,
        build=fact.build,
        door=fact.door,
        queues=fact.queues,
        started_at=fact.started_at,
        outbox_unsent=fact.outbox_unsent,
        outbox_oldest_age_s=fact.outbox_oldest_age_s,
        outbox_parked=fact.outbox_parked,
        conditions=fact.conditions,
        said_at=written_at(job_id) or fact.started_at,
    )


def by_service(reports: list[ProcessReport]) -> list[ServiceState]:
    found = []
    for service in sorted({one.service for one in reports}):
        of_it = [one for one in reports if one.service == service]
        # The ledger is one for all replicas: whoever spoke last knows best.
        last = min(of_it, key=lambda one: one.silent_s)
        builds = [one.build for one in of_it]
        found.append(
            ServiceState(
                service=service,
                processes=len(of_it),
                builds={build: builds.count(build) for build in sorted(set(builds))},
                said_at=last.said_at,
                silent_s=last.silent_s,
                outbox_unsent=last.outbox_unsent,
                outbox_oldest_age_s=last.outbox_oldest_age_s,
                outbox_parked=last.outbox_parked,
                conditions=last.conditions,
            )
        )
    return found


def consumers_expected(reports: list[ProcessReport], queue: str) -> int:
    """Of those that said they take from it. With nobody heard, somebody is missing."""
    return max(1, sum(queue in one.queues for one in reports))
