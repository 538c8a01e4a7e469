"""An operation's states while it sends dead letters back, and while others do so beside it.

Which operation a step moves is the adapter's choice, so the model does not foretell it: it says
what one step may do. Held after each step: an operation leaves its states only along the
arrows, and an end never (I14); its letters are those that it found, each once, and their
outcomes add up to all of them (I1, I12); none goes while it stands still, none beyond what may
be on its way or before the first have been looked at; a letter is on its way once (I5). At the
end of a play every deed of a person has its one line in the audit log (I9).
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, invariant, precondition, rule

from services.monitor.domain.operations import ItemOutcome, Operation, Pace, resource_of
from services.monitor.domain.steering import cancelled, paced, paused, resumed
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.requesting import get_operation
from services.monitor.handlers.steering import Change, steer_operation
from shared.contracts.identity import new_id
from tests.conformance import operating
from tests.conformance.operating import Operating
from tests.models.playing import Anew, Machine, Stage

LETTERS_MAX, OPERATIONS_MAX = 8, 3
FAST = 1_000_000
ACTIVE, ENDED = ("preparing", "running", "paused"), ("completed", "cancelled")
OUTCOMES = ("done", "already_applied", "withdrawn", "refailed")
ARROWS: Mapping[str, tuple[str, ...]] = {
    "preparing": ("running", "paused", "cancelled"),
    "running": ("paused", "completed", "cancelled"),
    "paused": ("preparing", "running", "cancelled"),
    "completed": (),
    "cancelled": (),
}
# By what a person asks for: the change, and from which states it is one.
DEEDS: Mapping[str, tuple[Change, tuple[str, ...]]] = {
    "operation_paused": (paused, ("preparing", "running")),
    "operation_resumed": (resumed, ("paused",)),
    "operation_cancelled": (cancelled, ACTIVE),
}
# Who asks for what is so already changes nothing, and is told so.
IS_SO: Mapping[str, tuple[str, ...]] = {
    "operation_paused": ("paused",),
    "operation_resumed": ("preparing", "running"),
    "operation_cancelled": ("cancelled",),
}


@dataclass(slots=True)
class Expected:
    """An operation as it was after the last step, and what was asked for at first."""

    asked: frozenset[UUID]
    now: Operation
    deeds: Counter[str] = field(default_factory=Counter)


class Operations(Machine[Operating]):
    asked = Bundle("asked")

    def __init__(self, stage: Stage[Operating]) -> None:
        super().__init__(stage)
        self.letters: list[UUID] = []
        self.expected: dict[UUID, Expected] = {}
        # Sent back by hand, and by which replay.
        self.by_hand: dict[UUID, UUID] = {}
        self.outcomes: dict[UUID, str] = {}

    @initialize()
    def there_are_letters(self) -> None:
        self.letters_arrive(2)

    @precondition(lambda self: len(self.letters) < LETTERS_MAX)
    @rule(count=st.integers(1, 3))
    def letters_arrive(self, count: int) -> None:
        self.letters += [one.letter_id for one in self.does(self.setting.letters(count))]

    @precondition(lambda self: self.letters and len(self.expected) < OPERATIONS_MAX)
    @rule(
        target=asked,
        data=st.data(),
        in_flight_max=st.integers(1, 3),
        canary=st.integers(0, 2),
    )
    def some_are_to_go_back(
        self, data: st.DataObject, in_flight_max: int, canary: int
    ) -> UUID | None:
        ids = frozenset(data.draw(st.sets(st.sampled_from(self.letters), min_size=1)))
        found = ids & self._open()
        is_promised = any(found & self._promised(one) for one in self.expected.values())
        asked: list[Operation] = []

        async def ask() -> None:
            selection = self.setting.selection(ids=tuple(sorted(ids)))
            pace = Pace(FAST, in_flight_max, canary)
            asked.append(
                await self.setting.asked(key=str(new_id()), selection=selection, pace=pace)
            )

        why = self.refused(ask())

        assert why == ("Overlapping" if is_promised else "")
        for one in asked:
            self.expected[one.operation_id] = Expected(frozenset(found), one)
            self.expected[one.operation_id].deeds["replay_requested"] += 1
            return one.operation_id
        return None

    @rule()
    def a_step_is_made(self) -> None:
        before = {one: known.now for one, known in self.expected.items()}
        self.does(step_operation(self.setting.use))

        for operation_id, was in before.items():
            now = self._look(operation_id)
            went = now.sent - was.sent
            may_go = 0
            if was.state == "running":
                may_go = max(0, was.in_flight_max - was.in_flight)
                first = max(0, was.canary - was.taken) if was.canary else may_go
                may_go = min(may_go, first)
            assert 0 <= went <= may_go, f"{went} went, {may_go} may"
            if now.state not in (was.state, "running"):
                self.expected[operation_id].deeds[f"operation_{now.state}"] += 1

    @rule(
        operation_id=asked,
        deed=st.sampled_from(sorted(DEEDS)),
        behind=st.sampled_from((0, 0, 0, 1)),
    )
    def somebody_steers_it(self, operation_id: UUID | None, deed: str, behind: int) -> None:
        if operation_id is None:
            return
        was = self.expected[operation_id].now
        change, states = DEEDS[deed]

        why = self._steered(operation_id, was.version - behind, change, deed)

        if was.state in IS_SO[deed]:
            assert not why
        elif was.state not in states:
            assert why == "NotAllowed"
        else:
            assert why == ("StaleOperation" if behind else "")
            if not behind:
                self._is_steered(operation_id, was, deed)

    @rule(operation_id=asked, in_flight_max=st.integers(1, 4))
    def somebody_gives_it_another_pace(
        self, operation_id: UUID | None, in_flight_max: int
    ) -> None:
        if operation_id is None:
            return
        was, deed = self.expected[operation_id].now, "operation_paced"

        def change(operation: Operation) -> Operation:
            return paced(operation, None, in_flight_max)

        why = self._steered(operation_id, was.version, change, deed)

        assert why == ("" if was.state in ACTIVE else "NotAllowed")
        if not why and was.in_flight_max != in_flight_max:
            now = self._is_steered(operation_id, was, deed)
            assert now.in_flight_max == in_flight_max

    @precondition(lambda self: self.letters)
    @rule(data=st.data())
    def somebody_sends_one_back_by_hand(self, data: st.DataObject) -> None:
        letter_id = data.draw(st.sampled_from(self.letters))
        is_open = letter_id in self._open()

        async def send() -> None:
            replay = await replay_letter(letter_id, "otto", "Mine.", self.setting.use)
            self.by_hand[letter_id] = replay.replay_id

        assert (self.refused(send()) == "") == is_open

    @rule(data=st.data(), outcome=st.sampled_from(OUTCOMES))
    def some_replay_has_ended(self, data: st.DataObject, outcome: str) -> None:
        """Perhaps told again, and otherwise: the first word counts."""
        known = sorted({*self.by_hand.values(), *self._replays()})
        if known:
            replay_id = data.draw(st.sampled_from(known))
            self.does(self.setting.settle((replay_id, outcome)))
            self.outcomes.setdefault(replay_id, outcome)

    @invariant()
    def each_keeps_to_the_arrows(self) -> None:
        for operation_id, expected in self.expected.items():
            was, now = expected.now, self._look(operation_id)
            assert now.state == was.state or now.state in ARROWS[was.state]
            assert now.version >= was.version
            assert now.seq >= was.seq
            assert was.total == now.total or not was.prepared
            for name in ("sent", "skipped", *OUTCOMES):
                assert getattr(now, name) >= getattr(was, name)
            if now.state == "completed":
                assert (now.taken, now.in_flight) == (now.total, 0)
            expected.now = now

    @invariant()
    def its_letters_are_those_it_found(self) -> None:
        for operation_id, expected in self.expected.items():
            items = self._items(operation_id)
            letters = [letter_id for letter_id, _, _ in items]
            assert len(letters) == len({*letters}) == expected.now.total
            assert expected.asked.issuperset(letters)
            counts = Counter(outcome for _, outcome, _ in items)
            sent = counts["sent"] + sum(counts[one] for one in OUTCOMES)
            assert (expected.now.sent, expected.now.skipped) == (sent, counts["skipped"])
            for _, outcome, replay_id in items:
                if replay_id is not None:
                    assert outcome == self.outcomes.get(replay_id, "sent")

    @invariant()
    def a_letter_is_on_its_way_once(self) -> None:
        sent = Counter(
            letter_id
            for operation_id in self.expected
            for letter_id, _, replay_id in self._items(operation_id)
            if replay_id
        )
        sent.update(self.by_hand.keys())
        # Whatever became of it: who was sent back does not become open again by itself.
        assert all(count == 1 for count in sent.values())
        running = self.does(self.setting.use.replays.count_running_replays())
        assert running == sent.total() - len(self.outcomes)

    def teardown(self) -> None:
        assert self.setting.entries is not None
        entries = self.does(self.setting.entries())
        for operation_id, expected in self.expected.items():
            resource = resource_of(operation_id)
            told = Counter(one.action for one in entries if one.resource == resource)
            assert told == expected.deeds

    def _steered(self, operation_id: UUID, seen: int, change: Change, deed: str) -> str:
        return self.refused(
            steer_operation(
                operation_id, seen, change, actor="olga", action=deed, use=self.setting.use
            )
        )

    def _is_steered(self, operation_id: UUID, was: Operation, deed: str) -> Operation:
        self.expected[operation_id].deeds[deed] += 1
        now = self._look(operation_id)
        assert now.version == was.version + 1
        return now

    def _look(self, operation_id: UUID) -> Operation:
        return self.does(get_operation(operation_id, self.setting.use))

    def _items(self, operation_id: UUID) -> list[tuple[UUID, str, UUID | None]]:
        items = self.does(
            self.setting.use.operations.list_items(
                operation_id, outcome=None, after=0, limit=100
            )
        )
        return [(one.letter_id, one.outcome.value, one.replay_id) for one in items]

    def _replays(self) -> set[UUID]:
        items = [item for one in self.expected for item in self._items(one)]
        return {replay_id for _, _, replay_id in items if replay_id}

    def _open(self) -> set[UUID]:
        """Neither by hand nor by an operation was it sent."""
        sent = {*self.by_hand}
        for one in self.expected:
            sent |= {letter_id for letter_id, _, replay_id in self._items(one) if replay_id}
        return {*self.letters} - sent

    def _promised(self, expected: Expected) -> set[UUID]:
        now = expected.now
        if now.state not in ACTIVE:
            return set()
        if not now.prepared:
            return {*expected.asked} & self._open()
        items = self._items(now.operation_id)
        waiting = ItemOutcome.WAITING.value
        return {letter_id for letter_id, outcome, _ in items if outcome == waiting}


@asynccontextmanager
async def in_memory() -> AsyncIterator[Anew[Operating]]:
    async def anew() -> Operating:
        async with operating.in_memory() as one:
            return one

    yield anew
