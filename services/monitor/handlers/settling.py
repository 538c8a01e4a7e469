"""Bring replays to their end: done, already applied, withdrawn, or failed again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from services.monitor.domain.replays import Replay
from services.monitor.ports import Ports
from shared.ledger.port import Unit
from shared.observability.metrics import REPLAYS


@dataclass(frozen=True, slots=True)
class Settled:
    replays: Sequence[Replay] = ()

    def tell(self, use: Ports) -> None:
        """After the commit: what was rolled back was not settled."""
        if self.replays:
            use.wake()
        for replay in self.replays:
            REPLAYS.labels(replay.queue, replay.outcome).inc()


async def settle_replays(unit: Unit, outcomes: Mapping[UUID, str], use: Ports) -> Settled:
    if not outcomes:
        return Settled()
    # The operations first, as their own steps lock them.
    await use.operations.settle_items(unit, outcomes)
    await use.letters.settle_letters(unit, outcomes)
    return Settled(await use.replays.settle_replays(unit, outcomes))
