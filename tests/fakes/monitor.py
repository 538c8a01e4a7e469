"""The monitor's tables in memory, and a broker that is told what to answer.

They know nothing of transactions: what a unit rolls back stays here, so tests of a failed
commit belong to the real tables (`tests/broker/test_monitor_sql.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from uuid import UUID

from services.monitor.domain.letters import (
    ERASING_TYPES,
    DeadLetter,
    LetterFacts,
    LetterState,
    NewLetter,
)
from services.monitor.domain.operations import Kind
from services.monitor.domain.overview import OpenLetters, Pause, QueueState
from services.monitor.domain.replays import REFAILED, REPLAYABLE_QUEUES, Replay, is_too_old
from services.monitor.domain.sightings import Sighting
from services.monitor.ports import Filter, PauseNote, Place
from shared.audit.chain import Entry
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.selections import is_asked_for

UNSETTLED = (LetterState.OPEN, LetterState.REPLAYING)


class InMemoryLetters:
    def __init__(self, clock: FakeClock) -> None:
        self.letters: dict[str, DeadLetter] = {}
        self.bodies: dict[UUID, bytes] = {}
        self._clock = clock

    @property
    def all(self) -> list[DeadLetter]:
        return list(self.letters.values())

    async def keep_letters(self, unit: Unit, letters: Sequence[NewLetter]) -> set[UUID]:
        kept: set[UUID] = set()
        for one in letters:
            if one.natural_key not in self.letters:
                self.letters[one.natural_key] = self._arrived(one.facts)
                self.bodies[one.facts.letter_id] = one.body
                kept.add(one.facts.letter_id)
        return kept

    async def claim_letter(
        self, unit: Unit, *, letter_id: UUID, replay_id: UUID, days: int
    ) -> tuple[DeadLetter, bytes] | None:
        letter = await self.find_letter(letter_id)
        if letter is None or letter.state is not LetterState.OPEN or letter.job_id is None:
            return None
        if letter.origin_queue not in REPLAYABLE_QUEUES:
            return None
        if is_too_old(letter, self._clock.now(), days):
            return None
        claimed = replace(letter, state=LetterState.REPLAYING, replay_id=replay_id)
        self._keep(claimed)
        return claimed, self.bodies[letter_id]

    async def supersede_letter(
        self, unit: Unit, *, letter_id: UUID, version: int, job_id: UUID, replay_id: UUID
    ) -> DeadLetter | None:
        letter = await self.find_letter(letter_id)
        if letter is None or letter.state is not LetterState.OPEN or letter.version != version:
            return None
        taken = replace(
            letter,
            state=LetterState.SUPERSEDED,
            superseded_by=job_id,
            replay_id=replay_id,
            settled_at=self._clock.now(),
        )
        self._keep(taken)
        return await self.find_letter(letter_id)

    async def settle_letters(self, unit: Unit, outcomes: Mapping[UUID, str]) -> None:
        for letter in self.all:
            outcome = outcomes.get(letter.replay_id) if letter.replay_id else None
            if outcome and letter.state is LetterState.SUPERSEDED and not letter.outcome:
                self._keep(replace(letter, outcome=outcome, settled_at=self._clock.now()))
            if outcome and letter.state is LetterState.REPLAYING:
                again = outcome == REFAILED
                state = LetterState.REFAILED if again else LetterState.RESOLVED
                now = self._clock.now()
                self._keep(replace(letter, state=state, outcome=outcome, settled_at=now))

    async def erase_letters(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        gone = {
            key: one
            for key, one in self.letters.items()
            if one.document_id in document_ids and one.type not in ERASING_TYPES
        }
        for key, letter in gone.items():
            del self.letters[key], self.bodies[letter.letter_id]
        return {letter.letter_id for letter in gone.values()}

    async def forget_letters(self, days: int, limit: int) -> int:
        before = self._clock.now() - timedelta(days=days)
        gone = [
            key
            for key, one in self.letters.items()
            if one.state not in UNSETTLED and one.settled_at and one.settled_at < before
        ]
        for key in gone[:limit]:
            del self.letters[key]
        return len(gone[:limit])

    async def find_letter(self, letter_id: UUID) -> DeadLetter | None:
        return next((one for one in self.all if one.letter_id == letter_id), None)

    async def read_body(self, unit: Unit, letter_id: UUID) -> bytes | None:
        return self.bodies.get(letter_id)

    async def list_letters(
        self, which: Filter, *, after: Place | None, limit: int
    ) -> list[DeadLetter]:
        found = [one for one in self.all if is_asked_for(one, which)]
        ordered = sorted(found, key=_place, reverse=True)
        start = (after.arrived_at, after.letter_id) if after else None
        return [one for one in ordered if start is None or _place(one) < start][:limit]

    def move(self, letter: DeadLetter, kind: Kind) -> None:
        """As an operation does that sends nothing."""
        if kind is Kind.PURGE:
            [key] = [k for k, one in self.letters.items() if one is letter]
            del self.letters[key]
            return
        put_away = kind is Kind.ARCHIVE
        state = LetterState.ARCHIVED if put_away else LetterState.OPEN
        self._keep(
            replace(letter, state=state, settled_at=self._clock.now() if put_away else None)
        )

    async def count_open_letters(self) -> list[OpenLetters]:
        groups = Counter(
            (one.origin_queue, one.reason) for one in self.all if one.state in UNSETTLED
        )
        return [OpenLetters(queue, reason, n) for (queue, reason), n in groups.most_common()]

    def _arrived(self, facts: LetterFacts) -> DeadLetter:
        known = {field.name: getattr(facts, field.name) for field in fields(facts)}
        return DeadLetter(
            **known,
            state=LetterState.OPEN,
            replay_id=None,
            outcome=None,
            arrived_at=self._clock.now(),
            settled_at=None,
            version=1,
        )

    def _keep(self, letter: DeadLetter) -> None:
        [key] = [k for k, one in self.letters.items() if one.letter_id == letter.letter_id]
        known = self.letters[key]
        self.letters[key] = replace(letter, version=known.version + 1)


class InMemoryReplays:
    def __init__(self, letters: InMemoryLetters, clock: FakeClock) -> None:
        self._started: dict[UUID, Replay] = {}
        self._letters = letters
        self._clock = clock

    @property
    def replays(self) -> dict[UUID, Replay]:
        """A letter that goes takes its replays with it."""
        kept = {letter.letter_id for letter in self._letters.all}
        return {key: one for key, one in self._started.items() if one.letter_id in kept}

    async def insert_replay(
        self, unit: Unit, letter: DeadLetter, *, requested_by: str, reason: str
    ) -> Replay:
        assert letter.replay_id is not None
        assert letter.job_id is not None
        replay = Replay(
            replay_id=letter.replay_id,
            letter_id=letter.letter_id,
            queue=letter.origin_queue,
            job_id=letter.job_id,
            run=letter.run + 1,
            requested_by=requested_by,
            reason=reason,
            state="running",
            outcome=None,
            requested_at=self._clock.now(),
            settled_at=None,
        )
        self._started[replay.replay_id] = replay
        return replay

    async def settle_replays(self, unit: Unit, outcomes: Mapping[UUID, str]) -> list[Replay]:
        settled = [
            replace(
                replay,
                state="settled",
                outcome=outcomes[replay.replay_id],
                settled_at=self._clock.now(),
            )
            for replay in self.replays.values()
            if replay.replay_id in outcomes and replay.state == "running"
        ]
        self._started |= {replay.replay_id: replay for replay in settled}
        return settled

    async def find_replay(self, replay_id: UUID) -> Replay | None:
        return self.replays.get(replay_id)

    async def count_running_replays(self) -> int:
        return sum(replay.state == "running" for replay in self.replays.values())


class InMemoryDocuments:
    def __init__(self) -> None:
        self.seen: dict[UUID, Sighting] = {}
        # Told, because nothing here has a clock.
        self.oldest: dict[str, float] = {}

    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        pass

    async def find_deleted(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        known = [self.seen[one] for one in document_ids if one in self.seen]
        return {one.document_id for one in known if one.is_deleted}

    async def count_documents(self) -> dict[str, int]:
        return dict(Counter(one.status for one in self.seen.values()))

    async def measure_stages(self) -> dict[str, float]:
        return self.oldest

    def move(self, sightings: Sequence[Sighting]) -> set[UUID]:
        moved = {one.document_id for one in sightings if self._is_ahead(one)}
        self.seen |= {one.document_id: one for one in sightings if one.document_id in moved}
        return moved

    def _is_ahead(self, sighting: Sighting) -> bool:
        known = self.seen.get(sighting.document_id)
        return known is None or sighting.standing > known.standing


class InMemoryPauses:
    def __init__(self, clock: FakeClock) -> None:
        self.notes: dict[tuple[str, str], PauseNote] = {}
        self._clock = clock

    async def note_pauses(self, unit: Unit, notes: Sequence[PauseNote]) -> None:
        for note in notes:
            known = self.notes.get((note.queue, note.reason))
            if known is None or known.told_by < note.told_by:
                self.notes[note.queue, note.reason] = note

    async def list_pauses(self) -> list[Pause]:
        now = self._clock.now()
        return [
            Pause(one.queue, one.reason, now, one.detail, one.ends_at)
            for one in self.notes.values()
            if one.paused and (one.ends_at is None or one.ends_at > now)
        ]


class FakeBroker:
    def __init__(self) -> None:
        self.queues: list[QueueState] | None = None
        self.error: Exception | None = None

    async def list_queues(self) -> list[QueueState] | None:
        if self.error is not None:
            raise self.error
        return self.queues


class RecordedTrail:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    async def record(self, unit: Unit, *entries: Entry) -> None:
        self.entries += entries


def _place(letter: DeadLetter) -> tuple[object, UUID]:
    return letter.arrived_at, letter.letter_id
