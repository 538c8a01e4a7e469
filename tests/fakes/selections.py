"""Which letters a selection or a filter names, and why an operation leaves one out."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from services.monitor.domain.letters import DeadLetter, LetterState
from services.monitor.domain.operations import Found, Selection
from services.monitor.domain.replays import REPLAYABLE_QUEUES, is_too_old
from services.monitor.ports import Filter


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


def is_asked_for(letter: DeadLetter, which: Filter) -> bool:
    named = ("reason", "state", "document_id", "fingerprint", "category", "type", "owner_id")
    said = re.findall(r"\w+", f"{letter.exception} {letter.message}".lower())
    ids = (letter.letter_id, letter.job_id, letter.document_id)
    return (
        which.queue in (None, letter.origin_queue, letter.dead_queue)
        and all(getattr(which, one) in (None, getattr(letter, one)) for one in named)
        and (which.arrived_after is None or letter.arrived_at >= which.arrived_after)
        and (which.arrived_before is None or letter.arrived_at < which.arrived_before)
        and all(word in said for word in (which.words or "").lower().split())
        and which.any_id in (None, *ids)
    )


def is_on_its_way(letter: DeadLetter) -> bool:
    return letter.state is LetterState.SUPERSEDED and letter.outcome is None


def why_skipped(letter: DeadLetter | None) -> str:
    if letter is None:
        return "gone"
    if letter.state is not LetterState.OPEN:
        return letter.state.value
    if letter.job_id is None:
        return "unreadable"
    return "too_old" if letter.origin_queue in REPLAYABLE_QUEUES else "no_such_queue"


def found_by(letters: Sequence[DeadLetter], now: datetime, days: int) -> list[Found]:
    groups = Counter((one.origin_queue, one.reason, one.type) for one in letters)
    return [
        Found(
            *(queue, reason, type_, n),
            unreplayable=sum(
                one.job_id is None
                or one.origin_queue not in REPLAYABLE_QUEUES
                or is_too_old(one, now, days)
                for one in letters
                if (one.origin_queue, one.reason) == (queue, reason)
            ),
            already_ended=0,
        )
        for (queue, reason, type_), n in groups.most_common()
    ]
