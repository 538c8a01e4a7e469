"""Send a mended letter on, as a job of its own; the letter itself never goes again.

Superseding the letter, the replay, the audit entry and the outbox row are one commit, so two
who mend the same letter, or one who mends and one who replays, cannot both send it.
"""

from dataclasses import replace

from services.monitor.domain.editing import Edit, StaleLetter, mend
from services.monitor.domain.letters import DeadLetter, LetterState
from services.monitor.domain.replays import (
    REPLAYABLE_QUEUES,
    NoSuchLetter,
    Replay,
    resource_of,
    why_not_replayable,
)
from services.monitor.handlers.replaying import get_letter, resend
from services.monitor.ports import Ports
from shared.audit.chain import Entry
from shared.contracts.identity import new_id
from shared.failpoints import failpoint


async def edit_and_replay(edit: Edit, use: Ports) -> Replay:
    letter = await get_letter(edit.letter_id, use)
    _require_open(letter, edit.seen, use)
    job_id, replay_id = new_id(), new_id()
    async with use.ledger.unit() as unit:
        raw = await use.letters.read_body(unit, edit.letter_id)
        if raw is None:
            raise NoSuchLetter(str(edit.letter_id))
        mended = mend(raw, edit.patch, job_id=job_id)
        taken = await use.letters.supersede_letter(
            unit,
            letter_id=edit.letter_id,
            version=edit.seen,
            job_id=job_id,
            replay_id=replay_id,
        )
        replay = None
        if taken is not None:
            sent = replace(taken, job_id=job_id)
            replay = await use.replays.insert_replay(
                unit, sent, requested_by=edit.actor, reason=edit.reason
            )
            unit.resend(resend(sent, mended.body, replay_id))
            await use.trail.record(
                unit,
                Entry(
                    edit.actor,
                    "letter_edited",
                    resource_of(edit.letter_id),
                    before=dict(mended.before),
                    after={**mended.after, "job_id": str(job_id), "run": replay.run},
                    reason=edit.reason,
                ),
            )
            await failpoint("monitor.in_commit")
    await failpoint("monitor.after_commit")
    if replay is None:
        # Somebody was faster than our commit.
        now = await get_letter(edit.letter_id, use)
        _require_open(now, edit.seen, use)
        raise StaleLetter(now, edit.seen)
    return replay


def _require_open(letter: DeadLetter, seen: int, use: Ports) -> None:
    if letter.version != seen:
        raise StaleLetter(letter, seen)
    is_job = letter.job_id is not None and letter.origin_queue in REPLAYABLE_QUEUES
    if letter.state is not LetterState.OPEN or not is_job:
        raise why_not_replayable(letter, use.clock.now(), use.limits.letters_kept_days)
