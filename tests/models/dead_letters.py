"""A dead letter's states: it arrives twice, is sent back twice, fails again, is put away.

Held after each step: of what has arrived each is open, on its way, settled, put away or
discarded, and nothing else (I12); a letter is on its way once at most, by whoever sent it (I5);
its version only grows and what was settled stays so (I14). At the end of a play every deed has
its one line in the audit log (I9).
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, invariant, rule

from services.monitor.domain.editing import Edit
from services.monitor.domain.operations import Kind
from services.monitor.domain.replays import Replay, resource_of
from services.monitor.handlers.editing import edit_and_replay
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.replaying import replay_letter
from shared.bus.headers import REPLAY, RUN
from shared.bus.letters import Letter
from shared.contracts.identity import new_id
from tests.conformance import operating
from tests.conformance.operating import Operating
from tests.models.playing import Anew, Machine, Stage
from tests.unit.monitor.world import dead_letter

WELL = ("done", "already_applied", "withdrawn")
SETTLED = ("resolved", "refailed", "superseded", "archived")


@dataclass(slots=True)
class Expected:
    letter: Letter
    state: str = "open"
    version: int = 1
    # Its latest replay, and how that ended.
    replay_id: UUID | None = None
    outcome: str | None = None

    @property
    def is_on_its_way(self) -> bool:
        sent = self.state in ("replaying", "superseded")
        return sent and self.outcome is None

    def goes(self, state: str) -> None:
        self.state = state
        self.version += 1

    def ends(self, outcome: str) -> None:
        if not self.is_on_its_way:
            return
        self.outcome = outcome
        ended = "refailed" if outcome == "refailed" else "resolved"
        self.goes(ended if self.state == "replaying" else self.state)


class DeadLetters(Machine[Operating]):
    letters = Bundle("letters")
    replays = Bundle("replays")

    def __init__(self, stage: Stage[Operating]) -> None:
        super().__init__(stage)
        self.expected: dict[UUID, Expected] = {}
        self.sent: list[Replay] = []
        self.discarded = 0
        self.arrived = 0
        self.deeds: Counter[tuple[str, str]] = Counter()

    @rule(target=letters)
    def one_arrives(self) -> UUID:
        return self._arrives(dead_letter())

    @rule(letter_id=letters)
    def it_arrives_once_more(self, letter_id: UUID) -> None:
        """Kept before it was settled, and the connection went in between."""
        if letter_id in self.expected:
            self.does(keep_letters([self.expected[letter_id].letter], self.setting.use))

    @rule(target=replays, letter_id=letters)
    def somebody_sends_it_back(self, letter_id: UUID) -> object:
        replays: list[Replay] = []

        async def sent() -> None:
            replays.append(await replay_letter(letter_id, "olga", "", self.setting.use))

        why = self.refused(sent())

        expected = self.expected.get(letter_id)
        assert why == _why_not_sent(expected)
        return self._is_sent(letter_id, "replaying", "letter_replayed", *replays)

    @rule(target=replays, letter_id=letters, behind=st.integers(0, 1))
    def somebody_mends_it(self, letter_id: UUID, behind: int) -> object:
        expected = self.expected.get(letter_id)
        seen = expected.version - behind if expected else 1
        edit = Edit(letter_id, seen, {"filename": "mended.pdf"}, "edith", "")
        replays: list[Replay] = []

        async def sent() -> None:
            replays.append(await edit_and_replay(edit, self.setting.use))

        why = self.refused(sent())

        is_stale = expected is not None and behind > 0
        assert why == ("StaleLetter" if is_stale else _why_not_sent(expected))
        return self._is_sent(letter_id, "superseded", "letter_edited", *replays)

    def _is_sent(self, letter_id: UUID, state: str, deed: str, *replays: Replay) -> object:
        for one in replays:
            expected = self.expected[letter_id]
            expected.goes(state)
            expected.replay_id, expected.outcome = one.replay_id, None
            self.sent.append(one)
            self.deeds[resource_of(letter_id), deed] += 1
        return tuple(replays)

    @rule(replays=replays, outcome=st.sampled_from(WELL))
    def its_end_is_told(self, replays: tuple[Replay, ...], outcome: str) -> None:
        """Perhaps again, or otherwise than before: the first word counts."""
        for one in replays:
            self.does(self.setting.settle((one.replay_id, outcome)))
            self._ended(one, outcome)

    @rule(target=letters, replays=replays)
    def it_fails_again(self, replays: tuple[Replay, ...]) -> UUID:
        """Perhaps only after it was told to have ended; then it is just one more letter."""
        if not replays:
            return self._arrives(dead_letter())
        [replay] = replays
        again = dead_letter(job_id=replay.job_id, run=replay.run)
        failed = replace(
            again,
            headers={**again.headers, RUN: str(replay.run), REPLAY: str(replay.replay_id)},
        )
        letter_id = self._arrives(failed)
        self._ended(replay, "refailed")
        return letter_id

    @rule(letter_id=letters, kind=st.sampled_from((Kind.ARCHIVE, Kind.UNARCHIVE, Kind.PURGE)))
    def it_is_put_away(self, letter_id: UUID, kind: Kind) -> None:
        """Or taken back out, or discarded: what cannot be done to it is left out."""
        one = self.setting
        selection = one.selection(ids=(letter_id,))
        self.does(one.asked(kind, key=str(new_id()), selection=selection))
        self.does(one.run())

        expected = self.expected.get(letter_id)
        if expected is None:
            return
        if kind is Kind.PURGE:
            if not expected.is_on_its_way:
                del self.expected[letter_id]
                self.discarded += 1
        elif expected.state == ("open" if kind is Kind.ARCHIVE else "archived"):
            expected.goes("archived" if kind is Kind.ARCHIVE else "open")

    @invariant()
    def each_is_where_the_model_says(self) -> None:
        for letter_id, expected in self.expected.items():
            letter = self.does(self.setting.use.letters.find_letter(letter_id))
            assert letter is not None
            assert (letter.state, letter.outcome) == (expected.state, expected.outcome)
            assert letter.version == expected.version

    @invariant()
    def what_has_arrived_is_somewhere(self) -> None:
        found = self.does(self.setting.use.letters.count_open_letters())
        unsettled = sum(one.letters for one in found)
        settled = sum(one.state in SETTLED for one in self.expected.values())
        assert self.arrived == unsettled + settled + self.discarded

    @invariant()
    def each_is_on_its_way_once(self) -> None:
        running = self.does(self.setting.use.replays.count_running_replays())
        assert running == sum(one.is_on_its_way for one in self.expected.values())

    def teardown(self) -> None:
        assert self.setting.entries is not None
        told = Counter((one.resource, one.action) for one in self.does(self.setting.entries()))
        assert {deed: told[deed] for deed in self.deeds} == dict(self.deeds)

    def _arrives(self, letter: Letter) -> UUID:
        kept = self._find(letter)
        if kept is not None:
            # The failure of this run was told before.
            self.does(keep_letters([letter], self.setting.use))
            return kept
        letter_id = self.does(self.setting.keeper.kept(letter)).letter_id
        self.setting.later()
        self.expected[letter_id] = Expected(letter)
        self.arrived += 1
        return letter_id

    def _find(self, letter: Letter) -> UUID | None:
        """Kept before, as the failure of the same replay."""
        replay_id = letter.headers.get(REPLAY)
        for letter_id, one in self.expected.items():
            if replay_id is not None and one.letter.headers.get(REPLAY) == replay_id:
                return letter_id
        return None

    def _ended(self, replay: Replay, outcome: str) -> None:
        for one in self.expected.values():
            if one.replay_id == replay.replay_id:
                one.ends(outcome)


def _why_not_sent(expected: Expected | None) -> str:
    if expected is None:
        return "NoSuchLetter"
    if expected.state == "replaying":
        return "AlreadyReplaying"
    return "" if expected.state == "open" else "NotReplayable"


@asynccontextmanager
async def in_memory() -> AsyncIterator[Anew[Operating]]:
    async def anew() -> Operating:
        async with operating.in_memory() as one:
            return one

    yield anew
