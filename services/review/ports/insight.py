"""What the service asks of its own past."""

from typing import Protocol

from services.review.domain.insight import Bin, Corrected, Counted, Pace, Passing
from services.review.domain.items import ReviewItem
from services.review.domain.listing import Measured
from shared.ledger.port import Unit


class Insight(Protocol):
    async def measure_queue(self) -> Measured: ...

    async def measure_decisions(self, days: int) -> list[Pace]:
        """By people who held the item; all of them together first."""
        ...

    async def measure_corrections(self, days: int, limit: int) -> list[Corrected]:
        """The most often corrected first."""
        ...

    async def count_gates(self, days: int) -> list[Counted]:
        """What most often stood against it first."""
        ...

    async def count_passing(self, days: int, threshold: float) -> Passing:
        """`threshold` for every field that counts, in the place of the configured ones."""
        ...

    async def measure_calibration(self, days: int) -> list[Bin]:
        """Of values that people confirmed or corrected, in tenths from the least sure."""
        ...

    async def list_automatic(self, limit: int) -> list[ReviewItem]:
        """Those that need nobody and wait for the service to say so; nobody holds them."""
        ...

    async def hand_to_people(self, unit: Unit, item: ReviewItem) -> bool:
        """Something stood against it that was not known when it was opened. False when
        somebody was faster."""
        ...
