"""When a letter may be replayed, and what is known of a replay.

A replay may finish what failed and can do nothing to what is done, so it is safe to ask for
one; what is refused here is only what could never arrive or is already on its way.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from services.monitor.domain.letters import DeadLetter, LetterState
from shared.contracts.identity import written_at
from shared.topology.queues import WORK_QUEUES

# Sent anywhere else, it would be returned by the broker and parked.
REPLAYABLE_QUEUES = frozenset(queue.name for queue in WORK_QUEUES)

REFAILED = "refailed"


@dataclass(frozen=True, slots=True)
class Replay:
    replay_id: UUID
    letter_id: UUID
    queue: str
    job_id: UUID
    run: int
    requested_by: str
    reason: str
    # running until its outcome is known, then settled.
    state: str
    outcome: str | None
    requested_at: datetime
    settled_at: datetime | None


class NoSuchLetter(LookupError):
    pass


class NoSuchReplay(LookupError):
    pass


class NotReplayable(ValueError):
    def __init__(self, letter: DeadLetter, sentence: str) -> None:
        super().__init__(sentence)
        self.letter = letter


class AlreadyReplaying(NotReplayable):
    def __init__(self, letter: DeadLetter) -> None:
        super().__init__(letter, "a replay of this letter is on its way")


def resource_of(letter_id: UUID) -> str:
    """How the audit log names a letter."""
    return f"dead-letter/{letter_id}"


def is_too_old(letter: DeadLetter, now: datetime, days: int) -> bool:
    """Of a job that is older, nobody may know any more that it was done meanwhile."""
    oldest = now - timedelta(days=days)
    ordered_at = written_at(letter.job_id) if letter.job_id else None
    return letter.arrived_at <= oldest or (ordered_at is not None and ordered_at <= oldest)


def why_not_replayable(letter: DeadLetter, now: datetime, days: int) -> NotReplayable:
    """For a letter that could not be claimed."""
    if letter.job_id is None:
        return NotReplayable(letter, "its body cannot be read, so it is no job to do again")
    if letter.origin_queue not in REPLAYABLE_QUEUES:
        return NotReplayable(letter, f"there is no work queue {letter.origin_queue!r}")
    sentences = {
        LetterState.RESOLVED: f"it was replayed before: {letter.outcome}",
        LetterState.REFAILED: "it failed again; replay the newer letter of its job",
        LetterState.SUPERSEDED: "it was mended and sent on as another job",
        LetterState.ARCHIVED: "it is archived",
    }
    if letter.state in sentences:
        return NotReplayable(letter, sentences[letter.state])
    if letter.state is LetterState.REPLAYING:
        return AlreadyReplaying(letter)
    if is_too_old(letter, now, days):
        return NotReplayable(
            letter,
            f"its job is older than {days} days: nobody knows any more whether it was done",
        )
    return NotReplayable(letter, "it was changed at this moment; look again")
