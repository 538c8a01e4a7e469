"""Groups of the failures of `tests/fakes/monitor.py`, in memory."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

from services.monitor.domain.groups import FailureGroup, Said
from services.monitor.domain.letters import DeadLetter
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.monitor import UNSETTLED, InMemoryLetters


class InMemoryGroups:
    def __init__(self, letters: InMemoryLetters, clock: FakeClock) -> None:
        self.said: dict[str, Said] = {}
        self._letters = letters
        self._clock = clock

    async def list_groups(self, limit: int) -> list[FailureGroup]:
        by: dict[str, list[DeadLetter]] = {}
        for letter in self._letters.all:
            if letter.state in UNSETTLED:
                by.setdefault(letter.fingerprint, []).append(letter)
        groups = [self._group(fingerprint, letters) for fingerprint, letters in by.items()]
        return sorted(groups, key=lambda one: (-one.letters, one.fingerprint))[:limit]

    async def find_said(self, fingerprint: str) -> Said:
        return self.said.get(fingerprint, Said(fingerprint))

    async def say_of_group(self, unit: Unit, said: Said, *, changed_by: str) -> Said | None:
        known = await self.find_said(said.fingerprint)
        if known.version != said.version:
            return None
        self.said[said.fingerprint] = replace(said, version=said.version + 1)
        return self.said[said.fingerprint]

    def _group(self, fingerprint: str, letters: list[DeadLetter]) -> FailureGroup:
        newest = max(letters, key=lambda one: one.arrived_at)
        said = self.said.get(fingerprint, Said(fingerprint))
        now = self._clock.now()
        since = now - timedelta(hours=24)
        trend = Counter(
            one.arrived_at.replace(minute=0, second=0, microsecond=0)
            for one in self._letters.all
            if one.fingerprint == fingerprint and one.arrived_at > since
        )
        return FailureGroup(
            fingerprint=fingerprint,
            letters=len(letters),
            first_at=min(one.arrived_at for one in letters),
            last_at=newest.arrived_at,
            letter_id=newest.letter_id,
            queue=newest.origin_queue,
            reason=newest.reason,
            category=newest.category,
            exception=newest.exception,
            type=newest.type,
            message=newest.message,
            said=said,
            muted=said.muted_until is not None and said.muted_until > now,
            trend=dict(sorted(trend.items())),
        )
