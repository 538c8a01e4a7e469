"""A review service whose queue a test fills, on the fakes or on PostgreSQL."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from typing import Protocol
from uuid import UUID, uuid4

from services.review.domain.items import ReviewItem
from services.review.domain.ranking import Plan
from services.review.domain.straight_through import is_sampled
from services.review.handlers.claiming import get_item
from services.review.handlers.opening import open_items
from services.review.ports import Ports
from shared.blobs.keys import content_key
from shared.configuration.review import Assignment, Review, StraightThrough
from shared.contracts.extraction import Finding
from shared.database.pool import Pool
from tests import builders
from tests.broker.review_world import review_service
from tests.conformance.database import database
from tests.fakes.blobs import InMemoryBlobs
from tests.unit.review.world import World

HOUR_S = 3600
PLAN = Plan(critical={"total": True})
GIVING = Plan(Review(assignment=Assignment(automatic=True)), critical={"total": True})


PASSING = Plan(
    Review(straight_through=StraightThrough(enabled=True, confidence_min=0.9)),
    critical={"total": True},
)
# Everything that the database compares with its clock.
MOMENTS = {
    "review_items": (
        *("due_at", "opened_at", "claimed_until", "claimed_at"),
        *("postponed_until", "first_claimed_at", "decided_at"),
    ),
    "reviewers": ("seen_at",),
}


def drawn(wanted: bool) -> UUID:
    """An id that the sample draws, or one that it does not."""
    share = PASSING.review.straight_through.sample
    while is_sampled(found := uuid4(), share) is not wanted:
        pass
    return found


class Hand(Protocol):
    """What a test does behind the service's back."""

    async def correct(self, document_id: UUID, path: str, value: str) -> None:
        """A person's value, with the machine's beside it."""

    async def pass_for(self, seconds: float) -> None:
        """Everything that has a time is that much nearer to it."""


@dataclass(frozen=True, slots=True)
class Desk:
    use: Ports
    blobs: InMemoryBlobs
    time: Hand

    async def opened(
        self,
        *,
        due_in_s: float = 24 * HOUR_S,
        sure: float = 0.9,
        filename: str = "invoice.pdf",
        values: Mapping[str, str] | None = None,
        findings: tuple[Finding, ...] = (),
        document_id: UUID | None = None,
    ) -> UUID:
        document_id = document_id or uuid4()
        read = {
            "seller.name": "Nordlicht GmbH",
            # Nobody else's, unless it is said.
            "invoice_number": f"R-{document_id.hex}",
            "issue_date": "2026-03-02",
            "total": "119.00",
            "currency": "EUR",
            **(values or {}),
        }
        extraction = builders.extraction(
            document_id=document_id,
            filename=filename,
            findings=findings,
            fields={
                path: builders.read_as(value, sure if path == "total" else 0.9)
                for path, value in read.items()
            },
        )
        raw = extraction.to_bytes()
        key = content_key(sha256(raw).hexdigest())
        self.blobs.objects[key] = raw
        order = builders.open_review(
            document_id=document_id,
            extraction_key=key,
            due_at=self.use.clock.now() + timedelta(seconds=due_in_s),
        )
        await open_items([builders.job(order)], self.use)
        return document_id

    async def item(self, document_id: UUID) -> ReviewItem:
        return await get_item(document_id, self.use)


class _MovedClock:
    def __init__(self, world: World) -> None:
        self._world = world

    async def pass_for(self, seconds: float) -> None:
        self._world.clock.advance(seconds)

    async def correct(self, document_id: UUID, path: str, value: str) -> None:
        fields = self._world.items.fields
        for place, one in enumerate(fields):
            if (one.document_id, one.path) == (document_id, path):
                machine = {"value": one.value, "confidence": one.confidence}
                fields[place] = replace(
                    one, value=value, status="corrected", source="human", machine=machine
                )


class MovedRows:
    """The database's clock cannot be moved, so everything it is compared with is."""

    def __init__(self, owner: Pool) -> None:
        self._owner = owner

    async def pass_for(self, seconds: float) -> None:
        span = timedelta(seconds=seconds)
        for table, columns in MOMENTS.items():
            moved = ", ".join(f"{one} = {one} - $1::interval" for one in columns)
            await self._owner.execute(f"UPDATE {table} SET {moved}", span)

    async def correct(self, document_id: UUID, path: str, value: str) -> None:
        await self._owner.execute(
            "UPDATE extracted_fields SET value = $3, status = 'corrected', source = 'human',"
            " machine = jsonb_build_object('value', value, 'confidence', confidence)"
            " WHERE document_id = $1 AND path = $2",
            document_id,
            path,
            value,
        )


@asynccontextmanager
async def desk_of(kind: str, plan: Plan = PLAN) -> AsyncIterator[Desk]:
    if kind == "memory":
        world = World(plan)
        yield Desk(world.ports, world.blobs, _MovedClock(world))
        return
    async with review_service(database(), plan) as review:
        yield Desk(review.use, review.blobs, MovedRows(review.schema.owner))
