"""Which letters a selection names, and why an operation leaves one out."""

from collections import Counter
from collections.abc import Sequence

from services.monitor.domain.letters import DeadLetter, LetterState
from services.monitor.domain.operations import Found, Selection
from services.monitor.domain.replays import REPLAYABLE_QUEUES


def is_selected(letter: DeadLetter, which: Selection) -> bool:
    return (
        letter.arrived_at < which.arrived_before
        and (which.arrived_after is None or letter.arrived_at >= which.arrived_after)
        and (which.ids is None or letter.letter_id in which.ids)
        and which.fingerprint in (None, letter.fingerprint)
        and which.queue in (None, letter.origin_queue)
        and which.reason in (None, letter.reason)
        and which.category in (None, letter.category)
        and which.type in (None, letter.type)
        and which.owner_id in (None, letter.owner_id)
        and which.document_id in (None, letter.document_id)
    )


def is_on_its_way(letter: DeadLetter) -> bool:
    return letter.state is LetterState.SUPERSEDED and letter.outcome is None


def why_skipped(letter: DeadLetter | None) -> str:
    if letter is None:
        return "gone"
    if letter.state is not LetterState.OPEN:
        return letter.state.value
    return "unreadable" if letter.job_id is None else "no_such_queue"


def found_by(letters: Sequence[DeadLetter]) -> list[Found]:
    groups = Counter((one.origin_queue, one.reason, one.type) for one in letters)
    return [
        Found(queue, reason, type_, n, _unreplayable(letters, queue, reason), 0)
        for (queue, reason, type_), n in groups.most_common()
    ]


def _unreplayable(letters: Sequence[DeadLetter], queue: str, reason: str) -> int:
    return sum(
        one.job_id is None or one.origin_queue not in REPLAYABLE_QUEUES
        for one in letters
        if (one.origin_queue, one.reason) == (queue, reason)
    )
