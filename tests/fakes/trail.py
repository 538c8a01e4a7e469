"""The review service's audit log in memory."""

from shared.audit.chain import GENESIS, Entry, Line, canonical
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock


class InMemoryTrail:
    def __init__(self, clock: FakeClock) -> None:
        self.entries: list[Entry] = []
        self._clock = clock

    async def record(self, unit: Unit, *entries: Entry) -> None:
        self.entries += entries

    async def list_entries(self, resource: str, *, actor: str | None, limit: int) -> list[Line]:
        lines = [
            Line(seq, self._clock.now(), canonical(entry), GENESIS, GENESIS)
            for seq, entry in enumerate(self.entries, start=1)
            if entry.resource == resource and actor in (None, entry.actor)
        ]
        return lines[::-1][:limit]
