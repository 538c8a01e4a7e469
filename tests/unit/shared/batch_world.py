"""A batch handler on the fakes, which a test can block, and which objects to chosen jobs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from aiormq.abc import DeliveredMessage

from shared.bus import batches
from shared.bus.batches import Batches
from shared.bus.consumer import Consumption
from shared.bus.jobs import Job
from shared.contracts.identity import new_id
from shared.errors import Rejected, Retryable
from shared.topology.queues import STORE
from tests.builders import store_document
from tests.eventually import eventually
from tests.fakes.deliveries import FakeChannel, envelope, message
from tests.fakes.desk import DeskWorld

QUEUE = replace(STORE, batch=5)
POSTGRES_AWAY = Retryable("connection refused", dependency="postgres")


class World(DeskWorld):
    def __init__(self) -> None:
        super().__init__(QUEUE, Consumption(QUEUE, many=self.do_many))
        self.channel = FakeChannel()
        self.batches: list[list[UUID]] = []
        self.guilty: set[UUID] = set()
        # Raised by the next batches, in turn, before they do anything.
        self.errors: list[Exception] = []
        self.intake = Batches(self.desk)

    async def do_many(self, jobs: Sequence[Job[Any]]) -> None:
        self.batches.append([job.job_id for job in jobs])
        await self.blocks.wait()
        if self.errors:
            raise self.errors.pop(0)
        for job in jobs:
            if job.job_id in self.guilty:
                raise Rejected("corrupt")
        for job in jobs:
            self.record.mark_done(QUEUE, job)

    def arrive(self, *job_ids: UUID, **how: Any) -> list[DeliveredMessage]:  # noqa: ANN401
        raws = [envelope(store_document(), job_id=job_id) for job_id in job_ids]
        return [self.arrive_raw(raw, **how) for raw in raws]

    def arrive_raw(self, raw: bytes, **how: Any) -> DeliveredMessage:  # noqa: ANN401
        arrived = message(raw, **how)
        self.intake.take(arrived, self.channel.as_channel())
        return arrived

    async def settled(self, last: DeliveredMessage) -> None:
        await eventually(lambda: self.channel.acks[-1:] == [(last.delivery_tag, True)])

    @property
    def done(self) -> set[UUID]:
        return {key[1] for key, mark in self.record.marks.items() if mark.outcome == "done"}


@asynccontextmanager
async def batch_world(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    # The pauses between tries of a batch, short enough for a test.
    monkeypatch.setattr(batches, "HOLD_S_MIN", 0.01)
    world = World()
    yield world
    await world.intake.finish(pausing=False)


def ids(count: int) -> list[UUID]:
    return [new_id() for _ in range(count)]
